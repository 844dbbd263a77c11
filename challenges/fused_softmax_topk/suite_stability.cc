// SPDX-License-Identifier: Apache-2.0
// Logits at which a careless exponential or sum fails: tag `stability`. Bounds are the oracle's.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "suite_support.h"

namespace assay::softmax_topk {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class Variant>
class Stability : public VariantTest<Variant> {
 protected:
  using Logit = typename Variant::Logit;
  /// Of the type's numbers, all but the largest.
  static constexpr double kHuge = std::is_same_v<Logit, Half> ? 65'000 : 3e38;

  void SetUp() override {
    VariantTest<Variant>::SetUp();
    this->template TagFor<Variant>({"stability"});
  }

  void ExpectRow(const std::vector<double>& logits, std::size_t k) {
    this->Expect(this->Row(logits, k));
  }
};
TYPED_TEST_SUITE(Stability, Variants, VariantNames);

/// exp(80) is 5e34, a sum of 10,000 of them is infinite in float.
TYPED_TEST(Stability, Near80) {
  this->ExpectRandom({3, 10'001, 8}, {.offset = 80});
  this->ExpectRandom({3, 500, 8}, {.offset = -80});
}

TYPED_TEST(Stability, BeyondTheRangeOfExp) {
  this->ExpectRandom({4, 400, 5}, {.offset = 1e4, .scale = 20});
  this->ExpectRandom({4, 400, 5}, {.offset = -1e4, .scale = 20});
  this->ExpectRow({88.8, 88.7, 88.5, 80, -3, 0}, 3);
  this->ExpectRow({-88.8, -88.7, -103.9, -104.1, -110, -200}, 3);
}

TYPED_TEST(Stability, OneHugeLogit) {
  for (const std::size_t at : {0U, 100U, 298U}) {
    auto problem = this->Random({2, 299, 3});
    problem.logits[at] = this->Near(this->kHuge);
    problem.logits[299 + at] = this->Near(-this->kHuge);
    this->Expect(problem);
  }
}

TYPED_TEST(Stability, ExtremeSpread) {
  this->ExpectRow({1000, -1000, 0, 999, -this->kHuge, -1000}, 4);
  this->ExpectRow({-this->kHuge, this->kHuge, -this->kHuge, 0, 1}, 5);
}

/// x - m is zero, however large both are.
TYPED_TEST(Stability, AllEqual) {
  for (const double value : {0.0, 1.0, -1e4, 1e4, -this->kHuge, this->kHuge}) {
    this->Expect(this->Constant({2, 1000, 8}, value));
  }
  this->Expect(this->Constant({1, 65'536, 3}, 0.7));
}

/// A running maximum changes with every logit.
TYPED_TEST(Stability, Ascending) {
  std::vector<double> row(16'000);
  std::iota(row.begin(), row.end(), 0);
  std::ranges::for_each(row, [](double& x) { x *= 1e-3; });
  this->ExpectRow(row, 8);
}

TYPED_TEST(Stability, Descending) {
  std::vector<double> row(16'000);
  std::iota(row.rbegin(), row.rend(), -8000);
  std::ranges::for_each(row, [](double& x) { x *= 1e-3; });
  this->ExpectRow(row, 8);
}

/// The maximum grows by 30 late: what was summed before must shrink by exp(-30), not stay.
TYPED_TEST(Stability, LateMaximum) {
  for (const double height : {3.0, 30.0, 300.0}) {
    auto problem = this->Random({4, 1111, 4});
    for (std::size_t row = 0; row < 4; ++row) {
      problem.logits[row * 1111 + 1110 - 300 * row] = this->Near(height);
    }
    this->Expect(problem);
  }
}

/// Rising by one, in steps of a warp and of a block: each thread's maximum is another.
TYPED_TEST(Stability, MaximumOfEachThreadIsAnother) {
  std::vector<double> row(2048);
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::size_t period = i / 256;
    row[i] = static_cast<double>(i * 37 % 256) / 8 - 16 + static_cast<double>(period) * 1e-2;
  }
  this->ExpectRow(row, 8);
}

/// Masked as models mask: with -infinity.
TYPED_TEST(Stability, MaskedTail) {
  for (const std::size_t open : {1U, 5U, 31U, 500U}) {
    auto problem = this->Random({3, 600, 8});
    for (std::size_t row = 0; row < 3; ++row) {
      std::fill_n(problem.logits.begin() + static_cast<std::ptrdiff_t>(row * 600 + open),
                  600 - open, this->Near(-kInfinity));
    }
    this->Expect(problem);
  }
}

/// Threads and whole tiles that see -infinity alone: (-inf) - (-inf) is NaN.
TYPED_TEST(Stability, MaskedHead) {
  for (const std::size_t masked : {1U, 32U, 257U, 1024U, 2040U}) {
    auto problem = this->Random({3, 2048, 8});
    for (std::size_t row = 0; row < 3; ++row) {
      std::fill_n(problem.logits.begin() + static_cast<std::ptrdiff_t>(row * 2048), masked,
                  this->Near(-kInfinity));
    }
    this->Expect(problem);
  }
}

TYPED_TEST(Stability, MaskedAtRandom) {
  auto problem = this->Random({5, 1500, 8});
  for (auto& logit : problem.logits) {
    if (this->random()() % 16 != 0) {
      logit = this->Near(-kInfinity);
    }
  }
  this->Expect(problem);
}

TYPED_TEST(Stability, OneFiniteLogit) {
  for (const std::size_t at : {0U, 31U, 300U, 511U}) {
    auto problem = this->Constant({1, 512, 5}, -kInfinity);
    problem.logits[at] = this->Near(at == 31 ? -this->kHuge : 2.5);
    this->Expect(problem);
  }
}

/// Probabilities of 1e-41 and 1e-44, which may be flushed to zero, among larger ones.
TYPED_TEST(Stability, DenormalProbabilities) {
  this->ExpectRow({0, -95, -101.5, -87, -86, -3, -104}, 7);
  this->ExpectRow({-95, 0, -95, -95, -95.5, -96}, 4);
}

/// The sum is of many small terms beside one of 1.
TYPED_TEST(Stability, HeavyTail) {
  auto problem = this->Constant({1, 20'000, 2}, -10);
  problem.logits[12'345] = this->Near(0);
  this->Expect(problem);
}

/// Nothing in the sum is lost to a narrower type: 1 + 4095 terms of 2^-11.5.
TYPED_TEST(Stability, SumsInFloat) {
  auto problem = this->Constant({2, 4096, 4}, -8);
  problem.logits[7] = this->Near(0);
  problem.logits[4096 + 4000] = this->Near(0);
  this->Expect(problem);
}

}  // namespace
}  // namespace assay::softmax_topk
