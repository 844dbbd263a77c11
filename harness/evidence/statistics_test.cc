// SPDX-License-Identifier: Apache-2.0
#include "evidence/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

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

TEST(StudentQuantileTest, KnownValues) {
  EXPECT_NEAR(StudentQuantile(2), 4.303, 0.05);
  EXPECT_NEAR(StudentQuantile(5), 2.571, 0.005);
  EXPECT_NEAR(StudentQuantile(12), 2.179, 0.001);
  EXPECT_NEAR(StudentQuantile(1e9), 1.960, 0.001);
  EXPECT_EQ(StudentQuantile(0.5), StudentQuantile(2));
}

TEST(EstimateMeansTest, TheMeanOfTheMediansOfRuns) {
  const std::vector<SeriesByRun> series = {{{1, 2, 9}, {4}, {}, {3, 5}}};
  EXPECT_DOUBLE_EQ(EstimateMeans(series)[0].mean, (2.0 + 4 + 4) / 3);
}

TEST(EstimateMeansTest, BlocksAloneSayNothingOfRuns) {
  const std::vector<SeriesByRun> series = {{{1, 1, 1, 1}}, {}, {{1}, {1}}};
  const std::vector<MeanEstimate> estimates = EstimateMeans(series);
  EXPECT_EQ(estimates[0].mean, 1);
  EXPECT_EQ(IntervalHalfWidth(estimates[0]), INFINITY);
  EXPECT_TRUE(std::isnan(estimates[1].mean));
  EXPECT_EQ(IntervalHalfWidth(estimates[2]), 0);
}

// By hand: runs 0, 1, 2, so v = 1; blocks without variance, so w = 0 and tau2 = 1 of two degrees of
// freedom; the half width is t(2) sqrt(1 / 3).
TEST(EstimateMeansTest, WhatDiffersBetweenRunsIsInTheInterval) {
  const std::vector<SeriesByRun> series = {{{0, 0, 0}, {1, 1, 1}, {2, 2, 2}}};
  EXPECT_NEAR(IntervalHalfWidth(EstimateMeans(series)[0]), 4.303 / std::sqrt(3), 0.03);
}

TEST(EstimateMeansTest, SeriesShareWhatDiffersBetweenRuns) {
  const SeriesByRun apart = {{0, 0}, {1, 1}, {2, 2}};
  const SeriesByRun alike = {{1, 1}, {1, 1}, {1, 1}};
  const std::vector<SeriesByRun> series = {apart, alike, alike, alike};
  const std::vector<MeanEstimate> estimates = EstimateMeans(series);
  // tau2 = 2 * 1 / 8 for all, with 8 degrees of freedom; its own runs say more of the first.
  EXPECT_NEAR(IntervalHalfWidth(estimates[1]), 2.306 * std::sqrt(0.25 / 3), 0.01);
  EXPECT_NEAR(IntervalHalfWidth(estimates[0]), 2.306 * std::sqrt(1.0 / 3), 0.01);
}

/// In how many of the trials an interval held: eight series of three runs of four blocks, whose
/// truth is 0, blocks and runs normal with these deviations.
double ShareHeld(double of_blocks, double of_runs, double of_runs_of_first) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  constexpr int kTrials = 1000;
  int held = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<SeriesByRun> series(8);
    for (std::size_t s = 0; s < series.size(); ++s) {
      for (int run = 0; run < 3; ++run) {
        const double shift = normal(random) * (s == 0 ? of_runs_of_first : of_runs);
        auto& blocks = series[s].emplace_back();
        for (int block = 0; block < 4; ++block) {
          blocks.push_back(shift + normal(random) * of_blocks);
        }
      }
    }
    for (const MeanEstimate& estimate : EstimateMeans(series)) {
      held += std::abs(estimate.mean) <= IntervalHalfWidth(estimate) ? 1 : 0;
    }
  }
  return held / (8.0 * kTrials);
}

TEST(EstimateMeansTest, IntervalsHoldAsOftenAsPromised) {
  EXPECT_GE(ShareHeld(0.05, 0, 0), 0.95);
  EXPECT_GE(ShareHeld(0.05, 0.02, 0.02), 0.94);
  EXPECT_GE(ShareHeld(0.05, 0.05, 0.05), 0.94);
  EXPECT_GE(ShareHeld(0.05, 0.01, 0.10), 0.94);
}

/// A workload timed in runs, one block of one pair each.
WorkloadEvidence InRuns(std::initializer_list<int> hundredths) {
  WorkloadEvidence one{.name = "w", .verdict = Verdict::kAccepted, .detail = "", .blocks = {}};
  for (const int value : hundredths) {
    const int run = static_cast<int>(one.blocks.size());
    one.blocks.push_back(
        {.pairs = {{.submission_ns = std::int64_t{10} * value, .baseline_ns = 1000}}, .run = run});
  }
  return one;
}

TEST(EstimateTimesTest, OfSeveralRunsRatioAndShareHaveTheirIntervals) {
  BenchEvidence bench{.workloads = {InRuns({100, 200, 400})},
                      .bandwidth_bytes_per_second = 1e9,
                      .controls = {InRuns({100, 100, 100})},
                      .runs = std::vector<BenchRunEvidence>(3)};
  bench.workloads[0].least_bytes = 1000;  // 1 us at that bandwidth.
  SetEstimates(bench);
  const WorkloadEvidence& one = bench.workloads[0];
  EXPECT_NEAR(one.ratio, 2, 1e-12);
  EXPECT_LT(one.ratio_low, 1);
  EXPECT_GT(one.ratio_high, 4);
  EXPECT_NEAR(one.share_of_bandwidth, 0.5, 1e-12);
  EXPECT_NEAR(*one.share_low * *one.share_high, 0.25, 1e-12);
  EXPECT_LT(*one.share_low, 0.25);
  EXPECT_EQ(bench.controls[0].share_of_bandwidth, 0);
}

