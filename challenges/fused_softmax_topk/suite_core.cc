// SPDX-License-Identifier: Apache-2.0
// What every entry point computes, on ordinary logits: tag `core`. Shapes are those at which tiles,
// warps and blocks begin and end.

#include <algorithm>
#include <numeric>

#include "suite_support.h"

namespace assay::softmax_topk {
namespace {

template <class Variant>
class Core : public VariantTest<Variant> {
 protected:
  void SetUp() override {
    VariantTest<Variant>::SetUp();
    this->template TagFor<Variant>({"core"});
  }
};
TYPED_TEST_SUITE(Core, Variants, VariantNames);

TYPED_TEST(Core, OneRow) { this->ExpectRandom({1, 1000, 5}); }
TYPED_TEST(Core, SeveralRows) { this->ExpectRandom({6, 700, 5}); }
TYPED_TEST(Core, LargestAlone) { this->ExpectRandom({5, 999, 1}); }

TYPED_TEST(Core, VocabulariesAroundAWarp) {
  for (const std::size_t vocabulary : {8U, 15U, 31U, 32U, 33U, 63U, 65U, 127U}) {
    this->ExpectRandom({3, vocabulary, 3});
  }
}

TYPED_TEST(Core, VocabulariesAroundABlock) {
  for (const std::size_t vocabulary : {255U, 256U, 257U, 511U, 1023U, 1024U, 1025U, 2047U, 4095U}) {
    this->ExpectRandom({2, vocabulary, 8});
  }
}

TYPED_TEST(Core, EveryKToEight) {
  for (std::size_t k = 1; k <= 8; ++k) {
    this->ExpectRandom({3, 300 + k, k});
  }
}

/// The data stay, k grows: the first of a longer list are those of a shorter one.
TYPED_TEST(Core, ShorterListsArePrefixes) {
  auto problem = this->Random({4, 1500, 8});
  for (const std::size_t k : {8U, 1U, 2U, 7U, 3U}) {
    problem.k = k;
    this->Expect(problem);
  }
}

/// All of a row, in order.
TYPED_TEST(Core, WholeRowsSorted) {
  for (std::size_t vocabulary = 1; vocabulary <= 8; ++vocabulary) {
    this->ExpectRandom({5, vocabulary, vocabulary});
  }
}

TYPED_TEST(Core, ManyRows) { this->ExpectRandom({300, 130, 4}); }

/// A model's vocabulary, but for its tail.
TYPED_TEST(Core, Vocabulary32000) { this->ExpectRandom({2, 32'000, 5}); }

/// Logits far apart: the sum has a few terms, and its bound is a few roundings wide.
TYPED_TEST(Core, PeakedRows) { this->ExpectRandom({8, 1200, 8}, {.scale = 12}); }

}  // namespace
}  // namespace assay::softmax_topk
