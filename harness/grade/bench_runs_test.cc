// SPDX-License-Identifier: Apache-2.0
#include "grade/bench_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace assay {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

/// Three blocks of one pair each, of that ratio in hundredths.
WorkloadEvidence Timed(const std::string& name, int hundredths) {
  WorkloadEvidence one{.name = name, .verdict = Verdict::kAccepted, .detail = "", .blocks = {}};
  for (int i = 0; i < 3; ++i) {
    one.blocks.push_back(
        {.pairs = {{.submission_ns = std::int64_t{10} * hundredths, .baseline_ns = 1000}}});
  }
  return one;
}

WorkloadEvidence NotTimed(const std::string& name, Verdict verdict, const std::string& detail) {
  return {.name = name, .verdict = verdict, .detail = detail, .blocks = {}};
}

BenchRun OneRun(BenchMoment after, std::vector<WorkloadEvidence> workloads,
                std::vector<WorkloadEvidence> controls = {}) {
  return {.after = after,
          .bench = {.workloads = std::move(workloads),
                    .bandwidth_bytes_per_second = 1e10,
                    .round_trip_ns = 100,
                    .round_trip_p99_ns = 200,
                    .controls = std::move(controls)}};
}

TEST(MergeRunsTest, BlocksKeepTheirRunAndEstimatesAreOfAll) {
  const BenchEvidence merged = MergeRuns(
      {OneRun(BenchMoment::kSuite, {Timed("a", 100), Timed("b", 200)}, {Timed("a/control", 100)}),
       OneRun(BenchMoment::kSanitizedSuite, {Timed("a", 110), Timed("b", 200)},
              {Timed("a/control", 100)}),
       OneRun(BenchMoment::kOwnTests, {Timed("a", 121), Timed("b", 200)},
              {Timed("a/control", 110)})});
  ASSERT_THAT(merged.workloads, SizeIs(2));
  const WorkloadEvidence& a = merged.workloads[0];
  ASSERT_THAT(a.blocks, SizeIs(9));
  EXPECT_EQ(a.blocks[0].run, 0);
  EXPECT_EQ(a.blocks[8].run, 2);
  EXPECT_NEAR(a.ratio, 1.1, 1e-9);
  // Runs differ by 10 %, and blocks of one run not at all: that is in the interval.
  EXPECT_LT(a.ratio_low, 1.0);
  EXPECT_GT(a.ratio_high, 1.2);
  EXPECT_NEAR(merged.workloads[1].ratio, 2, 1e-9);
  ASSERT_TRUE(merged.runs);
  EXPECT_EQ(merged.runs->at(2), (BenchRunEvidence{.after = BenchMoment::kOwnTests,
                                                  .blocks = 6,
                                                  .control_blocks = 3,
                                                  .control_scatter = std::log(1.1),
                                                  .bandwidth_bytes_per_second = 1e10}));
}

TEST(MergeRunsTest, WhatFailsInOneRunHasNoTimes) {
  const BenchEvidence merged = MergeRuns(
      {OneRun(BenchMoment::kSuite, {Timed("a", 100), NotTimed("b", Verdict::kSkipped, "declined")}),
       OneRun(BenchMoment::kSuite, {NotTimed("a", Verdict::kWrongAnswer, "y[3]"),
                                    NotTimed("b", Verdict::kRuntimeError, "died")}),
       OneRun(BenchMoment::kSuite, {Timed("a", 100), Timed("b", 100)})});
  EXPECT_EQ(merged.workloads[0], NotTimed("a", Verdict::kWrongAnswer, "y[3]"));
  EXPECT_EQ(merged.workloads[1], NotTimed("b", Verdict::kRuntimeError, "died"));
}

TEST(MergeRunsTest, RefusedInAnyRunIsRefused) {
  const BenchEvidence merged =
      MergeRuns({OneRun(BenchMoment::kSuite, {Timed("a", 100)}),
                 OneRun(BenchMoment::kSuite, {NotTimed("a", Verdict::kSkipped, "declined")})});
  EXPECT_EQ(merged.workloads[0].verdict, Verdict::kSkipped);
  EXPECT_THAT(merged.workloads[0].blocks, IsEmpty());
}

