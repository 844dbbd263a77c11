// SPDX-License-Identifier: Apache-2.0
// What calls keep of their process's memory, and of its device's, kind by kind: tag `integrity`.
// The kinds are those that go another way than the plain row of suite_integrity.cc: calls that are
// refused, those with nothing to do, a row that may be shared out, a long list.

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "interface.h"
#include "suite_support.h"

namespace assay::softmax_topk {
namespace {

template <class Variant>
class Kept : public VariantTest<Variant> {
 protected:
  void SetUp() override {
    VariantTest<Variant>::SetUp();
    this->template TagFor<Variant>({"integrity"});
    if (this->sanitized()) {
      this->Skip("a sanitizer's allocator keeps what was freed");
    }
    this->UseOneSchedule();
    this->ExpectRandom({1, kPlainVocabulary, 5});  // Whoever does nothing keeps nothing.
    this->RestartHost(Role());
  }

  static std::string_view Role() { return VariantTest<Variant>::Schedules().back(); }

  /// `call()` calls `calls` times and returns the last status. The first time that is looked at;
  /// then memory may grow for a hundred calls (interface.h), and is watched `watched` times.
  template <class Call>
  void ExpectNothingKept(std::string_view kind, int calls, Call call, int watched = kWatched) {
    const int first = 100 / calls;
    constexpr std::int64_t kAllowed_bytes = std::int64_t{48} << 10;
    if (call() == SOFTMAX_TOPK_UNSUPPORTED) {
      this->Skip(fmt::format("{} is refused as unsupported", kind));
    }
    const auto repeat = [&](int times) {
      for (int i = 0; i < times; ++i) {
        call();
      }
    };
    repeat(first);
    const std::int64_t before_bytes = this->PrivateBytes(Role());
    const auto before_on_device_bytes = static_cast<std::int64_t>(this->DeviceBytes(Role()));
    repeat(watched);
    const std::int64_t kept_bytes = this->PrivateBytes(Role()) - before_bytes;
    const auto kept_on_device_bytes =
        static_cast<std::int64_t>(this->DeviceBytes(Role())) - before_on_device_bytes;
    if (std::max(kept_bytes, kept_on_device_bytes) > kAllowed_bytes) {
      this->FailCase(fmt::format(
          "{} times {}, {}, kept {} bytes of the process's memory and {} of the device's; "
          "{} of each are allowed",
          watched, Variant::kOperation, kind, kept_bytes, kept_on_device_bytes, kAllowed_bytes));
    }
  }

  void ExpectNothingKeptOf(std::string_view kind, Shape shape) {
    const auto problem = this->Random(shape);
    ExpectNothingKept(kind, 1,
                      [&] { return this->template Run<Variant>(Role(), problem, {}).status; });
  }

  /// What is kept for a size must not add up over sizes: the largest come first, and then only
  /// sizes that were not asked before.
  template <class ShapeOf>
  void ExpectNothingKeptOver(std::string_view kind, std::size_t largest, ShapeOf shape_of) {
    std::size_t calls = 0;
    ExpectNothingKept(kind, 1, [&] {
      constexpr std::size_t kFirst = 101;
      const std::size_t size = calls < kFirst ? largest - 2 * calls : 8 + 2 * (calls - kFirst);
      ++calls;
      return this->template Run<Variant>(Role(), this->Random(shape_of(size)), {}).status;
    });
  }

