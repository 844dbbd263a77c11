// SPDX-License-Identifier: Apache-2.0
#include "client/results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>

#include "base/file.h"
#include "base/temporary.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

CaseEvidence CaseWith(std::initializer_list<std::pair<Verdict, std::string>> notes) {
  Results results;
  results.BeginCase("Suite.Case");
  for (const auto& [verdict, detail] : notes) {
    results.Note(verdict, detail);
  }
  return results.EndCase(0);
}

TEST(Results, CaseWithoutNotesIsAccepted) { EXPECT_EQ(CaseWith({}).verdict, Verdict::kAccepted); }

TEST(Results, SkippedCaseIsNotAccepted) {
  const CaseEvidence skipped = CaseWith({{Verdict::kSkipped, "no such entry point"}});
  EXPECT_EQ(skipped.verdict, Verdict::kSkipped);
  EXPECT_EQ(skipped.detail, "no such entry point");
}

TEST(Results, GravestNoteDecidesAndGivesTheDetail) {
  const CaseEvidence graded = CaseWith({{Verdict::kWrongAnswer, "dx is wrong"},
                                        {Verdict::kRuntimeError, "killed by SIGSEGV"},
                                        {Verdict::kWrongAnswer, "dgamma is wrong"}});
  EXPECT_EQ(graded.verdict, Verdict::kRuntimeError);
  EXPECT_EQ(graded.detail, "killed by SIGSEGV");
}

TEST(Results, FirstOfEquallyGraveNotesGivesTheDetail) {
  EXPECT_EQ(CaseWith({{Verdict::kWrongAnswer, "dx"}, {Verdict::kWrongAnswer, "dgamma"}}).detail,
            "dx");
}

TEST(Results, AFailureIsInWhatWasAskedLastBeforeIt) {
  Results results;
  results.BeginCase("A");
  results.NoteAsked("forward");
  results.NoteAsked("backward");
  results.Note(Verdict::kWrongAnswer, "dx is wrong", "dx");
  results.NoteAsked("forward");
  results.Note(Verdict::kWrongAnswer, "y is wrong", "y");
  const CaseEvidence graded = results.EndCase(0);
  EXPECT_EQ(graded.failing_operation, "backward");
  EXPECT_EQ(graded.failing_output, "dx");
}

TEST(Results, AGraverFailureIsInNoOutputOfOneBefore) {
  Results results;
  results.BeginCase("A");
  results.NoteAsked("forward");
  results.Note(Verdict::kWrongAnswer, "y is wrong", "y");
  results.NoteAsked("backward");
  results.Note(Verdict::kRuntimeError, "killed by SIGSEGV");
  const CaseEvidence graded = results.EndCase(0);
  EXPECT_EQ(graded.failing_operation, "backward");
  EXPECT_EQ(graded.failing_output, std::nullopt);
}

TEST(Results, WhatWasAskedWhileCallsWereShrunkSaysNothing) {
  Results results;
  results.BeginCase("A");
  results.NoteAsked("append");
  results.NoteReproduction("append(0)");
  results.Note(Verdict::kWrongAnswer, "append is wrong");
  EXPECT_EQ(results.EndCase(0).failing_operation, std::nullopt);
}

TEST(Results, WhatAnotherCaseAskedIsNotWhereOneFails) {
  Results results;
  results.BeginCase("A");
  results.NoteAsked("forward");
  results.EndCase(0);
  results.BeginCase("B");
  results.Note(Verdict::kWrongAnswer, "entry point backward is missing");
  EXPECT_EQ(results.EndCase(0).failing_operation, std::nullopt);
}

TEST(Results, ASkippedCaseFailedNowhere) {
  Results results;
  results.BeginCase("A");
  results.NoteAsked("create");
  results.Note(Verdict::kSkipped, "unsupported");
  EXPECT_EQ(results.EndCase(0).failing_operation, std::nullopt);
}

