// SPDX-License-Identifier: Apache-2.0
#include "score/time_rows.h"

#include <gtest/gtest.h>

#include <cmath>

#include "score/synthetic.h"

namespace assay {
namespace {

using synthetic::MakeCell;
using synthetic::MakeControls;
using synthetic::MakeWorkload;

TEST(HolmTest, StepsDownAndStopsAtTheFirstThatHolds) {
  // 0.01 <= 0.05/4, 0.015 <= 0.05/3, 0.03 > 0.05/2: the rest stand, 0.04 too.
  EXPECT_EQ(Holm(std::vector<double>{0.03, 0.01, 0.04, 0.015}),
            (std::vector<bool>{false, true, false, true}));
  EXPECT_EQ(Holm(std::vector<double>{0.05}), std::vector<bool>{true});
  EXPECT_TRUE(Holm({}).empty());
}

TEST(PValueTest, KnownValue) {
  // Each log interval is +/- 0.1, so the error of the difference is sqrt(2) * 0.1 / 1.96.
  const auto estimate = [](double log_ratio) {
    return RatioEstimate{.ratio = std::exp(log_ratio),
                         .low = std::exp(log_ratio - 0.1),
                         .high = std::exp(log_ratio + 0.1)};
  };
  EXPECT_NEAR(PValueOfEqual(estimate(0), estimate(0.1 * std::sqrt(2.0))), 0.05, 1e-6);
  EXPECT_EQ(PValueOfEqual(estimate(1), estimate(1)), 1);
}

TEST(PValueTest, UnboundedIntervalsDecideNothingAndPointsDecideAll) {
  EXPECT_EQ(PValueOfEqual({.ratio = 1, .low = 0, .high = INFINITY}, {1, 1, 1}), 1);
  EXPECT_EQ(PValueOfEqual({1, 1, 1}, {2, 2, 2}), 0);
  EXPECT_EQ(PValueOfEqual({1, 1, 1}, {1, 1, 1}), 1);
}

TEST(WhyTimesAreNotTrustedTest, OfSeveralRunsControlsHaveToBePrecise) {
  BenchEvidence bench;
  bench.workloads = {MakeWorkload("w", {1, 1, 1})};
  bench.controls.assign(3, MakeWorkload("control", {1, 0.8, 1.25}));
  EXPECT_EQ(WhyTimesAreNotTrusted(bench), "");  // Of one run they are as wide as all its blocks.
  bench.runs = std::vector<BenchRunEvidence>(3);
  EXPECT_EQ(WhyTimesAreNotTrusted(bench),
            "the machine was too noisy: half of 3 controls are known to 25 % only");
  bench.controls[0] = bench.controls[1] = MakeWorkload("control", {1, 0.95, 1.05});
  EXPECT_EQ(WhyTimesAreNotTrusted(bench), "");
}

Evidence CellWithBandwidths(std::initializer_list<double> gigabytes_per_second) {
  Evidence cell = MakeCell("b");
  cell.bench.runs.emplace();
  for (const double rate : gigabytes_per_second) {
    cell.bench.runs->push_back({.bandwidth_bytes_per_second = rate * 1e9});
  }
  cell.bench.bandwidth_bytes_per_second = MeanBandwidth(*cell.bench.runs);
  return cell;
}

bool BandwidthsDiffer(std::initializer_list<double> a, std::initializer_list<double> b) {
  return DifferInBandwidth(CellWithBandwidths(a).bench, CellWithBandwidths(b).bench);
}

// In ten gradings of one submission a ratio was 3.0 while memory was slow, and 3.5 else.
TEST(DifferInBandwidthTest, BeyondWhatItDiffersByBetweenRuns) {
  EXPECT_TRUE(BandwidthsDiffer({50, 51, 52}, {57, 58, 59}));
  EXPECT_FALSE(BandwidthsDiffer({50, 51, 52}, {50, 52, 53}));
  EXPECT_FALSE(BandwidthsDiffer({45, 51, 58}, {52, 58, 65}));
  EXPECT_FALSE(BandwidthsDiffer({51, 51, 51}, {51, 51, 51}));
}

TEST(DifferInBandwidthTest, OneRunSaysNothingOfTheNext) {
  EXPECT_FALSE(BandwidthsDiffer({50}, {57, 58, 59}));
  EXPECT_FALSE(BandwidthsDiffer({50, 51, 52}, {}));
  EXPECT_FALSE(DifferInBandwidth(BenchEvidence{}, BenchEvidence{}));
}

TEST(WhyTimesDoNotCompareTest, EveryReason) {
  const Evidence a = MakeCell("a");
  EXPECT_EQ(WhyTimesDoNotCompare(a, MakeCell("b")), "");
  Evidence b = MakeCell("b");
  b.environment.machine.kernel = "6.2";
  b.environment.machine.memory_bytes += 4096;
  EXPECT_EQ(WhyTimesDoNotCompare(a, b), "");
  b.environment.machine.cores += 1;
  EXPECT_EQ(WhyTimesDoNotCompare(a, b), "timed on machines of different classes");
  b = MakeCell("b");
  b.environment.release_flags = "-O2";
  EXPECT_EQ(WhyTimesDoNotCompare(a, b), "built by different compilers or flags");
  b = MakeCell("b");
  b.bench.workloads = {MakeWorkload("w", {1, 1, 1})};
  EXPECT_EQ(WhyTimesDoNotCompare(a, b), "timed without an A/A control");
  b.bench.controls = MakeControls(0);
  EXPECT_EQ(WhyTimesDoNotCompare(a, b), "");
  b.bench.controls = MakeControls(3);
  EXPECT_EQ(WhyTimesDoNotCompare(a, b),
            "the machine was too noisy: the baseline beat itself in 3 of 6 controls");
  EXPECT_EQ(WhyTimesDoNotCompare(b, a), WhyTimesDoNotCompare(a, b));
  b = CellWithBandwidths({50, 51, 52});
  EXPECT_EQ(WhyTimesDoNotCompare(CellWithBandwidths({57, 58, 59}), b),
            "timed while memory was of another speed: 58.0 and 51.0 GB/s");
}

}  // namespace
}  // namespace assay
