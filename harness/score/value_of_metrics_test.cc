// SPDX-License-Identifier: Apache-2.0
#include "score/value_of_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace assay {
namespace {

using State = CriterionValue::State;

Criterion RowOf(ValueFunction function, Edge edge = Edge::kLower) {
  Criterion row;
  row.id = "reads";
  row.kind = CriterionKind::kGpu;
  row.edge = edge;
  row.value = {.function = function, .arguments = {"reads", "logits"}};
  return row;
}

using Points = std::vector<std::pair<double, double>>;

SuiteEvidence SuiteWith(Points points) {
  SuiteEvidence suite;
  suite.cases = {{.name = "Traffic.Batch", .tags = {}, .detail = "", .error_over_bound = {}}};
  suite.curves["reads"] = std::move(points);
  return suite;
}

TEST(ValueOfMetricsTest, AtLargestIsTheValueOfTheLargestShapeAndNamesIt) {
  const auto value = ValueOfMetric(RowOf(ValueFunction::kAtLargest),
                                   SuiteWith({{131072, 3}, {20971520, 1}, {2097152, 2}}));
  EXPECT_EQ(value.state, State::kMeasured);
  EXPECT_EQ(value.value, 1);
  EXPECT_EQ(value.note, "at 20971520 logits");
}

TEST(ValueOfMetricsTest, WorstOfIsByTheDirectionOfTheRow) {
  const SuiteEvidence suite = SuiteWith({{1, 3}, {2, 7}, {4, 5}});
  EXPECT_EQ(ValueOfMetric(RowOf(ValueFunction::kWorstOf, Edge::kLower), suite).value, 7);
  EXPECT_EQ(ValueOfMetric(RowOf(ValueFunction::kWorstOf, Edge::kHigher), suite).value, 3);
}

TEST(ValueOfMetricsTest, WithoutAPointItHasFailed) {
  EXPECT_EQ(ValueOfMetric(RowOf(ValueFunction::kAtLargest), SuiteWith({})).state, State::kFailed);
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(ValueOfMetric(RowOf(ValueFunction::kWorstOf), SuiteWith({{1, kNan}})).state,
            State::kFailed);
}

TEST(ValueOfMetricsTest, WhatTheEmulatedGpuLacksIsNobodysFault) {
  SuiteEvidence suite = SuiteWith({});
  suite.device_lacks = {"textures"};
  Criterion row = RowOf(ValueFunction::kAtLargest);
  row.needs = {"f"};
  EXPECT_EQ(ValueOfMetric(row, suite).state, State::kNotMeasured);
  suite.cases[0].verdict = Verdict::kWrongAnswer;
  suite.cases[0].answered = {"f"};
  EXPECT_EQ(ValueOfMetric(row, suite).state, State::kFailed) << "it answered, and wrongly";
}

// One was measured at 64x32768, the other, wrong there, at 1x131072.
TEST(ValueOfMetricsTest, TheSameWorkIsTheLargestShapeAtWhichBothAreRight) {
  const auto same =
      ValuesOfTheSameWork(RowOf(ValueFunction::kAtLargest), SuiteWith({{131072, 3}, {2097152, 1}}),
                          SuiteWith({{131072, 2}}));
  ASSERT_TRUE(same.has_value());
  EXPECT_EQ(same->a.value, 3);
  EXPECT_EQ(same->b.value, 2);
  EXPECT_EQ(same->a.note, "at 131072 logits");
}

// A maximum over what ran: who covered more lost.
TEST(ValueOfMetricsTest, MaximaAreOfWhatBothRan) {
  const auto same = ValuesOfTheSameWork(RowOf(ValueFunction::kWorstOf),
                                        SuiteWith({{64, 1}, {4096, 9}}), SuiteWith({{64, 2}}));
  ASSERT_TRUE(same.has_value());
  EXPECT_EQ(same->a.value, 1);
  EXPECT_EQ(same->b.value, 2);
}

TEST(ValueOfMetricsTest, WithoutAShapeInCommonNothingIsDecided) {
  const auto same = ValuesOfTheSameWork(RowOf(ValueFunction::kAtLargest), SuiteWith({{1, 3}}),
                                        SuiteWith({{2, 3}}));
  ASSERT_TRUE(same.has_value());
  EXPECT_EQ(same->a.state, State::kNotMeasured);
}

TEST(ValueOfMetricsTest, OtherFunctionsKnowNoWork) {
  EXPECT_FALSE(
      ValuesOfTheSameWork(RowOf(ValueFunction::kMetric), SuiteWith({{1, 3}}), SuiteWith({{1, 2}})));
}

}  // namespace
}  // namespace assay