TEST(Results, ACaseKnowsNothingOfTheOneBefore) {
  Results results;
  results.BeginCase("A");
  results.Tag("gradient");
  results.DoesNotGate();
  results.NoteAsked("f");
  results.Note(Verdict::kWrongAnswer, "wrong", "y");
  results.NoteReproduction("f()\ng()");
  results.NoteErrorOverBound(7);
  results.EndCase(1);
  results.BeginCase("B");
  results.EndCase(2);
  const CaseEvidence a{.name = "A",
                       .tags = {"gradient"},
                       .verdict = Verdict::kWrongAnswer,
                       .gates = false,
                       .detail = "wrong",
                       .reproduction = "f() g()",
                       .error_over_bound = 7,
                       .failing_output = "y",
                       .seconds = 1};
  const CaseEvidence b{.name = "B",
                       .tags = {},
                       .verdict = Verdict::kAccepted,
                       .gates = true,
                       .detail = "",
                       .reproduction = {},
                       .error_over_bound = {},
                       .seconds = 2};
  EXPECT_THAT(results.run().suite.cases, ElementsAre(a, b));
}

TEST(Results, KeepsTheWorstErrorAndEachTagOnce) {
  Results results;
  results.BeginCase("A");
  results.Tag("edge");
  results.Tag("edge");
  results.NoteErrorOverBound(0.5);
  results.NoteErrorOverBound(0.25);
  const CaseEvidence& graded = results.EndCase(0);
  EXPECT_EQ(graded.error_over_bound, 0.5);
  EXPECT_THAT(graded.tags, SizeIs(1));
}

TEST(Results, JudgeErrorOfACaseIsOneOfTheRun) {
  Results results;
  results.BeginCase("A");
  results.Note(Verdict::kJudgeError, "no memory for the arena");
  results.EndCase(0);
  results.NoteJudgeError("a later one");
  EXPECT_EQ(results.run().judge_error, "A: no memory for the arena");
}

TEST(Results, WrittenFileReadsBackEqual) {
  auto folder = TemporaryDirectory::Create(testing::TempDir(), "results");
  ASSERT_TRUE(folder);
  Results results;
  results.BeginCase("A");
  results.EndCase(0.5);
  results.run().entry_points = {"ln_forward_f32"};
  const auto file = folder->path() / "results.json";
  ASSERT_TRUE(WriteResults(results.run(), file));
  const auto json = ReadFile(file);
  ASSERT_TRUE(json);
  EXPECT_EQ(RunResultsFromJson(*json, file.string()), results.run());
}

TEST(GiveUpRule, HostsHaveTheirTimeAndNoMore) {
  GiveUpRule rule(std::chrono::seconds(90));
  rule.SawHostTime(std::chrono::seconds(60));
  rule.SawHostTime(std::chrono::seconds(30));
  EXPECT_FALSE(rule.ReasonToStop());
  EXPECT_FALSE(rule.Reason());
  rule.SawHostTime(std::chrono::nanoseconds(1));
  ASSERT_TRUE(rule.ReasonToStop());
  EXPECT_EQ(rule.ReasonToStop()->cause, GiveUpCause::kRunLimit);
  EXPECT_EQ(rule.ReasonToStop()->reason,
            "hosts took over 90 s in all, the most that they may in a run");
  ASSERT_TRUE(rule.Reason());
  EXPECT_EQ(rule.Reason()->cause, GiveUpCause::kRunLimit);
  EXPECT_EQ(rule.Reason()->reason, "not run after " + rule.ReasonToStop()->reason);
}

TEST(GiveUpRule, ThreeLimitsInARowEndTheRun) {
  GiveUpRule rule;
  rule.SawCase(Verdict::kTimeLimit);
  rule.SawCase(Verdict::kMemoryLimit);
  EXPECT_FALSE(rule.Reason());
  rule.SawCase(Verdict::kTimeLimit);
  ASSERT_TRUE(rule.Reason());
  EXPECT_EQ(rule.Reason()->cause, GiveUpCause::kLimits);
  EXPECT_EQ(rule.Reason()->reason, "not run after 3 cases in a row over a limit of time or memory");
}

