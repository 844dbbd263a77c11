// SPDX-License-Identifier: Apache-2.0
// Logits at which a careless exponential or sum fails: tag `stability`. Bounds are the oracle's.
// Single rows that a warp can hold, and longer ones, with their winners in one warp, where the sum
// of many terms is what the case is about.

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "suite_special_logits.h"
#include "suite_support.h"

namespace assay::softmax_topk {
namespace {

template <class Variant>
class Stability : public VariantTest<Variant> {
 protected:
  using Logit = typename Variant::Logit;
  /// Of the type's numbers, all but the largest.
  static constexpr double kHuge = std::is_same_v<Logit, Half> ? 65'000 : 3e38;
  /// A row of so many logits ends with 32 places of the first warp (WinnersInOneWarp).
  static constexpr std::size_t kLong = std::size_t{15} * 1024 + 32;

  void SetUp() override {
    VariantTest<Variant>::SetUp();
    this->template TagFor<Variant>({"stability"});
    this->NotesMassErrors();
  }

  void ExpectRow(const std::vector<double>& logits, std::size_t k) {
    this->Expect(this->Row(logits, k));
  }
};
TYPED_TEST_SUITE(Stability, Variants, VariantNames);

/// exp(88) is 1.7e38, a sum of three of them is infinite in float; exp(-100) is denormal.
TYPED_TEST(Stability, Near88) {
  this->ExpectRandom({1, kPlainVocabulary, 8}, {.offset = 88});
  this->ExpectRandom({1, kPlainVocabulary, 8}, {.offset = -100});
}

TYPED_TEST(Stability, BeyondTheRangeOfExp) {
  this->ExpectRandom({1, kPlainVocabulary, 5}, {.offset = 1e4, .scale = 20});
  this->ExpectRandom({1, kPlainVocabulary, 5}, {.offset = -1e4, .scale = 20});
  this->ExpectRow({88.8, 88.7, 88.5, 80, -3, 0, 88.6, -60}, 3);
  this->ExpectRow({-88.8, -88.7, -103.9, -104.1, -110, -200, -89, -300}, 3);
}

TYPED_TEST(Stability, OneHugeLogit) {
  for (const double huge : {TestFixture::kHuge, -TestFixture::kHuge}) {
    for (const std::size_t at : {0U, 40U, 95U}) {
      auto problem = this->Random({1, kPlainVocabulary, 3});
      problem.logits[at] = this->Near(huge);
      this->Expect(problem);
    }
  }
}

TYPED_TEST(Stability, ExtremeSpread) {
  this->ExpectRow({1000, -1000, 0, 999, -this->kHuge, -1000, 2, 3}, 4);
  this->ExpectRow({-this->kHuge, this->kHuge, -this->kHuge, 0, 1, 2, 3, 4}, 5);
}

/// The winners are further above the rest than any number is large: the difference is infinite, and
/// half of it is no number between them.
TYPED_TEST(Stability, SpreadBeyondTheLargestNumber) {
  for (const std::size_t vocabulary : {kPlainVocabulary, std::size_t{4096}, TestFixture::kLong}) {
    for (const std::size_t winners : {1U, 4U, 8U}) {
      auto problem = this->Constant({1, vocabulary, winners}, -this->kHuge);
      for (std::size_t i = 0; i < winners; ++i) {
        problem.logits[10 + i] = this->Near(this->kHuge * (1 - 0.01 * static_cast<double>(i)));
      }
      this->Expect(problem);
    }
  }
}

/// x - m is zero, however large both are.
TYPED_TEST(Stability, AllEqual) {
  for (const double value : {0.0, 1.0, -1e4, 1e4, -this->kHuge, this->kHuge}) {
    this->Expect(this->Constant({1, kPlainVocabulary, 8}, value));
  }
}

/// The first of 65,536 equal ones: what they sum up to is exact.
TYPED_TEST(Stability, LongRowOfEqualLogits) { this->Expect(this->Constant({1, 65'536, 3}, 0.7)); }

/// A running maximum changes with every logit.
TYPED_TEST(Stability, Ascending) {
  std::vector<double> row(this->kLong);
  std::iota(row.begin(), row.end(), 0);
  std::ranges::for_each(row, [](double& x) { x *= 1e-3; });
  this->ExpectRow(row, 8);
}

TYPED_TEST(Stability, Descending) {
  std::vector<double> row(this->kLong);
  std::iota(row.rbegin(), row.rend(), -8000);
  std::ranges::for_each(row, [](double& x) { x *= 1e-3; });
  this->ExpectRow(row, 8);
}

/// The maximum grows by 30 late: what was summed before must shrink by exp(-30), not stay.
TYPED_TEST(Stability, LateMaximum) {
  for (const double height : {3.0, 30.0, 300.0}) {
    for (const std::size_t at : {5U, 40U, 70U, 95U}) {
      auto problem = this->Random({1, kPlainVocabulary, 4});
      problem.logits[at] = this->Near(height);
      this->Expect(problem);
    }
  }
}

/// Rising by one, in steps of a warp and of a block: each thread's maximum is another. The largest
/// are all the fifth thread's.
TYPED_TEST(Stability, MaximumOfEachThreadIsAnother) {
  std::vector<double> row(2048);
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::size_t period = i / 256;
    row[i] = static_cast<double>((i * 37 + 70) % 256) / 8 - 16 + static_cast<double>(period) * 1e-2;
  }
  this->ExpectRow(row, 8);
}

/// Masked as models mask: with -infinity.
TYPED_TEST(Stability, MaskedTail) {
  for (const std::size_t open : {1U, 5U, 31U, 64U}) {
    auto problem = this->Random({1, kPlainVocabulary, 8});
    std::ranges::fill(std::span(problem.logits).subspan(open), this->Near(-kInfinity));
    this->Expect(problem);
  }
}

/// What a warp and a block meet first is masked: exp(-inf - -inf) is NaN.
TYPED_TEST(Stability, MaskedHead) {
  for (const std::size_t masked : {1U, 31U, 32U, 64U, 90U}) {
    auto problem = this->Random({1, kPlainVocabulary, 8});
    std::fill_n(problem.logits.begin(), masked, this->Near(-kInfinity));
    this->Expect(problem);
  }
}

TYPED_TEST(Stability, MaskedAtRandom) {
  for (int i = 0; i < 4; ++i) {
    auto problem = this->Random({1, kPlainVocabulary, 8});
    for (auto& logit : problem.logits) {
      if (this->random()() % 8 != 0) {
        logit = this->Near(-kInfinity);
      }
    }
    this->Expect(problem);
  }
}

TYPED_TEST(Stability, OneFiniteLogit) {
  for (const std::size_t at : {0U, 31U, 60U, 95U}) {
    auto problem = this->Constant({1, kPlainVocabulary, 5}, -kInfinity);
    problem.logits[at] = this->Near(at == 31 ? -this->kHuge : 2.5);
    this->Expect(problem);
  }
}

/// Probabilities of 1e-41 and 1e-44, which may be flushed to zero, among larger ones.
TYPED_TEST(Stability, DenormalProbabilities) {
  this->ExpectRow({0, -95, -101.5, -87, -86, -3, -104, -104.5}, 7);
  this->ExpectRow({-95, 0, -95, -95, -95.5, -96, -97, -98}, 4);
}

/// The sum is of many small terms beside one of 1.
TYPED_TEST(Stability, HeavyTail) {
  auto problem = this->Constant({1, 20'000, 2}, -10);
  problem.logits[std::size_t{12} * 1024 + 17] = this->Near(0);
  this->Expect(problem);
}

/// Nothing in the sum is lost to a narrower type: 1 + 4095 terms of 2^-11.5.
TYPED_TEST(Stability, SumsInFloat) {
  for (const std::size_t at : {7U, 3U * 1024 + 30U}) {
    auto problem = this->Constant({1, 4096, 4}, -8);
    problem.logits[at] = this->Near(0);
    this->Expect(problem);
  }
}

}  // namespace
}  // namespace assay::softmax_topk
