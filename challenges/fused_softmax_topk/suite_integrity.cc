// SPDX-License-Identifier: Apache-2.0
// The same answer in every call, on either stream and whatever came before: tag `integrity`.
// Against code that remembers (by pointer, by a sample of the content, in device memory of its
// own), that writes its inputs, or that leaves work on another stream. Single rows that a warp can
// hold; what calls of other shapes leave behind is what some of them are about, and the answers of
// those calls have cases of their own.

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string_view>

#include "interface.h"
#include "suite_support.h"

namespace assay::softmax_topk {
namespace {

template <class Variant>
class Integrity : public VariantTest<Variant> {
 protected:
  using Logit = typename Variant::Logit;

  void SetUp() override {
    VariantTest<Variant>::SetUp();
    this->template TagFor<Variant>({"integrity"});
  }

  void ExpectSame(const std::vector<Logit>& actual, const std::vector<Logit>& wanted) {
    this->template ExpectUnchanged<Logit>("logits", actual, wanted);
  }

  /// Calls of these shapes one after the other, with large logits, which nobody judges.
  void Disturb(std::initializer_list<Shape> shapes) {
    this->template Need<Variant>();
    for (const std::string_view role :
         this->Schedules().last(kOnCpu<Variant> ? 1 : this->Schedules().size())) {
      for (const Shape shape : shapes) {
        this->template Run<Variant>(role, this->Random(shape, {.offset = 50}), {});
      }
    }
  }

