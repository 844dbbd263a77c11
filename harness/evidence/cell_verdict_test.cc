// SPDX-License-Identifier: Apache-2.0
#include "evidence/cell_verdict.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

CaseEvidence Case(const std::string& name, Verdict verdict) {
  return {.name = name,
          .tags = {},
          .verdict = verdict,
          .gates = true,
          .detail = "why",
          .error_over_bound = {},
          .seconds = 0};
}

Evidence Built() {
  Evidence evidence;
  evidence.release.verdict = Verdict::kAccepted;
  return evidence;
}

TEST(CellVerdictTest, AllRightIsAccepted) {
  Evidence evidence = Built();
  evidence.suite.cases = {Case("A.b", Verdict::kAccepted)};
  EXPECT_EQ(DecideVerdict(evidence), (CellVerdict{Verdict::kAccepted, ""}));
}

TEST(CellVerdictTest, TheGravestCaseNamesTheCell) {
  Evidence evidence = Built();
  evidence.suite.cases = {Case("A.a", Verdict::kAccepted), Case("A.b", Verdict::kWrongAnswer),
                          Case("A.c", Verdict::kRuntimeError), Case("A.d", Verdict::kWrongAnswer)};
  EXPECT_EQ(DecideVerdict(evidence), (CellVerdict{Verdict::kRuntimeError, "A.c: why"}));
}

TEST(CellVerdictTest, OfEqualsTheFirstIsNamed) {
  Evidence evidence = Built();
  evidence.suite.cases = {Case("A.b", Verdict::kWrongAnswer), Case("A.c", Verdict::kWrongAnswer)};
  EXPECT_EQ(DecideVerdict(evidence).detail, "A.b: why");
}

TEST(CellVerdictTest, CasesThatDoNotGateCountOnlyForCheatsAndOurFaults) {
  Evidence evidence = Built();
  evidence.suite.cases = {Case("A.a", Verdict::kAccepted), Case("A.b", Verdict::kTimeLimit)};
  evidence.suite.cases[1].gates = false;
  EXPECT_EQ(DecideVerdict(evidence).verdict, Verdict::kAccepted);
  evidence.suite.cases[1].verdict = Verdict::kRejected;
  EXPECT_EQ(DecideVerdict(evidence).verdict, Verdict::kRejected);
  evidence.suite.cases[1].verdict = Verdict::kJudgeError;
  EXPECT_EQ(DecideVerdict(evidence).verdict, Verdict::kJudgeError);
}

TEST(CellVerdictTest, ATimedOutputThatIsWrongCountsLikeACase) {
  Evidence evidence = Built();
  evidence.suite.cases = {Case("A.a", Verdict::kAccepted)};
  evidence.bench.workloads.push_back(
      {.name = "w", .verdict = Verdict::kWrongAnswer, .detail = "why", .blocks = {}});
  EXPECT_EQ(DecideVerdict(evidence), (CellVerdict{Verdict::kWrongAnswer, "w: why"}));
}

TEST(CellVerdictTest, ACheatSeenUnderSanitizersCountsAndAFindingDoesNot) {
  Evidence evidence = Built();
  evidence.suite.cases = {Case("A.a", Verdict::kAccepted)};
  evidence.sanitized_suite.cases = {Case("A.a", Verdict::kRuntimeError)};
  EXPECT_EQ(DecideVerdict(evidence).verdict, Verdict::kAccepted);
  evidence.sanitized_suite.cases = {Case("A.a", Verdict::kRejected)};
  EXPECT_EQ(DecideVerdict(evidence).verdict, Verdict::kRejected);
}

TEST(CellVerdictTest, AFailedBuildIsTheVerdict) {
  Evidence evidence;
  evidence.release = {.verdict = Verdict::kCompileError, .diagnostics = "a.cc:1: error"};
  EXPECT_EQ(DecideVerdict(evidence), (CellVerdict{Verdict::kCompileError, "build: a.cc:1: error"}));
}

TEST(CellVerdictTest, ASuiteWithoutGatingCasesIsOurFault) {
  Evidence evidence = Built();
  EXPECT_EQ(DecideVerdict(evidence).verdict, Verdict::kJudgeError);
  evidence.suite.cases = {Case("A.a", Verdict::kAccepted)};
  evidence.suite.cases[0].gates = false;
  EXPECT_EQ(DecideVerdict(evidence).verdict, Verdict::kJudgeError);
}

// Else what answers "not supported" to all would be our failure, and have no score.
TEST(CellVerdictTest, ASubmissionThatRefusesAllIsWrong) {
  Evidence evidence = Built();
  evidence.suite.cases = {Case("A.a", Verdict::kSkipped), Case("A.b", Verdict::kSkipped)};
  evidence.suite.cases[0].gates = false;
  EXPECT_EQ(
      DecideVerdict(evidence),
      (CellVerdict{Verdict::kWrongAnswer, "no gating case could be run; the first is A.b: why"}));
}

TEST(CellVerdictTest, WhatTheEmulatedGpuLacksIsNeverAccepted) {
  Evidence evidence = Built();
  evidence.suite.cases = {Case("A.a", Verdict::kAccepted), Case("A.b", Verdict::kSkipped)};
  evidence.suite.device_lacks = {"tex.1d is not supported", "another"};
  const CellVerdict skipped{Verdict::kSkipped,
                            "the emulated GPU lacks what it needs: tex.1d is not supported"};
  EXPECT_EQ(DecideVerdict(evidence), skipped);
  evidence.suite.cases = {Case("A.b", Verdict::kSkipped)};
  EXPECT_EQ(DecideVerdict(evidence), skipped);
  evidence.suite.cases = {Case("A.a", Verdict::kWrongAnswer), Case("A.b", Verdict::kSkipped)};
  EXPECT_EQ(DecideVerdict(evidence), (CellVerdict{Verdict::kWrongAnswer, "A.a: why"}));
}

}  // namespace
}  // namespace assay
