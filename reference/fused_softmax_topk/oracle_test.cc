// SPDX-License-Identifier: Apache-2.0
#include "oracle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

namespace assay::softmax_topk {
namespace {

using Real = long double;
using testing::Each;
using testing::ElementsAre;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Problem<float> RowOf(std::vector<float> logits, std::size_t k) {
  const std::size_t vocabulary = logits.size();
  return {.rows = 1, .vocabulary = vocabulary, .k = k, .logits = std::move(logits)};
}

std::vector<float> NormalRow(std::size_t count, double deviation, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, deviation);
  std::vector<float> row(count);
  std::ranges::generate(row, [&] { return static_cast<float>(normal(random)); });
  return row;
}

/// Softmax in float, one element after the other: how it treats the maximum, and in what order.
enum class Way {
  kThreePasses,     ///< The maximum first.
  kPairwise,        ///< The same, summed in a tree.
  kOnline,          ///< A running maximum, with rescales.
  kOnlineBackward,  ///< The same from the last element.
  kLanes,           ///< 256 running sums that are merged.
  kLogarithm,       ///< exp(x - m - ln S)
  kApproximate,     ///< Online, with exponentials that are 2 ulp too large.
  kNoMaximum,       ///< Wrong: overflows.
  kHalfSum,         ///< Wrong: the sum is kept in 10 bits.
  kLastLost,        ///< Wrong: the sum lacks the last element.
  kMaximumLate,     ///< Wrong: online without the rescale.
};

float RoundedToTenBits(float value) { return ToFloat(Nearest<Half>(value)); }

struct Partial {
  float maximum = -kInfinity;
  float sum = 0;
  float exponential_error = 0;  ///< Relative.
  float Exp(float x) const { return x == 0 ? 1 : std::exp(x) * (1 + exponential_error); }
  void Add(float x) { Merge({.maximum = x, .sum = 1}); }
  void Merge(const Partial& other) {
    if (other.maximum == -kInfinity) {
      return;
    }
    const float larger = std::max(maximum, other.maximum);
    sum = sum * Exp(maximum - larger) + other.sum * Exp(other.maximum - larger);
    maximum = larger;
  }
};

float TreeSum(std::span<const float> terms) {
  return terms.size() == 1
             ? terms[0]
             : TreeSum(terms.first(terms.size() / 2)) + TreeSum(terms.subspan(terms.size() / 2));
}

Partial Online(const std::vector<float>& row, Way way) {
  Partial total;
  switch (way) {
    case Way::kOnline:
      std::ranges::for_each(row, [&](float x) { total.Add(x); });
      break;
    case Way::kApproximate:
      total.exponential_error = 0x1p-22F;
      std::ranges::for_each(row, [&](float x) { total.Add(x); });
      break;
    case Way::kOnlineBackward:
      std::for_each(row.rbegin(), row.rend(), [&](float x) { total.Add(x); });
      break;
    case Way::kLanes: {
      std::vector<Partial> lanes(256);
      for (std::size_t i = 0; i < row.size(); ++i) {
        lanes[i % lanes.size()].Add(row[i]);
      }
      std::ranges::for_each(lanes, [&](const Partial& lane) { total.Merge(lane); });
      break;
    }
    default:
      for (const float x : row) {
        total.maximum = std::max(total.maximum, x);
        total.sum += std::exp(x - total.maximum);
      }
  }
  return total;
}

Partial SumOf(const std::vector<float>& row, Way way) {
  Partial total{.maximum = way == Way::kNoMaximum ? 0 : std::ranges::max(row), .sum = 0};
  std::vector<float> terms(row.size());
  std::ranges::transform(row, terms.begin(), [&](float x) { return std::exp(x - total.maximum); });
  switch (way) {
    case Way::kOnline:
    case Way::kOnlineBackward:
    case Way::kApproximate:
    case Way::kLanes:
    case Way::kMaximumLate:
      return Online(row, way);
    case Way::kPairwise:
      total.sum = TreeSum(terms);
      break;
    case Way::kHalfSum:
      for (const float term : terms) {
        total.sum = RoundedToTenBits(total.sum + term);
      }
      break;
    default:
      total.sum =
          std::accumulate(terms.begin(), terms.end() - (way == Way::kLastLost ? 1 : 0), 0.0F);
  }
  return total;
}

/// Worst |error| over bound of the k first.
double ErrorOverBound(const std::vector<float>& row, std::size_t k, Way way) {
  const Answer answer = Solve(RowOf(row, k));
  const Partial total = SumOf(row, way);
  double worst = 0;
  for (std::size_t i = 0; i < k; ++i) {
    const float x = row[static_cast<std::size_t>(answer.indices[i])];
    const float p = way == Way::kLogarithm ? std::exp(x - total.maximum - std::log(total.sum))
                                           : std::exp(x - total.maximum) / total.sum;
    const Real error = std::abs(p - answer.probabilities[i]);
    const double ratio = static_cast<double>(error / answer.bounds[i]);
    // A NaN is the worst, whatever comes after it.
    worst = std::isnan(ratio) ? std::numeric_limits<double>::infinity() : std::max(worst, ratio);
  }
  return worst;
}

TEST(Select, LargestFirst) {
  EXPECT_THAT(Select(std::vector<float>{1, 5, -2, 4, 3}, 3), ElementsAre(1, 3, 4));
}

TEST(Select, EqualOnesByLowerIndex) {
  EXPECT_THAT(Select(std::vector<float>{2, 7, 2, 7, 7, 2}, 5), ElementsAre(1, 3, 4, 0, 2));
}

TEST(Select, NegativeZeroEqualsPositiveZero) {
  EXPECT_THAT(Select(std::vector<float>{-0.0F, 0.0F, -0.0F, -1, 0.0F}, 4), ElementsAre(0, 1, 2, 4));
}

TEST(Select, NanComesLastWhateverItsSign) {
  EXPECT_THAT(Select(std::vector<float>{kNan, -kInfinity, -kNan, 3, kInfinity}, 5),
              ElementsAre(4, 3, 1, 0, 2));
}

TEST(Select, NeighboursOfOneUlp) {
  const float x = 1e6F;
  EXPECT_THAT(
      Select(std::vector<float>{x, std::nextafter(x, kInfinity), std::nextafter(x, 0.0F)}, 3),
      ElementsAre(1, 0, 2));
}

TEST(Select, AgreesWithASortByValueThenIndex) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 20; ++round) {
    std::vector<float> row(300);
    std::ranges::generate(row,
                          [&] { return static_cast<float>(static_cast<int>(random() % 21) - 10); });
    std::vector<std::int32_t> want(row.size());
    std::iota(want.begin(), want.end(), 0);
    std::ranges::sort(want, std::less<>(), [&](std::int32_t i) {
      return std::pair(-row[static_cast<std::size_t>(i)], i);
    });
    want.resize(77);
    EXPECT_EQ(Select(row, 77), want);
  }
}

