// SPDX-License-Identifier: Apache-2.0
// Rows whose offsets or numbers are beyond what an integer holds: tag `rows`. All else is plain,
// and only a few rows are touched of the memory that lies between them.

#include <cstddef>

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
};
TYPED_TEST_SUITE(FarRows, DeviceVariants, VariantNames);

/// Each form has offsets of its own; and what fits 32 bits without a sign goes wrong only here.
TYPED_TEST(FarRows, OffsetsBeyond32Bits) {
  if (TestFixture::OnRealGpu()) {
    this->Skip("needs 17.2 GB of device memory, which is real there");
  }
  constexpr std::size_t kVocabulary = 64;
  constexpr std::size_t kStride = (std::size_t{1} << 30) + 8;
  this->Expect(this->Random({5, kVocabulary, 5}), {.gap = kStride - kVocabulary});
}

/// All of a call's elements just fit 32 bits with a sign, and their bytes do not fit without one:
/// f32 must not refuse it.
TYPED_TEST(FarRows, BytesBeyond32Bits) {
  if (TestFixture::OnRealGpu()) {
    this->Skip("needs 4.3 GB of device memory, which is real there");
  }
  constexpr std::size_t kVocabulary = 64;
  constexpr std::size_t kStride = (std::size_t{1} << 30) - 8;
  this->Expect(this->Random({2, kVocabulary, 5}), {.gap = kStride - kVocabulary});
}

template <class Variant>
using OneRow = FarRows<Variant>;
TYPED_TEST_SUITE(OneRow, Variants, VariantNames);

/// No second row begins anywhere, so that a stride says nothing. f32 must not refuse the first.
TYPED_TEST(OneRow, OfAnyStride) {
  for (const int exponent : {30, 31, 33, 40}) {
    constexpr std::size_t kVocabulary = 64;
    const std::size_t stride = std::size_t{1} << exponent;
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
