// SPDX-License-Identifier: Apache-2.0
// The same answer in every call, whatever came before: tag `integrity`. Against code that remembers
// (by pointer, by a sample of the content, in device memory of its own), that writes its inputs, or
// that leaves work on another stream.

#include <algorithm>

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

  /// Changes `count` logits at random places, away from the ends and from multiples of 8, where a
  /// sample of the content would be taken, to the largest of their rows.
  void ChangeUnsampled(Problem<Logit>& problem, int count) {
    std::uniform_int_distribution<std::size_t> anywhere(64, problem.logits.size() - 64);
    for (int i = 0; i < count; ++i) {
      problem.logits[anywhere(this->random()) / 8 * 8 + 3] = Nearest<Logit>(9 + i);
    }
  }
};
TYPED_TEST_SUITE(Integrity, Variants, VariantNames);

/// One shape over and over: buffers come to lie at the same addresses with new contents.
TYPED_TEST(Integrity, NoDriftOverManyCalls) {
  for (int i = 0; i < 20; ++i) {
    this->Expect(this->Random({4, 333, 6}), {});
  }
}

/// Scratch, flags and shared memory of a longer call, with larger logits, must not show in the
/// next.
TYPED_TEST(Integrity, ShorterRowAfterALongerOne) {
  this->ExpectRandom({9, 3000, 8}, {.offset = 50});
  this->ExpectRandom({2, 70, 8});
  this->ExpectRandom({1, 4000, 2}, {.offset = 50});
  this->ExpectRandom({1, 5, 5}, {.offset = -50});
  this->ExpectRandom({1, 30'000, 8}, {.offset = 50});
  this->ExpectRandom({1, 29'000, 4}, {.offset = -50});
}

TYPED_TEST(Integrity, ShapesInTurn) {
  // Among them few long rows behind many short ones: those are dealt out by another plan.
  constexpr Shape kShapes[] = {{16, 48, 3}, {3, 256, 8},  {1, 2500, 8}, {40, 20, 1},
                               {5, 777, 5}, {150, 60, 4}, {2, 20000, 4}};
  for (int i = 0; i < 14; ++i) {
    this->ExpectRandom(kShapes[i % 7]);
  }
}

/// Two inputs that differ in a few logits which no sample of ends or strides would hold.
TYPED_TEST(Integrity, TwinsThatDifferInFewLogits) {
  auto problem = this->Random({4, 1000, 5});
  for (int i = 0; i < 4; ++i) {
    this->Expect(problem, {});
    this->ChangeUnsampled(problem, 2 + i);
  }
}

TYPED_TEST(Integrity, InAFreshHost) {
  this->template Need<TypeParam>();
  for (const std::string_view role : this->Schedules()) {
    this->RestartHost(role);
  }
  this->ExpectRandom({3, 1200, 7});
}

/// The same call again and again, of an input with ties and of one with a NaN.
TYPED_TEST(Integrity, SameCallAgain) {
  auto problem = this->Random({3, 640, 8});
  for (auto& logit : problem.logits) {
    logit = this->Near(static_cast<double>(this->random()() % 50));
  }
  problem.logits[900] = this->Near(-std::numeric_limits<double>::quiet_NaN());
  for (int i = 0; i < 4; ++i) {
    this->Expect(problem);
  }
}

/// What is wrong once in many calls, by chance or by its own count, passes the few calls of other
/// cases. Here are n tiny ones in one process, freshly drawn, each of whose answers is compared: a
/// bug that shows in a call with a chance of p is seen with 1 - (1 - p)^n, and one that counts
/// calls surely within the first n. n is 10,000 on the CPU: p of 1/20,000 is seen in 39 runs of
/// 100, of 1/10,000 in 63, of 1/2,000 in 99. On a device, whose calls take longer, it is 600: 1/600
/// is seen in 63 and 1/130 in 99.
TYPED_TEST(Integrity, ManyTinyCalls) {
  constexpr int kCalls = kOnCpu<TypeParam> ? 10'000 : 600;
  constexpr int kSlower = 20;  // Under the sanitizers.
  this->UseOneSchedule();
  for (int i = 0; i < (this->sanitized() ? kCalls / kSlower : kCalls); ++i) {
    const std::size_t k = 1 + this->random()() % 4;
    const std::size_t vocabulary = k + this->random()() % 29;
    this->Expect(this->Random({1 + this->random()() % 2, vocabulary, k}));
  }
}

template <class Variant>
using DeviceIntegrity = Integrity<Variant>;
TYPED_TEST_SUITE(DeviceIntegrity, DeviceVariants, VariantNames);

/// The logits after the call are those before it.
TYPED_TEST(DeviceIntegrity, InputsAreNotWritten) {
  this->template Need<TypeParam>();
  for (const Shape shape : {Shape{3, 500, 8}, Shape{1, 9000, 8}, Shape{2, 1025, 1}}) {
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
