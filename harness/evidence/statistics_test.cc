// SPDX-License-Identifier: Apache-2.0
#include "evidence/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace assay {
namespace {

/// One block of one pair for each.
std::vector<TimeBlock> Ratios(std::initializer_list<int> hundredths) {
  std::vector<TimeBlock> blocks;
  for (const int value : hundredths) {
    blocks.push_back({{{.submission_ns = value, .baseline_ns = 100}}});
  }
  return blocks;
}

TEST(MedianRatioTest, NoBlocksGiveNan) {
  EXPECT_TRUE(std::isnan(MedianRatio({}).ratio));
  EXPECT_TRUE(std::isnan(MedianRatio({}).low));
  EXPECT_TRUE(std::isnan(MedianRatio(std::vector<TimeBlock>(9)).ratio));
}

TEST(MedianRatioTest, FiveBlocksHaveNoInterval) {
  const RatioEstimate e = MedianRatio(Ratios({100, 200, 300, 400, 500}));
  EXPECT_DOUBLE_EQ(e.ratio, 3);
  EXPECT_EQ(e.low, 0);
  EXPECT_EQ(e.high, INFINITY);
}

TEST(MedianRatioTest, SixBlocksSpanAll) {
  const RatioEstimate e = MedianRatio(Ratios({600, 100, 200, 300, 400, 500}));
  EXPECT_DOUBLE_EQ(e.ratio, std::sqrt(3.0 * 4.0));
  EXPECT_DOUBLE_EQ(e.low, 1);
  EXPECT_DOUBLE_EQ(e.high, 6);
}

TEST(MedianRatioTest, NineBlocksCutOneAtEachEnd) {  // 1 - 2 * 10 / 512 = 96.1 %
  const RatioEstimate e = MedianRatio(Ratios({100, 200, 300, 400, 500, 600, 700, 800, 900}));
  EXPECT_DOUBLE_EQ(e.low, 2);
  EXPECT_DOUBLE_EQ(e.high, 8);
}

TEST(MedianRatioTest, TimeOfZeroCountsAsOneNanosecond) {
  EXPECT_DOUBLE_EQ(MedianRatio(std::vector<TimeBlock>{{{{0, 10}}}}).ratio, 0.1);
}

TEST(MedianRatioTest, IntervalCoversTheMedianAtLeastAsOftenAsPromised) {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> noise(0, 0.3);
  int covered = 0;
  constexpr int kTrials = 2000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<TimeBlock> blocks;
    blocks.reserve(15);
    for (int i = 0; i < 15; ++i) {
      blocks.push_back(
          {{{.submission_ns = std::llround(1e6 * noise(random)), .baseline_ns = 500'000}}});
    }
    const RatioEstimate e = MedianRatio(blocks);
    covered += e.low <= 2 && 2 <= e.high ? 1 : 0;
  }
  // 95 % less four standard deviations of the simulation.
  EXPECT_GE(covered, static_cast<int>(kTrials * (0.95 - 4 * std::sqrt(0.95 * 0.05 / kTrials))));
  EXPECT_LT(covered, kTrials);
}

// Hosts that were unlucky with their place in memory are one sample, however often they are timed.
TEST(MedianRatioTest, PairsOfOneBlockAreOneSample) {
  std::vector<TimeBlock> blocks = Ratios({100, 100, 100, 100, 100, 100});
  blocks.push_back({std::vector<TimePair>(50, {.submission_ns = 120, .baseline_ns = 100})});
  const RatioEstimate e = MedianRatio(blocks);
  EXPECT_DOUBLE_EQ(e.ratio, 1);
  EXPECT_DOUBLE_EQ(e.low, 1);
  EXPECT_DOUBLE_EQ(e.high, 1.2);
  EXPECT_DOUBLE_EQ(MedianRatio(std::vector<TimeBlock>{{{{9, 10}, {50, 10}, {10, 10}}}}).ratio, 1);
}

int FalseWins(std::initializer_list<RatioEstimate> controls) {
  BenchEvidence bench;
  for (const RatioEstimate& control : controls) {
    WorkloadEvidence& added = bench.controls.emplace_back();
    added.verdict = Verdict::kAccepted;
    added.ratio = control.ratio;
    added.ratio_low = control.low;
    added.ratio_high = control.high;
  }
  return CountFalseWins(bench);
}

TEST(CountFalseWinsTest, IntervalExcludesEqualByMoreThanTheMargin) {
  EXPECT_EQ(FalseWins({}), 0);
  EXPECT_EQ(FalseWins({{1.1, 0.99, 1.2}, {0.9, 0.8, 1.01}}), 0);
  EXPECT_EQ(FalseWins({{1.01, 1.005, 1.02}}), 0);
  EXPECT_EQ(FalseWins({{1.1, 1.01, 1.2}, {0.9, 0.8, 0.99}}), 2);
}

// Its ratio is 0, which is far from 1.
TEST(CountFalseWinsTest, ControlThatWasNotMeasuredIsNoWin) {
  BenchEvidence bench;
  bench.controls.emplace_back();
  EXPECT_EQ(CountFalseWins(bench), 0);
}

TEST(BinomialCdfTest, KnownValues) {
  EXPECT_EQ(BinomialCdf(-1, 9, 0.5), 0);
  EXPECT_NEAR(BinomialCdf(1, 9, 0.5), 10.0 / 512, 1e-12);
  EXPECT_NEAR(BinomialCdf(9, 9, 0.5), 1, 1e-12);
  EXPECT_NEAR(BinomialCdf(1, 6, 0.05), 0.9672, 1e-4);
}

}  // namespace
}  // namespace assay
