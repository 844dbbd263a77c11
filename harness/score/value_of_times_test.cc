// SPDX-License-Identifier: Apache-2.0
#include "score/value_of_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "score/value_for_test.h"

namespace assay {
namespace {

using State = CriterionValue::State;
using synthetic::MakeCase;
using synthetic::MakeCell;
using synthetic::MakeControls;
using synthetic::MakeWorkload;

TEST(BenchTest, RatioIsTheGeometricMeanWithItsInterval) {
  Evidence cell = MakeCell("m");
  cell.bench.workloads = {MakeWorkload("bwd/1", {.ratio = 1, .low = 0.5, .high = 2}),
                          MakeWorkload("bwd/2", {.ratio = 4, .low = 2, .high = 8}),
                          MakeWorkload("fwd/1", {.ratio = 9, .low = 9, .high = 9})};
  const CriterionValue value = ValueOf("bench_ratio(bwd/*)", cell);
  ASSERT_EQ(value.state, State::kMeasured);
  EXPECT_NEAR(value.value, 2, 1e-12);
  EXPECT_NEAR(value.interval->low, 1, 1e-12);
  EXPECT_NEAR(value.interval->high, 4, 1e-12);
}

// Who answered the suite and declined when it was timed had no row of time.
TEST(BenchTest, WhatIsRefusedWhenTimedAndSeenToWorkFails) {
  Evidence cell = MakeCell("m");
  WorkloadEvidence refused;
  refused.name = "decode_int8/1";
  refused.operation = "attend";
  refused.shown_by = {"int8"};
  refused.refused = true;
  refused.skip_cause = SkipCause::kRefused;
  cell.bench.workloads = {refused, MakeWorkload("decode_f32/1", {.ratio = 1, .low = 1, .high = 1})};
  CaseEvidence other = MakeCase("Core.Decodes", {"core"}, Verdict::kAccepted);
  CaseEvidence shown = MakeCase("Narrow.Decodes", {"core", "int8"}, Verdict::kAccepted);
  other.answered = shown.answered = {"append", "attend"};
  cell.suite.cases = {other, MakeCase("Narrow.Refuses", {"int8"}, Verdict::kAccepted)};
  EXPECT_EQ(ValueOf("bench_ratio(decode_int8)", cell).state, State::kNotMeasured);
  EXPECT_EQ(ValueOf("bench_ratio(decode_int8)", cell).note, "no workload was timed: refused");
  cell.suite.cases.push_back(shown);
  EXPECT_EQ(ValueOf("bench_ratio(decode_int8)", cell).state, State::kFailed);
  EXPECT_EQ(ValueOf("bench_ratio(decode_int8)", cell).note,
            "decode_int8/1 is refused when timed, and attend worked in Narrow.Decodes");
  const CriterionValue both = ValueOf("bench_ratio(decode*)", cell);
  EXPECT_NEAR(both.value, 4, 1e-12);  // 16 and 1.
  EXPECT_THAT(both.note, testing::HasSubstr("1 of 2 workloads failed: decode_int8/1 is refused"));
  cell.suite.cases.back().verdict = Verdict::kWrongAnswer;
  EXPECT_EQ(ValueOf("bench_ratio(decode_int8)", cell).state, State::kNotMeasured);
}

// No fault of its own: the bench had no time for it.
TEST(BenchTest, WhatWasNotReachedIsNotMeasured) {
  Evidence cell = MakeCell("m");
  CaseEvidence shown = MakeCase("Core.Decodes", {}, Verdict::kAccepted);
  shown.answered = {"attend"};
  cell.suite.cases = {shown};
  WorkloadEvidence left;
  left.name = "decode_f32/1";
  left.operation = "attend";
  cell.bench.workloads = {left};
  EXPECT_EQ(ValueOf("bench_ratio(decode*)", cell).state, State::kNotMeasured);
}

TEST(BenchTest, RatiosAreCappedBeforeTheMean) {
  Evidence cell = MakeCell("m");
  cell.bench.workloads = {MakeWorkload("b/1", {.ratio = 1e-9, .low = 1e-9, .high = 1e-9}),
                          MakeWorkload("b/2", {.ratio = 1e9, .low = 0, .high = INFINITY})};
  const CriterionValue value = ValueOf("bench_ratio(b)", cell);
  EXPECT_NEAR(value.value, 1, 1e-12);  // sqrt(1/16 * 16)
  EXPECT_NEAR(value.interval->low, 1.0 / 16, 1e-12);
}

TEST(BenchTest, AFailedWorkloadCountsAsTheWorst) {
  Evidence cell = MakeCell("m");
  cell.bench.workloads = {MakeWorkload("b/1", {.ratio = 1, .low = 1, .high = 1}),
                          MakeWorkload("b/2", {.ratio = 0.1, .low = 0.1, .high = 0.1}),
                          MakeWorkload("b/3", {.ratio = 1, .low = 1, .high = 1})};
  cell.bench.workloads[1].verdict = Verdict::kWrongAnswer;
  cell.bench.workloads[2].verdict = Verdict::kSkipped;
  EXPECT_NEAR(ValueOf("bench_ratio(b)", cell).value, 4, 1e-12);  // sqrt(1 * 16)
  EXPECT_EQ(ValueOf("bench_ratio(b)", cell).note, "1 of 2 workloads failed");
  EXPECT_NEAR(ValueOf("bench_share(b)", cell).value, std::sqrt(0.8 * 0.01), 1e-12);
  cell.bench.workloads[0].verdict = Verdict::kTimeLimit;
  EXPECT_EQ(ValueOf("bench_ratio(b)", cell).state, State::kFailed);
  cell.bench.workloads.clear();
  EXPECT_EQ(ValueOf("bench_ratio(b)", cell).state, State::kNotMeasured);
}

TEST(BenchTest, AShareHasTheIntervalOfItsTimes) {
  Evidence cell = MakeCell("m");
  cell.bench.workloads = {MakeWorkload("b/1", {.ratio = 1, .low = 0.5, .high = 2})};
  const CriterionValue value = ValueOf("bench_share(b)", cell);
  EXPECT_NEAR(value.value, 0.8, 1e-12);
  EXPECT_NEAR(value.interval->low, 0.4, 1e-12);
  EXPECT_NEAR(value.interval->high, 1.6, 1e-12);
}

TEST(BenchTest, AShareOfSeveralRunsHasAnIntervalOfItsOwn) {
  Evidence cell = MakeCell("m");
  cell.bench.workloads = {MakeWorkload("bwd/1", {.ratio = 1, .low = 0.5, .high = 2})};
  cell.bench.workloads[0].share_of_bandwidth = 0.5;
  cell.bench.workloads[0].share_low = 0.4;
  cell.bench.workloads[0].share_high = 0.6;
  const CriterionValue value = ValueOf("bench_share(bwd)", cell);
  EXPECT_NEAR(value.interval->low, 0.4, 1e-12);
  EXPECT_NEAR(value.interval->high, 0.6, 1e-12);
}

// A failure stays one: only what was measured is not.
TEST(BenchTest, TimesThatTheControlsSpeakAgainstAreNotMeasured) {
  Evidence cell = MakeCell("m");
  cell.bench.workloads = {MakeWorkload("bwd/1", {.ratio = 1, .low = 0.9, .high = 1.1})};
  cell.bench.controls = MakeControls(3);
  EXPECT_EQ(ValueOf("bench_ratio(bwd)", cell).state, State::kMeasured);  // Of one run.
  cell.bench.runs = std::vector<BenchRunEvidence>(3);
  EXPECT_EQ(ValueOf("bench_ratio(bwd)", cell).state, State::kNotMeasured);
  EXPECT_EQ(ValueOf("bench_ratio(bwd)", cell).note,
            "the machine was too noisy: the baseline beat itself in 3 of 6 controls");
  cell.bench.workloads[0].verdict = Verdict::kWrongAnswer;
  EXPECT_EQ(ValueOf("bench_ratio(bwd)", cell).state, State::kFailed);
}

}  // namespace
}  // namespace assay