  /// The status of a call that computes nothing, with as many logits as `held` says and no
  /// workspace.
  int StatusOfNothing(Shape shape, std::size_t stride, Shape held) {
    const std::vector<typename Variant::Logit> logits(held.rows * held.vocabulary);
    std::vector<float> probabilities(held.rows * held.k);
    std::vector<std::int32_t> indices(held.rows * held.k);
    const std::string operation(Variant::kOperation);
    if constexpr (kOnCpu<Variant>) {
      Invocation call(operation);
      call.Scalar(shape.rows).Scalar(shape.vocabulary).Scalar(shape.k).Input(logits);
      call.Scalar(stride).InOut(probabilities).InOut(indices);
      return this->Call(Role(), call).status;
    } else {
      gpu::DeviceInvocation call(operation);
      call.Scalar(shape.rows).Scalar(shape.vocabulary).Scalar(shape.k).Input(logits);
      call.Scalar(stride).InOut(probabilities).InOut(indices);
      call.Scratch(0).Scalar(std::uint64_t{0}).Scalar(std::uint32_t{0});
      return this->CallOnDevice(Role(), call).reply.status;
    }
  }

  /// Of a device 500 bytes, kept by each, are more than is allowed, of the CPU 125.
  static constexpr int kWatched = kOnCpu<Variant> ? 400 : 100;
  /// Of calls that compute nothing, which take less time: 32 bytes, the least that a heap gives.
  static constexpr int kWatchedForNothing = 1600;
};

template <class Variant>
using KeptByRefusals = Kept<Variant>;
using ByRefusals = testing::Types<F32, AlternativeF32, F16, CpuF32>;
TYPED_TEST_SUITE(KeptByRefusals, ByRefusals, VariantNames);

/// Each reason to compute nothing that needs no workspace, in turn.
TYPED_TEST(KeptByRefusals, OfCallsThatComputeNothing) {
  this->ExpectNothingKept(
      "for nothing", 3,
      [this] {
        constexpr Shape kHeld{.rows = 2, .vocabulary = 16, .k = 4};
        this->StatusOfNothing({1, 8, 9}, 8, kHeld);
        this->StatusOfNothing({2, 16, 4}, 15, kHeld);
        return this->StatusOfNothing({0, 16, 4}, 16, kHeld);
      },
      TestFixture::kWatchedForNothing);
}

template <class Variant>
using KeptByWork = Kept<Variant>;
using ByWork = testing::Types<F32, AlternativeF32, CpuF32>;
TYPED_TEST_SUITE(KeptByWork, ByWork, VariantNames);

TYPED_TEST(KeptByWork, OfALongRow) { this->ExpectNothingKeptOf("of a long row", {1, 8200, 4}); }
TYPED_TEST(KeptByWork, OfALongList) { this->ExpectNothingKeptOf("of 100 of 300", {1, 300, 100}); }

TYPED_TEST(KeptByWork, OfRowsOfEveryLength) {
  this->ExpectNothingKeptOver("rows of ever other lengths", 2001,
                              [](std::size_t length) { return Shape{1, length, 4}; });
}

TYPED_TEST(KeptByWork, OfListsOfEveryLength) {
  this->ExpectNothingKeptOver("lists of ever other lengths", kOnCpu<TypeParam> ? 1001 : 401,
                              [](std::size_t length) { return Shape{1, length + 20, length}; });
}

TYPED_TEST(KeptByWork, OfEveryNumberOfRows) {
  this->ExpectNothingKeptOver("ever other numbers of rows", kOnCpu<TypeParam> ? 1001 : 301,
                              [](std::size_t rows) { return Shape{rows, 8, 4}; });
}

template <class Variant>
using KeptWithoutWorkspace = Kept<Variant>;
using FloatsOnDevice = testing::Types<F32, AlternativeF32>;
TYPED_TEST_SUITE(KeptWithoutWorkspace, FloatsOnDevice, VariantNames);

/// Where one is needed at all.
TYPED_TEST(KeptWithoutWorkspace, OfARowThatNeedsOne) {
  constexpr Shape kShape{.rows = 1, .vocabulary = 65'536, .k = 8};
  if (this->WorkspaceBytes(TestFixture::Role(), kShape) == 0) {
    return;
  }
  this->ExpectNothingKept(
      "without workspace", 1,
      [this, kShape] { return this->StatusOfNothing(kShape, kShape.vocabulary, kShape); },
      TestFixture::kWatchedForNothing);
}

}  // namespace
}  // namespace assay::softmax_topk
