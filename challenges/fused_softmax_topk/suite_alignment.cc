// SPDX-License-Identifier: Apache-2.0
// Where buffers and rows lie: tag `alignment`. Rows begin at any multiple of a logit; what lies
// between them is uninitialised, and reading it is a finding. Other cases draw their layout at
// random; these go through them.

#include "suite_support.h"

namespace assay::softmax_topk {
namespace {

template <class Variant>
class Alignment : public VariantTest<Variant> {
 protected:
  void SetUp() override {
    VariantTest<Variant>::SetUp();
    this->template TagFor<Variant>({"alignment"});
  }
};
TYPED_TEST_SUITE(Alignment, Variants, VariantNames);

/// Every row begins elsewhere, dense as it is: loads of 16 bytes are misaligned in most.
TYPED_TEST(Alignment, DenseOddRows) {
  for (const std::size_t vocabulary : {257U, 1023U, 2050U}) {
    this->Expect(this->Random({9, vocabulary, 8}), {});
  }
}

TYPED_TEST(Alignment, EveryStart) {
  for (std::size_t offset = 1; offset < 9; ++offset) {
    this->Expect(this->Random({2, 512, 5}), {.logits_offset = offset});
  }
}

TYPED_TEST(Alignment, EveryStride) {
  for (std::size_t gap = 1; gap < 9; ++gap) {
    this->Expect(this->Random({5, 260, 5}), {.gap = gap, .stream_kind = 1});
  }
}

/// An odd start and an odd stride, which together are aligned in some rows alone.
TYPED_TEST(Alignment, StartsAndStridesTogether) {
  for (std::size_t i = 0; i < 8; ++i) {
    this->Expect(this->Random({8, 300 + i, 4}),
                 {.gap = (3 * i) % 8, .logits_offset = (5 * i + 1) % 8});
  }
}

TYPED_TEST(Alignment, RowsFarApart) {
  this->Expect(this->Random({3, 129, 8}), {.gap = 70'001, .logits_offset = 3});
}

TYPED_TEST(Alignment, OutputsAtAnyElement) {
  for (std::size_t offset = 1; offset < 5; ++offset) {
    this->Expect(this->Random({3, 400, 7}), {.outputs_offset = offset});
    this->Expect(this->Random({3, 400, 8}), {.logits_offset = 1, .outputs_offset = offset});
  }
}

/// Rows shorter than one vector, and as long as one with a start in the middle of it.
TYPED_TEST(Alignment, ShortRows) {
  for (std::size_t vocabulary = 1; vocabulary <= 9; ++vocabulary) {
    this->Expect(this->Random({7, vocabulary, 1}), {.logits_offset = vocabulary % 4});
  }
}

TYPED_TEST(Alignment, BothStreams) {
  for (const std::uint32_t kind : {0U, 1U, 0U, 1U, 1U, 0U}) {
    this->Expect(this->Random({4, 900, 8}), {.stream_kind = kind});
  }
}

}  // namespace
}  // namespace assay::softmax_topk