TEST(MergeRunsTest, BandwidthIsTheMeanAndTheRoundTripInTheMiddle) {
  std::vector<BenchRun> runs(3);
  runs[0].bench = {.workloads = {},
                   .bandwidth_bytes_per_second = 2,
                   .round_trip_ns = 900,
                   .round_trip_p99_ns = 950,
                   .controls = {}};
  runs[1].bench = {.workloads = {},
                   .bandwidth_bytes_per_second = 8,
                   .round_trip_ns = 100,
                   .round_trip_p99_ns = 150,
                   .controls = {}};
  runs[2].bench = {.workloads = {},
                   .bandwidth_bytes_per_second = 4,
                   .round_trip_ns = 200,
                   .round_trip_p99_ns = 990,
                   .controls = {}};
  const BenchEvidence merged = MergeRuns(std::move(runs));
  EXPECT_NEAR(merged.bandwidth_bytes_per_second, 4, 1e-12);
  EXPECT_EQ(merged.runs->at(1).bandwidth_bytes_per_second, 8);
  EXPECT_EQ(merged.round_trip_ns, 200);
  EXPECT_EQ(merged.round_trip_p99_ns, 990);
}

TEST(MergeRunsTest, NoRunsAreNothingMeasured) { EXPECT_EQ(MergeRuns({}), BenchEvidence{}); }

TEST(NextRunTest, WhatFailedIsLeftOutAndWhenAllHasThereIsNoFurtherRun) {
  EXPECT_TRUE(IsWorthAnotherRun({}));
  const std::vector<BenchRun> some = {
      OneRun(BenchMoment::kSuite, {Timed("a", 100), NotTimed("b", Verdict::kTimeLimit, "10 s")})};
  EXPECT_TRUE(IsWorthAnotherRun(some));
  EXPECT_THAT(ArgumentsOfNextRun(some), Contains("--assay_left_out=b"));
  EXPECT_THAT(ArgumentsOfNextRun(some), Not(Contains("--assay_left_out=a")));
  EXPECT_FALSE(IsWorthAnotherRun(
      std::vector{OneRun(BenchMoment::kSuite, {NotTimed("b", Verdict::kSkipped, "declined")})}));
}

BenchRun WithControl(int hundredths) {
  return OneRun(BenchMoment::kSuite, {Timed("a", 100)}, {Timed("a/control", hundredths)});
}

TEST(NextRunTest, ThereAreThree) {
  std::vector<BenchRun> runs(2, WithControl(100));
  EXPECT_TRUE(IsWorthAnotherRun(runs));
  runs.push_back(runs.front());
  EXPECT_FALSE(IsWorthAnotherRun(runs));
}

// A noisy minute left cells without times, and their scores below what others of the same
// submission got.
TEST(NextRunTest, ThereAreUpToFiveWhereControlsAreNoisy) {
  std::vector<BenchRun> runs = {WithControl(100), WithControl(100), WithControl(200)};
  EXPECT_TRUE(IsWorthAnotherRun(runs));
  runs.push_back(WithControl(100));
  EXPECT_TRUE(IsWorthAnotherRun(runs));
  runs.push_back(WithControl(100));
  EXPECT_FALSE(IsWorthAnotherRun(runs));
}

TEST(NextRunTest, NoiseOfTheSubmissionAloneIsNotTimedAgain) {
  std::vector<BenchRun> runs(3, WithControl(100));
  runs.back().bench.workloads = {Timed("a", 150)};
  EXPECT_FALSE(IsWorthAnotherRun(runs));
}

TEST(NextRunTest, EachHasAnIndexAndItsShareOfTimeAndBlocks) {
  EXPECT_THAT(ArgumentsOfNextRun({}),
              ElementsAre("--assay_bench_run=0", "--assay_bench_seconds=4",
                          "--assay_least_blocks=3", "--assay_most_blocks=7"));
  const std::vector<BenchRun> one = {OneRun(BenchMoment::kSuite, {Timed("a", 100)})};
  EXPECT_THAT(ArgumentsOfNextRun(one), Contains("--assay_bench_run=1"));
}

}  // namespace
}  // namespace assay