TEST(GiveUpRule, AnyCaseThatEndsOtherwiseStartsTheCountAgain) {
  GiveUpRule rule;
  rule.SawCase(Verdict::kTimeLimit);
  rule.SawCase(Verdict::kTimeLimit);
  rule.SawCase(Verdict::kWrongAnswer);
  rule.SawCase(Verdict::kTimeLimit);
  EXPECT_FALSE(rule.Reason());
}

TEST(GiveUpRule, SkippedCasesDoNotCount) {
  GiveUpRule rule;
  rule.SawCase(Verdict::kTimeLimit);
  rule.SawCase(Verdict::kTimeLimit);
  rule.SawCase(Verdict::kSkipped);
  rule.SawCase(Verdict::kTimeLimit);
  EXPECT_TRUE(rule.Reason());
}

TEST(GiveUpRule, ThreeFailedStartsInARowEndTheRun) {
  GiveUpRule rule;
  rule.SawStart(Verdict::kRuntimeError);
  rule.SawStart(Verdict::kRuntimeError);
  rule.SawStart(std::nullopt);
  rule.SawStart(Verdict::kRuntimeError);
  rule.SawStart(Verdict::kTimeLimit);
  EXPECT_FALSE(rule.Reason());
  rule.SawStart(Verdict::kRuntimeError);
  ASSERT_TRUE(rule.Reason());
  EXPECT_EQ(rule.Reason()->cause, GiveUpCause::kDeadHosts);
  EXPECT_THAT(rule.Reason()->reason, HasSubstr("died before their first message"));
}

TEST(SanitizerFindings, TakesTheSummaryOfAddressSanitizer) {
  EXPECT_THAT(SanitizerFindings("==7==ERROR: AddressSanitizer: heap-buffer-overflow on address\n"
                                "    #0 0x1 in ln_backward_f32\n"
                                "SUMMARY: AddressSanitizer: heap-buffer-overflow a.cc:3 in f\n"),
              ElementsAre("AddressSanitizer: heap-buffer-overflow a.cc:3 in f"));
}

TEST(SanitizerFindings, TakesTheLineOfUndefinedBehaviourOnce) {
  EXPECT_THAT(SanitizerFindings("a.cc:3:5: runtime error: signed integer overflow: 1 + 2\n"
                                "SUMMARY: UndefinedBehaviorSanitizer: undefined-behavior a.cc:3\n"),
              ElementsAre("a.cc:3:5: runtime error: signed integer overflow: 1 + 2"));
}

TEST(SanitizerFindings, OrdinaryTextIsNone) {
  EXPECT_THAT(SanitizerFindings("SUMMARY: all is well\nPASS\n"), IsEmpty());
}

TEST(SanitizerFindings, AFloodIsCut) {
  std::string flood;
  for (int i = 0; i < 1000; ++i) {
    flood += "x: runtime error: again\n";
  }
  EXPECT_THAT(SanitizerFindings(flood), SizeIs(20));
}

TEST(OneLine, DropsWhatWouldBreakALine) { EXPECT_EQ(OneLine("a\nb\tc\x1b[31m\r\n"), "a b c[31m"); }

// A report and a terminal would drop them later; whoever reads the evidence itself sees no more
// than they.
TEST(OneLine, DropsWhatNoReaderSees) {
  EXPECT_EQ(OneLine("a\xE2\x80\xAE"
                    "b\xC2\x9B"
                    "2J\xff"),
            "ab2J");
}

TEST(OneLine, CutsBetweenCharacters) {
  const std::string start(kLongestDetail_bytes - 4, 'x');
  const std::string line = OneLine(start + "äää" + std::string(600, 'y'));
  EXPECT_EQ(line, start + "...");
}

TEST(OneLine, HoldsAShrunkSequenceOfOperations) {
  std::string shrunk = "shrunk to 60 operations: ";
  while (shrunk.size() < 2200) {
    shrunk += "append(s0 x1); fork(0->1); attend(s1); ";
  }
  shrunk += "— out[5] got 1, want 2";
  EXPECT_EQ(OneLine(shrunk), shrunk);
}

}  // namespace
}  // namespace assay