// Who is slow in one run and fast in the next would be rid of slow times, were they not trusted.
TEST(EstimateTimesTest, ASubmissionThatDiffersFromRunToRunWidensNoControl) {
  BenchEvidence bench{.workloads = {InRuns({100, 400, 100})},
                      .controls = {InRuns({100, 101, 100})},
                      .runs = std::vector<BenchRunEvidence>(3)};
  SetEstimates(bench);
  EXPECT_GT(bench.workloads[0].ratio_high, 3);
  EXPECT_LT(ControlPrecision(bench), 0.02);
}

/// A bench of three runs in each of which times are the same, and the bandwidth is that.
BenchEvidence WithBandwidths(std::initializer_list<double> gigabytes_per_second) {
  BenchEvidence bench{.workloads = {InRuns({100, 100, 100})}, .controls = {}};
  bench.workloads[0].least_bytes = 1000;  // 1 us at 1 GB/s.
  bench.runs.emplace();
  for (const double rate : gigabytes_per_second) {
    bench.runs->push_back({.bandwidth_bytes_per_second = rate * 1e9});
  }
  bench.bandwidth_bytes_per_second = MeanBandwidth(*bench.runs);
  SetEstimates(bench);
  return bench;
}

// Ten gradings of one submission differed in this row alone by more than their intervals allowed.
TEST(EstimateTimesTest, WhatTheBandwidthDiffersByIsInTheIntervalOfAShare) {
  const BenchEvidence even = WithBandwidths({1, 1, 1});
  EXPECT_NEAR(even.workloads[0].share_of_bandwidth, 1, 1e-12);
  EXPECT_NEAR(*even.workloads[0].share_low, 1, 1e-12);
  const double step = std::log(2);
  const BenchEvidence uneven = WithBandwidths({0.5, 1, 2});
  EXPECT_NEAR(uneven.workloads[0].share_of_bandwidth, 1, 1e-12);
  // Of two degrees of freedom, as in WhatDiffersBetweenRunsIsInTheInterval.
  EXPECT_NEAR(std::log(*uneven.workloads[0].share_high), 4.303 * step / std::sqrt(3), 0.03);
  EXPECT_NEAR(uneven.workloads[0].ratio_high, 1, 1e-12);
}

TEST(EstimateTimesTest, RunsWithoutABandwidthTakeThatOfTheBench) {
  BenchEvidence bench = WithBandwidths({0.5, 1, 2});
  bench.runs.emplace(3);
  bench.bandwidth_bytes_per_second = 2e9;
  SetEstimates(bench);
  EXPECT_NEAR(bench.workloads[0].share_of_bandwidth, 0.5, 1e-12);
  EXPECT_NEAR(*bench.workloads[0].share_low, 0.5, 1e-12);
}

TEST(MeanBandwidthTest, IsTheGeometricMeanOfRunsThatHaveOne) {
  const std::vector<BenchRunEvidence> runs = {{.bandwidth_bytes_per_second = 1e9},
                                              {},
                                              {.bandwidth_bytes_per_second = 4e9},
                                              {.bandwidth_bytes_per_second = 0}};
  EXPECT_NEAR(MeanBandwidth(runs), 2e9, 1);
  EXPECT_EQ(MeanBandwidth({}), 0);
}

TEST(DifferenceOfTest, VariancesAddAndTheLesserKnownOneDecidesTheFreedom) {
  const MeanEstimate known{.mean = 5, .variance = 1, .freedom = 100};
  const MeanEstimate guessed{.mean = 3, .variance = 3, .freedom = 2};
  const MeanEstimate both = DifferenceOf(known, guessed);
  EXPECT_EQ(both.mean, 2);
  EXPECT_EQ(both.variance, 4);
  EXPECT_NEAR(both.freedom, 16 / (1.0 / 100 + 9.0 / 2), 1e-12);
  EXPECT_EQ(DifferenceOf(known, {.mean = 1, .variance = INFINITY}).variance, INFINITY);
}

TEST(EstimateTimesTest, ControlsSayHowEvenARunWasAndHowPreciseAll) {
  BenchEvidence bench{.workloads = {},
                      .controls = {InRuns({100, 110}), InRuns({100, 100})},
                      .runs = std::vector<BenchRunEvidence>(2)};
  EXPECT_EQ(ControlScatter(bench, 0), 0);
  EXPECT_NEAR(ControlScatter(bench, 1), std::log(1.1) / std::sqrt(2), 1e-12);
  EXPECT_EQ(CountBlocks(bench.controls, 1), 2);
  bench.controls[0].ratio_low = 0.9;
  bench.controls[0].ratio_high = 0.9 * 1.21;
  bench.controls[1].ratio_low = bench.controls[1].ratio_high = 1;
  EXPECT_NEAR(ControlPrecision(bench), 0.05, 1e-12);
  EXPECT_EQ(ControlPrecision({}), INFINITY);
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