TEST(Solve, AgainstLongDouble) {
  const std::vector<float> row = NormalRow(999, 3, 1);
  const Answer answer = Solve(RowOf(row, 999));
  const Real maximum = std::ranges::max(row);
  Real sum = 0;
  for (const float x : row) {
    sum += std::exp(x - maximum);
  }
  for (std::size_t i = 0; i < row.size(); ++i) {
    const Real want = std::exp(row[static_cast<std::size_t>(answer.indices[i])] - maximum) / sum;
    EXPECT_NEAR(static_cast<double>(answer.probabilities[i] / want), 1, 1e-14);
    EXPECT_LT(1e-8 * want, answer.bounds[i]);
  }
}

TEST(Solve, ByHand) {
  const float log_of_3 = std::log(3.0F);
  const Answer answer = Solve(RowOf({0, log_of_3, -kInfinity}, 3));
  EXPECT_THAT(answer.indices, ElementsAre(1, 0, 2));
  EXPECT_NEAR(static_cast<double>(answer.probabilities[0]), 0.75, 1e-7);
  EXPECT_NEAR(static_cast<double>(answer.probabilities[1]), 0.25, 1e-7);
  EXPECT_EQ(answer.probabilities[2], 0);
  EXPECT_EQ(answer.bounds[2], 0);
}

