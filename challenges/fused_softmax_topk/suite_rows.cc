// SPDX-License-Identifier: Apache-2.0
// Several rows in a call: tag `rows`. Each is one that a warp can hold, so that a block may have
// several of them; they must not mix, and each begins where its stride says. Strides leave rows
// aligned to 16 bytes; what lies between rows is uninitialised, and reading it is a finding.

#include <algorithm>
#include <cstddef>

#include "suite_support.h"

namespace assay::softmax_topk {
namespace {

template <class Variant>
class Rows : public VariantTest<Variant> {
 protected:
  using Logit = typename Variant::Logit;

  void SetUp() override {
    VariantTest<Variant>::SetUp();
    this->template TagFor<Variant>({"rows"});
  }

  /// Rows of which each has its own level of logits, and winners of its own.
  void ExpectRowsApart(Shape shape) {
    auto problem = this->Random(shape);
    for (std::size_t i = 0; i < problem.logits.size(); ++i) {
      const std::size_t row = i / shape.vocabulary;
      // Neighbours differ by more than any logit within a row does, up and down in turn.
      const double level = row % 2 == 0 ? static_cast<double>(row) : -20 - static_cast<double>(row);
      problem.logits[i] = Nearest<Logit>(static_cast<double>(ToFloat(problem.logits[i])) + level);
    }
    this->Expect(problem);
  }
};
TYPED_TEST_SUITE(Rows, Variants, VariantNames);

TYPED_TEST(Rows, TwoRows) {
  for (int i = 0; i < 4; ++i) {
    this->ExpectRandom({2, kPlainVocabulary, 5});
  }
}
TYPED_TEST(Rows, SeveralRows) { this->ExpectRandom({6, kPlainVocabulary, 5}); }
TYPED_TEST(Rows, ManyRows) { this->ExpectRandom({300, 64, 4}); }
TYPED_TEST(Rows, LargestOfEach) { this->ExpectRandom({70, 32, 1}); }

/// From one more than a block has warps down to two.
TYPED_TEST(Rows, RowsToNine) {
  for (std::size_t rows = 2; rows <= 9; ++rows) {
    this->ExpectRowsApart({rows, 64, 5});
  }
}
TYPED_TEST(Rows, Rows33) { this->ExpectRowsApart({33, kPlainVocabulary, 8}); }
TYPED_TEST(Rows, Rows64) { this->ExpectRowsApart({64, kPlainVocabulary, 5}); }
TYPED_TEST(Rows, Rows257) { this->ExpectRowsApart({257, 40, 2}); }

/// The same winners in all rows but one.
TYPED_TEST(Rows, OneRowUnlikeTheOthers) {
  for (std::size_t odd = 0; odd < 8; ++odd) {
    const auto row = this->Random({1, kPlainVocabulary, 6});
    Problem<typename TestFixture::Logit> problem{.rows = 8, .vocabulary = row.vocabulary, .k = 6};
    for (std::size_t i = 0; i < 8; ++i) {
      problem.logits.insert(problem.logits.end(), row.logits.begin(), row.logits.end());
    }
    std::reverse(problem.logits.begin() + static_cast<std::ptrdiff_t>(odd * row.vocabulary),
                 problem.logits.begin() + static_cast<std::ptrdiff_t>((odd + 1) * row.vocabulary));
    this->Expect(problem);
  }
}

TYPED_TEST(Rows, Strides) {
  for (const std::size_t gap : {8U, 16U, 24U, 160U}) {
    this->Expect(this->Random({5, 64, 5}), {.gap = gap});
  }
}

TYPED_TEST(Rows, FarApart) { this->Expect(this->Random({3, 64, 8}), {.gap = 70'000}); }

}  // namespace
}  // namespace assay::softmax_topk
