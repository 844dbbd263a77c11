// SPDX-License-Identifier: Apache-2.0
// Where a row's buffers begin and end: tag `alignment`. A row begins at any multiple of a logit and
// has any length; what lies behind it is not the caller's. Single rows that a warp can hold; how
// rows lie to each other is for suite_rows.cc and suite_combinations.cc.

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

TYPED_TEST(Alignment, EveryStart) {
  for (std::size_t offset = 1; offset < 9; ++offset) {
    this->Expect(this->Random({1, 64, 5}), {.logits_offset = offset});
  }
}

/// Aligned, and no whole number of vectors.
TYPED_TEST(Alignment, OddLengths) {
  for (const std::size_t vocabulary : {9U, 15U, 31U, 33U, 45U, 63U, 65U, 79U, 91U}) {
    this->Expect(this->Random({1, vocabulary, 5}));
  }
}

/// An odd start and an odd length, which together end where a vector does in some rows alone.
TYPED_TEST(Alignment, StartsAndLengthsTogether) {
  for (std::size_t i = 0; i < 8; ++i) {
    this->Expect(this->Random({1, 60 + i, 4}), {.logits_offset = (5 * i + 1) % 8});
  }
}

/// Rows shorter than one vector, and as long as one with a start in the middle of it.
TYPED_TEST(Alignment, ShortRows) {
  for (std::size_t vocabulary = 1; vocabulary <= 9; ++vocabulary) {
    this->Expect(this->Random({1, vocabulary, 1}), {.logits_offset = vocabulary % 4});
  }
}

TYPED_TEST(Alignment, OutputsAtAnyElement) {
  for (std::size_t offset = 1; offset < 5; ++offset) {
    this->Expect(this->Random({1, 64, 7}), {.outputs_offset = offset});
    this->Expect(this->Random({1, 64, 8}), {.outputs_offset = offset});
  }
}

}  // namespace
}  // namespace assay::softmax_topk
