// SPDX-License-Identifier: Apache-2.0
// Arithmetic narrower than float where the bound of the worst case is too wide to see it: tag
// `stability`. Many rows whose logits are drawn independently, so that the errors of their sums can
// be held against what chance makes of roundings (row_errors.h).

#include <random>

#include "suite_support.h"

namespace assay::softmax_topk {
namespace {

template <class Variant>
class Precision : public VariantTest<Variant> {
 protected:
  void SetUp() override {
    VariantTest<Variant>::SetUp();
    this->template TagFor<Variant>({"stability"});
    this->LogitsAreDrawn();
  }

  /// Of sizes that no call of a run before has had.
  std::size_t VocabularyFrom(std::size_t least, std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(least, most)(this->random());
  }
};
TYPED_TEST_SUITE(Precision, Variants, VariantNames);

/// Alone in its row a probability shows its sum's error and its own together.
TYPED_TEST(Precision, LargestAlone) {
  this->ExpectRandom({64, this->VocabularyFrom(1200, 2000), 1});
  this->ExpectRandom({16, this->VocabularyFrom(20'000, 30'000), 1});
}

TYPED_TEST(Precision, SumsOfLongRows) {
  this->ExpectRandom({32, this->VocabularyFrom(4000, 6000), 4});
  this->ExpectRandom({8, this->VocabularyFrom(40'000, 50'000), 8});
}

}  // namespace
}  // namespace assay::softmax_topk