TEST(Solve, EachRowForItself) {
  const Problem<float> problem{.rows = 3, .vocabulary = 2, .k = 1, .logits = {1, 2, kNan, 0, 9, 9}};
  const Answer answer = Solve(problem);
  EXPECT_THAT(answer.indices, ElementsAre(1, 1, 0));
  EXPECT_NEAR(static_cast<double>(answer.probabilities[0]), 1 / (1 + std::exp(-1.0)), 1e-15);
  EXPECT_TRUE(std::isnan(answer.probabilities[1]));
  EXPECT_EQ(answer.probabilities[2], 0.5L);
}

TEST(Solve, SpecialRowsAreNan) {
  for (const std::vector<float>& row :
       {std::vector<float>{1, kNan, 2}, std::vector<float>{1, kInfinity, 2},
        std::vector<float>{-kInfinity, -kInfinity}}) {
    const Answer answer = Solve(RowOf(row, row.size()));
    EXPECT_TRUE(std::ranges::all_of(answer.probabilities, [](Real p) { return std::isnan(p); }));
    EXPECT_THAT(answer.bounds, Each(0));
  }
  EXPECT_THAT(Solve(RowOf({-kInfinity, -kInfinity, -kInfinity}, 2)).indices, ElementsAre(0, 1));
}

TEST(Solve, OneFiniteLogitHasAll) {
  const Answer answer = Solve(RowOf({-kInfinity, -3e38F, -kInfinity}, 2));
  EXPECT_THAT(answer.indices, ElementsAre(1, 0));
  EXPECT_THAT(answer.probabilities, ElementsAre(1, 0));
}

TEST(Solve, EmptyAsked) {
  EXPECT_TRUE(Solve(RowOf({1, 2}, 0)).indices.empty());
  EXPECT_TRUE(Solve(Problem<Half>{.rows = 0, .vocabulary = 4, .k = 2}).indices.empty());
}

TEST(Solve, HalfTypesByTheirValues) {
  const Problem<Half> half{
      .rows = 1, .vocabulary = 4, .k = 4, .logits = {{0x3c00}, {0xfc00}, {0x7e01}, {0x4000}}};
  EXPECT_THAT(Solve(half).indices, ElementsAre(3, 0, 1, 2));
  const Problem<BFloat16> bfloat{
      .rows = 1, .vocabulary = 3, .k = 3, .logits = {{0x3f80}, {0x4000}, {0x8000}}};
  EXPECT_THAT(Solve(bfloat).indices, ElementsAre(1, 0, 2));
}

TEST(Half, EveryValueAsTheCompilerHasIt) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const Half half{static_cast<std::uint16_t>(bits)};
    const auto want = static_cast<float>(std::bit_cast<_Float16>(half.bits));
    if (std::isnan(want)) {
      ASSERT_TRUE(std::isnan(ToFloat(half))) << bits;
      continue;
    }
    ASSERT_EQ(ToFloat(half), want) << bits;
    ASSERT_EQ(Nearest<Half>(want), half) << bits;
  }
}

TEST(Half, NearestAsTheCompilerHasIt) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> exponent(-27, 17);
  for (int i = 0; i < 100'000; ++i) {
    const float value = static_cast<float>(std::exp2(exponent(random)) * (i % 2 == 0 ? 1 : -1));
    const auto want = std::bit_cast<std::uint16_t>(static_cast<_Float16>(value));
    ASSERT_EQ(Nearest<Half>(value).bits, want) << value;
  }
  EXPECT_EQ(Nearest<Half>(65519.99).bits, 0x7bff);
  EXPECT_EQ(Nearest<Half>(65520).bits, 0x7c00);
  EXPECT_EQ(Nearest<Half>(0x1p-25).bits, 0);
  EXPECT_EQ(Nearest<Half>(0x1.8p-24).bits, 2);
}

