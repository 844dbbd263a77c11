// SPDX-License-Identifier: Apache-2.0
// What every entry point computes, on ordinary logits of one row that a warp can hold: tag `core`.

#include "suite_support.h"

namespace assay::softmax_topk {
namespace {

template <class Variant>
class Core : public VariantTest<Variant> {
 protected:
  void SetUp() override {
    VariantTest<Variant>::SetUp();
    this->template TagFor<Variant>({"core"});
    this->JudgesVersions();
  }
};
TYPED_TEST_SUITE(Core, Variants, VariantNames);

TYPED_TEST(Core, OneRow) { this->ExpectRandom({1, kPlainVocabulary, 5}); }
TYPED_TEST(Core, LargestAlone) {
  for (int i = 0; i < 8; ++i) {
    this->ExpectRandom({1, kPlainVocabulary, 1});
  }
}

TYPED_TEST(Core, PartsOfAWarp) {
  for (const std::size_t vocabulary : {8U, 16U, 24U, 32U, 40U, 64U, 72U}) {
    this->ExpectRandom({1, vocabulary, 3});
  }
}

TYPED_TEST(Core, EveryKToEight) {
  for (std::size_t k = 1; k <= 8; ++k) {
    this->ExpectRandom({1, 64, k});
  }
}

/// The data stay, k grows: the first of a longer list are those of a shorter one.
TYPED_TEST(Core, ShorterListsArePrefixes) {
  auto problem = this->Random({1, kPlainVocabulary, 8});
  for (const std::size_t k : {8U, 1U, 2U, 7U, 3U}) {
    problem.k = k;
    this->Expect(problem);
  }
}

/// All of a row, in order.
TYPED_TEST(Core, WholeRowsSorted) {
  for (const std::size_t vocabulary : {4U, 8U}) {
    for (int i = 0; i < 4; ++i) {
      this->ExpectRandom({1, vocabulary, vocabulary});
    }
  }
}

TYPED_TEST(Core, ManyDraws) {
  for (int i = 0; i < 12; ++i) {
    this->ExpectRandom({1, kPlainVocabulary, 8}, {.offset = i % 3 * 4.0 - 4});
  }
}

/// Logits far apart: the sum has a few terms, and its bound is a few roundings wide.
TYPED_TEST(Core, PeakedRows) {
  for (int i = 0; i < 8; ++i) {
    this->ExpectRandom({1, kPlainVocabulary, 8}, {.scale = 12});
  }
}

}  // namespace
}  // namespace assay::softmax_topk
