// SPDX-License-Identifier: Apache-2.0
#include "evidence/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace assay {
namespace {

std::vector<TimePair> Ratios(std::initializer_list<int> hundredths) {
  std::vector<TimePair> pairs;
  for (const int value : hundredths) {
    pairs.push_back({.submission_ns = value, .baseline_ns = 100});
  }
  return pairs;
}

TEST(MedianRatioTest, NoPairsGiveNan) {
  EXPECT_TRUE(std::isnan(MedianRatio({}).ratio));
  EXPECT_TRUE(std::isnan(MedianRatio({}).low));
}

TEST(MedianRatioTest, FivePairsHaveNoInterval) {
  const RatioEstimate e = MedianRatio(Ratios({100, 200, 300, 400, 500}));
  EXPECT_DOUBLE_EQ(e.ratio, 3);
  EXPECT_EQ(e.low, 0);
  EXPECT_EQ(e.high, INFINITY);
}

TEST(MedianRatioTest, SixPairsSpanAll) {
  const RatioEstimate e = MedianRatio(Ratios({600, 100, 200, 300, 400, 500}));
  EXPECT_DOUBLE_EQ(e.ratio, std::sqrt(3.0 * 4.0));
  EXPECT_DOUBLE_EQ(e.low, 1);
  EXPECT_DOUBLE_EQ(e.high, 6);
}

TEST(MedianRatioTest, NinePairsCutOneAtEachEnd) {  // 1 - 2 * 10 / 512 = 96.1 %
  const RatioEstimate e = MedianRatio(Ratios({100, 200, 300, 400, 500, 600, 700, 800, 900}));
  EXPECT_DOUBLE_EQ(e.low, 2);
  EXPECT_DOUBLE_EQ(e.high, 8);
}

TEST(MedianRatioTest, TimeOfZeroCountsAsOneNanosecond) {
  EXPECT_DOUBLE_EQ(MedianRatio(std::vector<TimePair>{{0, 10}}).ratio, 0.1);
}

TEST(MedianRatioTest, IntervalCoversTheMedianAtLeastAsOftenAsPromised) {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> noise(0, 0.3);
  int covered = 0;
  constexpr int kTrials = 2000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<TimePair> pairs;
    pairs.reserve(15);
    for (int i = 0; i < 15; ++i) {
      pairs.push_back({.submission_ns = std::llround(1e6 * noise(random)), .baseline_ns = 500'000});
    }
    const RatioEstimate e = MedianRatio(pairs);
    covered += e.low <= 2 && 2 <= e.high ? 1 : 0;
  }
  // 95 % less four standard deviations of the simulation.
  EXPECT_GE(covered, static_cast<int>(kTrials * (0.95 - 4 * std::sqrt(0.95 * 0.05 / kTrials))));
  EXPECT_LT(covered, kTrials);
}

TEST(BinomialCdfTest, KnownValues) {
  EXPECT_EQ(BinomialCdf(-1, 9, 0.5), 0);
  EXPECT_NEAR(BinomialCdf(1, 9, 0.5), 10.0 / 512, 1e-12);
  EXPECT_NEAR(BinomialCdf(9, 9, 0.5), 1, 1e-12);
  EXPECT_NEAR(BinomialCdf(1, 6, 0.05), 0.9672, 1e-4);
}

}  // namespace
}  // namespace assay