  /// Changes `count` logits at random places, away from the ends and from multiples of 8, where a
  /// sample of the content would be taken, to the largest of their rows.
  void ChangeUnsampled(Problem<Logit>& problem, int count) {
    std::uniform_int_distribution<std::size_t> anywhere(8, problem.logits.size() - 8);
    for (int i = 0; i < count; ++i) {
      problem.logits[anywhere(this->random()) / 8 * 8 + 3] = Nearest<Logit>(9 + i);
    }
  }
};
TYPED_TEST_SUITE(Integrity, Variants, VariantNames);

/// One shape over and over: buffers come to lie at the same addresses with new contents.
TYPED_TEST(Integrity, NoDriftOverManyCalls) {
  for (int i = 0; i < 20; ++i) {
    this->ExpectRandom({1, 64, 6});
  }
}

/// Scratch, flags and shared memory of a longer call, with larger logits, must not show in the
/// next.
TYPED_TEST(Integrity, ShorterRowAfterALongerOne) {
  this->Disturb({{9, 3000, 8}});
  this->ExpectRandom({1, 72, 8});
  this->Disturb({{1, 4000, 2}, {1, 30'000, 8}});
  this->ExpectRandom({1, 8, 5}, {.offset = -50});
}

/// Long rows, and few of them behind many, are dealt out by other plans.
TYPED_TEST(Integrity, ShapesInTurn) {
  constexpr Shape kShapes[] = {{1, 48, 3}, {1, 20'480, 4}, {1, 24, 1}, {1, 2496, 8}};
  for (int i = 0; i < 8; ++i) {
    this->Disturb({{2, 8000, 5}, {150, 64, 4}});
    this->ExpectRandomForOneWarp(kShapes[i % 4]);
  }
}

/// Two inputs that differ in a few logits which no sample of ends or strides would hold.
TYPED_TEST(Integrity, TwinsThatDifferInFewLogits) {
  auto problem = this->Random({1, kPlainVocabulary, 5});
  for (int i = 0; i < 6; ++i) {
    this->Expect(problem);
    this->ChangeUnsampled(problem, 2 + i);
  }
}

TYPED_TEST(Integrity, InAFreshHost) {
  this->template Need<TypeParam>();
  for (const std::string_view role : this->Schedules()) {
    this->RestartHost(role);
  }
  this->ExpectRandom({1, kPlainVocabulary, 7});
}

/// The same call again and again, of an input with ties and of one with a NaN.
TYPED_TEST(Integrity, SameCallAgain) {
  auto problem = this->Random({1, kPlainVocabulary, 8});
  for (auto& logit : problem.logits) {
    logit = this->Near(static_cast<double>(this->random()() % 50));
  }
  for (int i = 0; i < 8; ++i) {
    if (i == 4) {
      problem.logits[40] = this->Near(-std::numeric_limits<double>::quiet_NaN());
    }
    this->Expect(problem);
  }
}

TYPED_TEST(Integrity, BothStreams) {
  for (const std::uint32_t kind : {0U, 1U, 0U, 1U, 1U, 0U}) {
    this->Expect(this->Random({1, kPlainVocabulary, 8}), {.stream_kind = kind});
  }
}

/// What is wrong once in many calls, by chance or by its own count, passes the few calls of other
/// cases. Here are n tiny ones in one process, freshly drawn, each of whose answers is compared: a
/// bug that shows in a call with a chance of p is seen with 1 - (1 - p)^n, and one that counts
/// calls surely within the first n. n is 12,000 on the CPU: p of 1/20,000 is seen in 45 runs of
/// 100, of 1/10,000 in 70, of 1/2,500 in 99. On a device, whose calls take longer, it is 600: 1/600
/// is seen in 63 and 1/130 in 99; and 200 with logits of 16 bits, which differ in how they are
/// read.
TYPED_TEST(Integrity, ManyTinyCalls) {
  constexpr int kCallsOfDevice = sizeof(typename TestFixture::Logit) == sizeof(float) ? 600 : 200;
  constexpr int kCalls = kOnCpu<TypeParam> ? 12'000 : kCallsOfDevice;
  constexpr int kSlower = 20;  // Under the sanitizers.
  this->UseOneSchedule();
  for (int i = 0; i < (this->sanitized() ? kCalls / kSlower : kCalls); ++i) {
    const std::size_t k = 1 + this->random()() % 4;
    const std::size_t vocabulary = k + this->random()() % 29;
    this->ExpectRandom({1, vocabulary, k});
  }
}

/// What calls leave behind in memory of their process, and of its device.
TYPED_TEST(Integrity, CallsKeepNoMemory) {
  if (this->sanitized()) {
    this->Skip("a sanitizer's allocator keeps what was freed");
  }
  this->template Need<TypeParam>();
  constexpr std::int64_t kAllowed_bytes = std::int64_t{48} << 10;  // interface.h
  constexpr int kFirst = 100;
  constexpr int kWatched = kOnCpu<TypeParam> ? 5000 : 2000;
  const std::string_view role = TestFixture::Schedules().back();
  this->RestartHost(role);
  const auto problem = this->Random({1, 24, 3});
  const auto call = [&](int times) {
    for (int i = 0; i < times; ++i) {
      this->template Run<TypeParam>(role, problem, {});
    }
  };
  call(kFirst);
  const std::int64_t before_bytes = this->PrivateBytes(role);
  const auto before_on_device_bytes = static_cast<std::int64_t>(this->DeviceBytes(role));
  call(kWatched);
  const std::int64_t kept_bytes = this->PrivateBytes(role) - before_bytes;
  const auto kept_on_device_bytes =
      static_cast<std::int64_t>(this->DeviceBytes(role)) - before_on_device_bytes;
  if (std::max(kept_bytes, kept_on_device_bytes) > kAllowed_bytes) {
    this->FailCase(fmt::format(
        "{} calls of {} kept {} bytes of the process's memory and {} of the device's; {} of each "
        "are allowed",
        kWatched, TypeParam::kOperation, kept_bytes, kept_on_device_bytes, kAllowed_bytes));
  }
}

template <class Variant>
using DeviceIntegrity = Integrity<Variant>;
TYPED_TEST_SUITE(DeviceIntegrity, DeviceVariants, VariantNames);

/// The logits after the call are those before it.
TYPED_TEST(DeviceIntegrity, InputsAreNotWritten) {
  this->ExpectRandom({1, kPlainVocabulary, 8});
  for (const Shape shape : {Shape{1, 96, 8}, Shape{1, 9000, 8}, Shape{1, 1024, 1}}) {
    const auto problem = this->Random(shape);
    for (const std::string_view role : this->Schedules()) {
      auto logits = problem.logits;
      std::vector<float> probabilities(shape.rows * shape.k);
      std::vector<std::int32_t> indices(shape.rows * shape.k);
      const std::uint64_t workspace_bytes = this->WorkspaceBytes(role, shape);
      gpu::DeviceInvocation call{std::string(TypeParam::kOperation)};
      call.Scalar(shape.rows).Scalar(shape.vocabulary).Scalar(shape.k).InOut(logits);
      call.Scalar(shape.vocabulary).Output(probabilities).Output(indices);
      call.Scratch(workspace_bytes).Scalar(workspace_bytes).Scalar(std::uint32_t{1});
      const int status = this->CallOnDevice(role, call).reply.status;
      if (status == SOFTMAX_TOPK_UNSUPPORTED) {
        this->Skip("the shape is refused");
      }
      this->ExpectSame(logits, problem.logits);
    }
  }
}

}  // namespace
}  // namespace assay::softmax_topk
