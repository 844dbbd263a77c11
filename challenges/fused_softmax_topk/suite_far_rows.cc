// SPDX-License-Identifier: Apache-2.0
// Rows whose offsets or numbers are beyond what an integer holds: tag `rows`. All else is plain,
// and only a few rows are touched of the memory that lies between them.

#include <fmt/format.h>

#include <cstddef>
#include <limits>

#include "suite_support.h"

namespace assay::softmax_topk {
namespace {

template <class Variant>
class FarRows : public VariantTest<Variant> {
 protected:
  void SetUp() override {
    VariantTest<Variant>::SetUp();
    this->template TagFor<Variant>({"rows"});
    this->UseOneSchedule();
  }

  void ExpectFarApart(std::size_t rows, std::size_t stride) {
    if (this->OnRealGpu()) {
      const std::size_t gigabytes = rows * stride * sizeof(typename Variant::Logit) / 1'000'000'000;
      this->Skip(fmt::format("needs {} GB of device memory, which is real there", gigabytes));
    }
    constexpr std::size_t kVocabulary = 64;
    this->Expect(this->Random({rows, kVocabulary, 5}), {.gap = stride - kVocabulary});
  }
};
TYPED_TEST_SUITE(FarRows, DeviceVariants, VariantNames);

/// Each form has offsets of its own; and what fits 32 bits without a sign goes wrong only here.
TYPED_TEST(FarRows, OffsetsBeyond32Bits) { this->ExpectFarApart(5, (std::size_t{1} << 30) + 8); }

/// All of a call's elements just fit 32 bits with a sign, and their bytes do not fit without one:
/// f32 must not refuse it.
TYPED_TEST(FarRows, BytesBeyond32Bits) { this->ExpectFarApart(2, (std::size_t{1} << 30) - 8); }

/// More rows than 16 bits count, which no form may mix up and f32 must not refuse; or as many as
/// the emulator executes within seconds, which a kernel of many instructions a row makes fewer.
TYPED_TEST(FarRows, RowsBeyond16Bits) {
  constexpr std::size_t kBeyond16Bits = 65'537;
  constexpr std::size_t kSample = 1024;
  constexpr std::size_t kMostWarpInstructions = 45'000'000;
  this->UseOneSchedule();
  const auto sample = this->Random({kSample, 2, 1});
  this->Expect(sample);
  if (this->sanitized()) {
    return;
  }
  const Outputs got = this->template Run<TypeParam>(this->SchedulesUsed().front(), sample, {});
  std::size_t warp_instructions = 1;
  for (const gpu::LaunchReport& launch : got.launches) {
    warp_instructions += launch.counters.warp_instructions;
  }
  const std::size_t affordable = kMostWarpInstructions * kSample / warp_instructions;
  this->ExpectRandom({affordable < kBeyond16Bits ? affordable : kBeyond16Bits, 2, 1});
}

/// Its stride is all that is unusual.
template <class Variant>
class OneRow : public VariantTest<Variant> {
 protected:
  void SetUp() override {
    VariantTest<Variant>::SetUp();
    this->template TagFor<Variant>({"edge"});
    this->UseOneSchedule();
  }
};
TYPED_TEST_SUITE(OneRow, Variants, VariantNames);

/// No second row begins anywhere, so that a stride says nothing. f32 must not refuse the first.
TYPED_TEST(OneRow, OfAnyStride) {
  for (const int exponent : {30, 31, 33, 40}) {
    constexpr std::size_t kVocabulary = 64;
    const std::size_t stride = std::size_t{1} << exponent;
    this->Expect(this->Random({1, kVocabulary, 4}), {.gap = stride - kVocabulary});
  }
}

/// Of which the bytes are nothing, or few, in 64 bits.
TYPED_TEST(OneRow, OfAStrideWhoseBytesWrapAround) {
  for (const std::size_t stride : {std::size_t{1} << 61, std::size_t{1} << 62, std::size_t{1} << 63,
                                   (std::size_t{1} << 62) + 4, (std::size_t{1} << 63) + 60,
                                   std::numeric_limits<std::size_t>::max()}) {
    constexpr std::size_t kVocabulary = 64;
    this->Expect(this->Random({1, kVocabulary, 4}), {.gap = stride - kVocabulary});
  }
}

/// Of the CPU form alone, whose calls meet no limit of a launch.
template <class Variant>
using ManyRows = FarRows<Variant>;
TYPED_TEST_SUITE(ManyRows, testing::Types<CpuF32>, VariantNames);

TYPED_TEST(ManyRows, RowsBeyond16Bits) {
  this->ExpectRandom({this->sanitized() ? 65'537U : 132'001U, 3, 2});
}

}  // namespace
}  // namespace assay::softmax_topk
