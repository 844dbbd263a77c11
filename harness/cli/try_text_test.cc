// SPDX-License-Identifier: Apache-2.0
#include "cli/try_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

CaseEvidence Case(std::string name, Verdict verdict, std::string detail = "", double seconds = 1) {
  CaseEvidence one;
  one.name = std::move(name);
  one.verdict = verdict;
  one.detail = std::move(detail);
  one.seconds = seconds;
  return one;
}

TryOutcome Built(std::vector<CaseEvidence> cases) {
  TryOutcome outcome;
  outcome.challenge = "norm";
  outcome.build = Verdict::kAccepted;
  outcome.cases_in_suite = 100;
  outcome.cases = std::move(cases);
  return outcome;
}

std::string Render(const TryOutcome& outcome) {
  return RenderTry(outcome, "assay try x", Colour::kOff);
}

TEST(TryText, RightSubmissionHearsWhatGradingDoesMore) {
  EXPECT_EQ(Render(Built({Case("A.One", Verdict::kAccepted)})),
            "norm: built in 0.0 s\n"
            "1 of 100 cases in 0.0 s: 1 right\n"
            "no failure; grading runs all 100 cases, with other inputs\n");
}

TEST(TryText, NothingRightIsSaid) {
  EXPECT_THAT(Render(Built({Case("A.One", Verdict::kSkipped, "f is not implemented")})),
              HasSubstr("nothing was seen to be right"));
}

TEST(TryText, FailureShowsTheCaseItsCallsAndHowToRunItAgain) {
  CaseEvidence shrunk = Case("B.Random", Verdict::kWrongAnswer, "out[0] is off", 9);
  shrunk.reproduction = "create(1); append(2)";
  const std::string text = Render(
      Built({Case("A.One", Verdict::kWrongAnswer, "x", 1), shrunk, Case("C", Verdict::kAccepted),
             Case("D", Verdict::kSkipped, "f is not implemented")}));
  EXPECT_THAT(text, AllOf(HasSubstr("1 right, 2 failed, 1 skipped"),
                          HasSubstr("skipped 1: f is not implemented"),
                          HasSubstr("B.Random: wrong_answer\n  out[0] is off\n"
                                    "  shortest calls that fail: create(1); append(2)\n"),
                          HasSubstr("also failed: A.One\n"),
                          HasSubstr("again: assay try x --case 'B.Random'\n")));
}

TEST(TryText, OfEqualFailuresTheQuickestIsShown) {
  const std::vector<CaseEvidence> cases = {Case("A", Verdict::kAccepted, "", 0.1),
                                           Case("B", Verdict::kWrongAnswer, "", 2),
                                           Case("C", Verdict::kRuntimeError, "", 1)};
  ASSERT_NE(FirstToLookAt(cases), nullptr);
  EXPECT_EQ(FirstToLookAt(cases)->name, "C");
  EXPECT_EQ(FirstToLookAt({}), nullptr);
}

TEST(TryText, BuildThatFailsShowsTheCompiler) {
  TryOutcome outcome;
  outcome.challenge = "norm";
  outcome.build = Verdict::kCompileError;
  outcome.diagnostics = "a.cc:1:2: error: no\n    1 | x\n";
  EXPECT_EQ(Render(outcome), "norm: does not build\n  a.cc:1:2: error: no\n      1 | x\n");
}

TEST(TryText, AdviceOnSymbolsStandsBeforeTheCases) {
  TryOutcome outcome = Built({});
  outcome.symbol_advice = {
      {.entry_point = {.name = "f", .required = true}, .text = "f is required"}};
  EXPECT_EQ(Render(outcome),
            "norm: built in 0.0 s\n  f is required\n"
            "no case was run for that; --case NAME runs some all the same\n");
}

TEST(TryText, TextOfTheSubmissionDrivesNoTerminal) {
  const std::string escape = "\x1b]0;title\x07";
  TryOutcome outcome = Built(
      {Case("A" + escape, Verdict::kWrongAnswer, escape), Case("B", Verdict::kSkipped, escape)});
  outcome.cases[0].reproduction = escape;
  outcome.device_lacks = {escape};
  outcome.symbol_advice = {{.entry_point = {.name = "f", .required = false}, .text = escape}};
  outcome.repaired_by = escape;
  EXPECT_THAT(Render(outcome), Not(HasSubstr("\x1b")));
  outcome.build = Verdict::kCompileError;
  outcome.diagnostics = escape;
  EXPECT_THAT(Render(outcome), Not(HasSubstr("\x1b")));
}

TEST(TryText, LongDiagnosticsAreCut) {
  TryOutcome outcome;
  outcome.build = Verdict::kCompileError;
  for (int i = 0; i < 100; ++i) {
    outcome.diagnostics += "error\n";
  }
  EXPECT_THAT(Render(outcome), HasSubstr("60 lines more"));
}

TEST(TryText, JsonHoldsTheSame) {
  TryOutcome outcome = Built({Case("A", Verdict::kWrongAnswer, "off")});
  const nlohmann::json json = TryToJson(outcome);
  EXPECT_EQ(json["fine"], false);
  EXPECT_EQ(json["first_failure"], "A");
  EXPECT_EQ(json["cases"][0]["detail"], "off");
  EXPECT_TRUE(TryToJson(Built({}))["first_failure"].is_null());
}

TEST(TryText, DifferencesBetweenTwoTries) {
  const TryOutcome before = Built({Case("A", Verdict::kWrongAnswer), Case("B", Verdict::kAccepted),
                                   Case("C", Verdict::kRuntimeError)});
  const TryOutcome after = Built({Case("A", Verdict::kAccepted), Case("B", Verdict::kWrongAnswer),
                                  Case("C", Verdict::kWrongAnswer)});
  EXPECT_THAT(DifferencesBetween(before, after),
              ElementsAre("now right: A", "now wrong: B", "still wrong: C"));
  EXPECT_THAT(DifferencesBetween(Built({Case("B", Verdict::kAccepted)}),
                                 Built({Case("B", Verdict::kAccepted)})),
              IsEmpty());
  TryOutcome broken;
  broken.build = Verdict::kCompileError;
  EXPECT_THAT(DifferencesBetween(before, broken), ElementsAre("no longer builds"));
  EXPECT_THAT(DifferencesBetween(broken, before), ElementsAre("builds again"));
}

}  // namespace
}  // namespace assay
