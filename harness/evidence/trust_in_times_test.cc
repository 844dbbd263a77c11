// SPDX-License-Identifier: Apache-2.0
#include "evidence/trust_in_times.h"

#include <gtest/gtest.h>

#include <vector>

namespace assay {
namespace {

WorkloadEvidence Control(double ratio, double low, double high) {
  WorkloadEvidence control;
  control.verdict = Verdict::kAccepted;
  control.ratio = ratio;
  control.ratio_low = low;
  control.ratio_high = high;
  return control;
}

/// Six controls, so many of which the baseline won against itself.
BenchEvidence WithFalseWins(int wins) {
  BenchEvidence bench;
  bench.controls.assign(6, Control(1, 0.98, 1.02));
  for (int i = 0; i < wins; ++i) {
    bench.controls[static_cast<std::size_t>(i)] = Control(1.1, 1.05, 1.15);
  }
  return bench;
}

TEST(TrustInTimesTest, MoreFalseWinsThanChanceAllowsAreUneven) {
  EXPECT_EQ(TrustInTimes(WithFalseWins(0)), TimesTrust::kTrusted);
  EXPECT_EQ(TrustInTimes(WithFalseWins(1)), TimesTrust::kTrusted);  // P(X >= 1) = 26 %.
  EXPECT_EQ(TrustInTimes(WithFalseWins(2)), TimesTrust::kUneven);   // P(X >= 2) = 3.3 %.
}

TEST(TrustInTimesTest, OfSeveralRunsHalfOfTheControlsHaveToBePrecise) {
  BenchEvidence bench;
  bench.controls.assign(3, Control(1, 0.8, 1.25));
  EXPECT_EQ(TrustInTimes(bench), TimesTrust::kTrusted);  // Of one run.
  bench.runs = std::vector<BenchRunEvidence>(3);
  EXPECT_EQ(TrustInTimes(bench), TimesTrust::kImprecise);
  bench.controls[0] = bench.controls[1] = Control(1, 0.95, 1.05);
  EXPECT_EQ(TrustInTimes(bench), TimesTrust::kTrusted);
}

TEST(TrustInTimesTest, WhatWasTimedNeedsAControl) {
  BenchEvidence bench;
  bench.runs = std::vector<BenchRunEvidence>(3);
  EXPECT_EQ(TrustInTimes(bench), TimesTrust::kTrusted);
  bench.workloads = {Control(1, 1, 1)};
  EXPECT_EQ(TrustInTimes(bench), TimesTrust::kWithoutControls);
}

TEST(TrustInTimesTest, AnotherRunHelpsAgainstNoiseAlone) {
  EXPECT_FALSE(IsNoisy(TimesTrust::kTrusted));
  EXPECT_FALSE(IsNoisy(TimesTrust::kWithoutControls));
  EXPECT_TRUE(IsNoisy(TimesTrust::kUneven));
  EXPECT_TRUE(IsNoisy(TimesTrust::kImprecise));
}

}  // namespace
}  // namespace assay
