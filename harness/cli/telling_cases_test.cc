// SPDX-License-Identifier: Apache-2.0
#include "cli/telling_cases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::vector<std::string> kSuite = {"Core.One",  "Core.Two",   "Edge/f32.Nan", "Edge/f32.Inf",
                                         "Gpu.First", "Gpu.Second", "Last.Only"};

MutantSignature FailsIn(const std::vector<std::string>& names, Verdict verdict, int runs) {
  MutantSignature signature;
  for (const std::string& name : names) {
    signature.cases[name][verdict] = runs;
  }
  return signature;
}

/// `Edge/f32.Inf` finds three mutants of four, `Core.Two` one of those and the fourth.
std::optional<Signatures> Known() {
  Signatures signatures;
  signatures.runs = 3;
  signatures.mutants["a"] = FailsIn({"Edge/f32.Inf"}, Verdict::kWrongAnswer, 3);
  signatures.mutants["b"] = FailsIn({"Edge/f32.Inf"}, Verdict::kRuntimeError, 3);
  signatures.mutants["c"] = FailsIn({"Core.Two", "Edge/f32.Inf"}, Verdict::kWrongAnswer, 3);
  signatures.mutants["d"] = FailsIn({"Core.Two"}, Verdict::kTimeLimit, 3);
  return signatures;
}

CaseEvidence Tried(const std::string& name, Verdict verdict) {
  CaseEvidence one;
  one.name = name;
  one.verdict = verdict;
  return one;
}

TEST(TellingCases, FindEveryKnownBugWithFewCases) {
  EXPECT_THAT(ChooseTellingCases(kSuite, Known(), {}, 2), ElementsAre("Core.Two", "Edge/f32.Inf"));
}

TEST(TellingCases, OneOfEachGroupFollows) {
  EXPECT_THAT(ChooseTellingCases(kSuite, Known(), {}, 20),
              ElementsAre("Core.Two", "Edge/f32.Inf", "Gpu.First", "Last.Only"));
}

TEST(TellingCases, WithoutSignaturesTheFirstOfEachGroup) {
  EXPECT_THAT(ChooseTellingCases(kSuite, std::nullopt, {}, 20),
              ElementsAre("Core.One", "Edge/f32.Nan", "Gpu.First", "Last.Only"));
  EXPECT_THAT(ChooseTellingCases(kSuite, std::nullopt, {}, 2),
              ElementsAre("Core.One", "Edge/f32.Nan"));
  EXPECT_THAT(ChooseTellingCases({}, Known(), {}, 20), IsEmpty());
}

TEST(TellingCases, CaseThatFailsAtTimesOrIsSkippedFindsNothing) {
  Signatures signatures;
  signatures.runs = 3;
  signatures.mutants["a"] = FailsIn({"Edge/f32.Inf"}, Verdict::kWrongAnswer, 2);
  signatures.mutants["b"] = FailsIn({"Core.Two"}, Verdict::kSkipped, 3);
  EXPECT_THAT(ChooseTellingCases(kSuite, signatures, {}, 2),
              ElementsAre("Core.One", "Edge/f32.Nan"));
}

// The bug is still to be found where the case that would find it was skipped.
TEST(TellingCases, WhatWasSkippedMakesRoomForOthers) {
  auto known = Known();
  known->mutants["d"].cases["Gpu.Second"][Verdict::kWrongAnswer] = 3;
  const std::vector<CaseEvidence> skipped = {Tried("Core.Two", Verdict::kSkipped)};
  EXPECT_THAT(ChooseTellingCases(kSuite, known, skipped, 2),
              ElementsAre("Edge/f32.Inf", "Gpu.Second"));
  const std::vector<CaseEvidence> right = {Tried("Core.Two", Verdict::kAccepted)};
  EXPECT_THAT(ChooseTellingCases(kSuite, known, right, 2),
              ElementsAre("Edge/f32.Inf", "Gpu.Second"));
  EXPECT_THAT(ChooseTellingCases(kSuite, known, right, 1), ElementsAre("Edge/f32.Inf"));
}

TEST(TellingCases, PatternsNameCases) {
  EXPECT_THAT(CasesMatching(kSuite, "Edge/f32.Nan"), ElementsAre("Edge/f32.Nan"));
  EXPECT_THAT(CasesMatching(kSuite, "Core.*"), ElementsAre("Core.One", "Core.Two"));
  EXPECT_THAT(CasesMatching(kSuite, "*Nan*"), ElementsAre("Edge/f32.Nan"));
  EXPECT_THAT(CasesMatching(kSuite, "Nan"), IsEmpty());
  EXPECT_EQ(GroupOf("Edge/f32.Nan"), "Edge/f32");
}

}  // namespace
}  // namespace assay
