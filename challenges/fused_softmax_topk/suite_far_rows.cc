// SPDX-License-Identifier: Apache-2.0
// Rows whose offsets or numbers are beyond what an integer holds: tag `rows`. All else is plain,
// and only a few rows are touched of the memory that lies between them.

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "suite_support.h"

namespace assay::softmax_topk {
namespace {

constexpr std::size_t kBeyond16Bits = 65'537;

/// How many rows like these the emulator executes in so many warp instructions, from one on.
std::size_t AffordableRows(const Outputs& of_rows, std::size_t rows,
                           std::uint64_t most_warp_instructions) {
  std::uint64_t warp_instructions = 1;
  for (const gpu::LaunchReport& launch : of_rows.launches) {
    warp_instructions += launch.counters.warp_instructions;
  }
  return std::max<std::size_t>(1, most_warp_instructions * rows / warp_instructions);
}

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
  constexpr std::size_t kSample = 1024;
  const auto sample = this->Random({kSample, 2, 1});
  this->Expect(sample);
  if (this->sanitized()) {
    return;
  }
  const Outputs got = this->template Run<TypeParam>(this->SchedulesUsed().front(), sample, {});
  this->ExpectRandom({std::min(kBeyond16Bits, AffordableRows(got, kSample, 45'000'000)), 2, 1});
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
  this->ExpectRandom({this->sanitized() ? kBeyond16Bits : 132'001U, 3, 2});
}

class Large : public SoftmaxTopkTest {
 protected:
  void SetUp() override {
    SoftmaxTopkTest::SetUp();
    Tag({"rows"});
  }

  /// How many rows of two logits have so many blocks, by what some of them have: `blocks` at least,
  /// and no more than have 16 rows a block, or than the emulator executes within seconds.
  std::size_t RowsForBlocks(std::size_t blocks) {
    constexpr std::size_t kSample = 4096;
    const Outputs sample =
        Run<F32>(SchedulesUsed().front(), RandomProblem<float>(random(), {kSample, 2, 1}), {});
    std::size_t sample_blocks = 1;
    for (const gpu::LaunchReport& launch : sample.launches) {
      const auto [x, y, z] = launch.grid;
      sample_blocks = std::max(sample_blocks, std::size_t{x} * y * z);
    }
    return std::max(blocks, std::min({blocks * kSample / sample_blocks, 16 * blocks,
                                      AffordableRows(sample, kSample, 300'000'000)}));
  }
};

/// More rows than 16 bits count, which is the limit of a grid's y and z; and more blocks, where
/// several rows share one and the emulator takes seconds for it, not a minute. A right kernel of
/// many instructions a block can meet the limit of a launch here, so the verdict does not hang on
/// it.
TEST_F(Large, MoreRowsThanAGridHasInY) {
  DoesNotGate();
  UseOneSchedule();
  ExpectRight<F32>(RandomProblem<float>(random(), {RowsForBlocks(kBeyond16Bits), 2, 1}), {});
}

/// rows * row_stride beyond 2^31: few rows, far apart, on memory that is there where it is touched.
TEST_F(Large, OffsetsBeyond31Bits) {
  if (OnRealGpu()) {
    Skip("needs 10.7 GB of device memory, which is real there");
  }
  constexpr std::size_t kVocabulary = 64;
  constexpr std::size_t kStride = (std::size_t{1} << 29) + 4;
  ExpectRight<F32>(RandomProblem<float>(random(), {6, kVocabulary, 5}),
                   {.gap = kStride - kVocabulary});
}

}  // namespace
}  // namespace assay::softmax_topk