TEST(BFloat16, EveryValueIsTheUpperHalfOfAFloat) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const BFloat16 narrow{static_cast<std::uint16_t>(bits)};
    const float want = std::bit_cast<float>(bits << 16);
    if (std::isnan(want)) {
      ASSERT_TRUE(std::isnan(ToFloat(narrow))) << bits;
      continue;
    }
    ASSERT_EQ(ToFloat(narrow), want) << bits;
    ASSERT_EQ(Nearest<BFloat16>(want), narrow) << bits;
  }
  EXPECT_EQ(Nearest<BFloat16>(1 + 0x1p-8).bits, 0x3f80);
  EXPECT_EQ(Nearest<BFloat16>(1 + 0x3p-8).bits, 0x3f82);
  EXPECT_EQ(Nearest<BFloat16>(3.4e38).bits, 0x7f80);
}

/// Rows on which right ways differ most from each other.
std::vector<std::vector<float>> HardRows() {
  std::vector<std::vector<float>> rows = {
      NormalRow(5000, 1, 11),       NormalRow(5000, 10, 12),          NormalRow(5000, 100, 13),
      NormalRow(100'000, 0.01, 14), std::vector<float>(30'000, 0.7F), std::vector<float>(1, -4)};
  std::vector<float> ascending(32'000);
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    ascending[i] = static_cast<float>(i) * 1e-3F;
  }
  rows.push_back(ascending);
  std::ranges::reverse(ascending);
  rows.push_back(ascending);
  std::vector<float> spread(777, -95);
  spread[5] = 0;
  rows.push_back(spread);
  // Equal terms are rounded alike, so that the errors of a sequential sum add up.
  std::vector<float> biased(100'000, -1.1F);
  biased[0] = 0;
  rows.push_back(biased);
  // A rescale for each logit, of all that came before.
  std::vector<float> creeping(4000);
  for (std::size_t i = 0; i < creeping.size(); ++i) {
    creeping[i] = static_cast<float>(i) * 1e-5F;
  }
  rows.push_back(creeping);
  return rows;
}

TEST(Bounds, AdmitEveryRightWay) {
  for (const std::vector<float>& row : HardRows()) {
    for (const Way way : {Way::kThreePasses, Way::kPairwise, Way::kOnline, Way::kOnlineBackward,
                          Way::kLanes, Way::kLogarithm, Way::kApproximate}) {
      EXPECT_LT(ErrorOverBound(row, std::min<std::size_t>(row.size(), 64), way), 1)
          << "row of " << row.size() << " from " << row[0] << ", way " << static_cast<int>(way);
    }
  }
}

TEST(Bounds, RejectWrongWays) {
  std::vector<float> high = NormalRow(500, 1, 21);
  std::ranges::for_each(high, [](float& x) { x += 90; });
  EXPECT_FALSE(ErrorOverBound(high, 3, Way::kNoMaximum) <= 1);
  EXPECT_GT(ErrorOverBound(NormalRow(500, 1, 22), 3, Way::kHalfSum), 1);
  EXPECT_GT(ErrorOverBound(NormalRow(500, 3, 23), 3, Way::kMaximumLate), 10);
  std::vector<float> last_matters(300, -20);
  last_matters[0] = 1;
  last_matters.back() = -5;  // A quarter of a percent of the mass.
  EXPECT_GT(ErrorOverBound(last_matters, 1, Way::kLastLost), 10);
}

/// A row whose mass is in few logits has a bound of a few roundings, whatever its length.
TEST(Bounds, AreNarrowWhereTheMassIsInFewLogits) {
  std::vector<float> row(100'000, -60);
  row[77'777] = 3;
  row[3] = 2;
  const Answer answer = Solve(RowOf(row, 2));
  EXPECT_LT(answer.bounds[0], 3e-5);
  EXPECT_LT(answer.bounds[1], 3e-5);
}

TEST(Bounds, DenormalResultsMayBeFlushed) {
  std::vector<float> row(10, -95);
  row[0] = 0;
  const Answer answer = Solve(RowOf(row, 2));
  EXPECT_GT(answer.probabilities[1], 0);
  EXPECT_LT(answer.probabilities[1], 0x1p-126L);
  EXPECT_GE(answer.bounds[1], answer.probabilities[1]);
}

}  // namespace
}  // namespace assay::softmax_topk
