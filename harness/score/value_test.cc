// SPDX-License-Identifier: Apache-2.0
#include "score/value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "score/value_for_test.h"

namespace assay {
namespace {

using State = CriterionValue::State;
using synthetic::MakeCase;
using synthetic::MakeCell;
using synthetic::MakeCriterion;
using testing::HasSubstr;

TEST(PassRateTest, SkippedCasesAreNoPasses) {
  Evidence cell = MakeCell("m");
  cell.suite.cases = {
      MakeCase("A", {"edge"}, Verdict::kAccepted), MakeCase("B", {"edge"}, Verdict::kSkipped),
      MakeCase("C", {"edge", "big"}, Verdict::kTimeLimit),
      MakeCase("D", {"other"}, Verdict::kAccepted), MakeCase("E", {"edge"}, Verdict::kAccepted)};
  const CriterionValue value = ValueOf("pass_rate(edge)", cell);
  EXPECT_EQ(value.state, State::kMeasured);
  EXPECT_DOUBLE_EQ(value.value, 0.5);
  EXPECT_EQ(value.note, "2 of 4; 1 left out or refused");
}

TEST(PassRateTest, OfSeveralTagsEachCaseCountsOnce) {
  Evidence cell = MakeCell("m");
  cell.suite.cases = {MakeCase("A", {"edge", "big"}, Verdict::kAccepted),
                      MakeCase("B", {"edge"}, Verdict::kSkipped),
                      MakeCase("C", {"big"}, Verdict::kWrongAnswer),
                      MakeCase("D", {"other"}, Verdict::kAccepted)};
  EXPECT_EQ(ValueOf("pass_rate(edge, big)", cell).note, "1 of 3; 1 left out or refused");
  EXPECT_EQ(ValueOf("right_rate(edge, big)", cell).note, "1 of 2; 1 left out or refused");
  EXPECT_EQ(ValueOf("pass_rate(tall, wide)", cell).note, "no case has the tag tall or wide");
}

TEST(RightRateTest, WhatIsLeftOutOrRefusedDoesNotCountAndWhatWasNotReachedDoes) {
  Evidence cell = MakeCell("m");
  cell.suite.cases = {
      MakeCase("A", {"merge"}, Verdict::kAccepted), MakeCase("B", {"merge"}, Verdict::kWrongAnswer),
      MakeCase("C", {"merge"}, Verdict::kSkipped, "says SOFTMAX_TOPK_UNSUPPORTED"),
      MakeCase("D", {"merge"}, Verdict::kSkipped, "not run after 3 cases in a row over a limit"),
      MakeCase("E", {"half"}, Verdict::kSkipped, "entry point f is not implemented")};
  cell.suite.cases[2].skip_cause = SkipCause::kRefused;
  cell.suite.cases[3].given_up = GiveUpCause::kLimits;
  cell.suite.cases[4].skip_cause = SkipCause::kNotOffered;
  const CriterionValue value = ValueOf("right_rate(merge)", cell);
  EXPECT_DOUBLE_EQ(value.value, 1.0 / 3);
  EXPECT_EQ(value.note, "1 of 3; 1 refused");
  EXPECT_EQ(ValueOf("pass_rate(merge)", cell).note, "1 of 4; 1 refused");
  EXPECT_EQ(ValueOf("right_rate(half)", cell).state, State::kFailed);
  EXPECT_EQ(ValueOf("right_rate(half)", cell).note, "none of 1 cases answered; 1 not implemented");
}

// "1 of 1" is no 100 %: who answers one of twenty is right in one of five.
TEST(RightRateTest, OfFewAnswersIsOfAQuarterOfTheCases) {
  Evidence cell = MakeCell("m");
  cell.suite.cases.assign(20, MakeCase("A", {"merge"}, Verdict::kSkipped));
  cell.suite.cases[0].verdict = Verdict::kAccepted;
  EXPECT_DOUBLE_EQ(ValueOf("right_rate(merge)", cell).value, 0.2);
  EXPECT_EQ(ValueOf("right_rate(merge)", cell).note, "1 of 5; 19 left out or refused");
  for (std::size_t i = 1; i < 6; ++i) {
    cell.suite.cases[i].verdict = Verdict::kAccepted;
  }
  EXPECT_DOUBLE_EQ(ValueOf("right_rate(merge)", cell).value, 1);
  cell.suite.cases[6].verdict = Verdict::kWrongAnswer;
  EXPECT_DOUBLE_EQ(ValueOf("right_rate(merge)", cell).value, 6.0 / 7);
}

// Refused, not implemented and wrong are three things.
TEST(PassRateTest, TellsWhatIsNotImplementedFromWhatIsRefused) {
  Evidence cell = MakeCell("m");
  cell.suite.cases.assign(6, MakeCase("A", {"edge"}, Verdict::kSkipped));
  cell.suite.cases[0].verdict = Verdict::kAccepted;
  cell.suite.cases[1].verdict = Verdict::kWrongAnswer;
  cell.suite.cases[2].skip_cause = SkipCause::kRefused;
  cell.suite.cases[3].skip_cause = SkipCause::kNotOffered;
  cell.suite.cases[4].skip_cause = SkipCause::kNotReported;
  cell.suite.cases[5].skip_cause = SkipCause::kDeviceLacks;
  const std::string rest = "; 1 refused; 2 not implemented; 1 beyond the emulated GPU";
  EXPECT_EQ(ValueOf("right_rate(edge)", cell).note, "1 of 2" + rest);
  EXPECT_EQ(ValueOf("pass_rate(edge)", cell).note, "1 of 6" + rest);
}

// A build under sanitizers, or a real GPU, is not asked everything: that is no refusal.
TEST(PassRateTest, WhatIsNotAskedHereCountsInNoRow) {
  Evidence cell = MakeCell("m");
  cell.suite.cases = {MakeCase("A", {"edge"}, Verdict::kAccepted),
                      MakeCase("B", {"edge"}, Verdict::kSkipped)};
  cell.suite.cases[1].skip_cause = SkipCause::kNotAsked;
  EXPECT_EQ(ValueOf("pass_rate(edge)", cell).note, "1 of 1");
  EXPECT_EQ(ValueOf("right_rate(edge)", cell).note, "1 of 1");
  cell.suite.cases.erase(cell.suite.cases.begin());
  for (const char* row : {"pass_rate(edge)", "right_rate(edge)"}) {
    EXPECT_EQ(ValueOf(row, cell).state, State::kNotMeasured) << row;
    EXPECT_EQ(ValueOf(row, cell).note, "no case with the tag edge is asked here") << row;
  }
}

TEST(PassRateTest, WithoutCasesItIsNotMeasured) {
  Evidence cell = MakeCell("m");
  EXPECT_EQ(ValueOf("pass_rate(edge)", cell).state, State::kNotMeasured);
  cell.suite.cases = {MakeCase("A", {"other"}, Verdict::kAccepted)};
  EXPECT_EQ(ValueOf("pass_rate(edge)", cell).note, "no case has the tag edge");
}

TEST(PassRateTest, JudgeErrorInOneCaseIsNeverCountedAgainstTheSubmission) {
  Evidence cell = MakeCell("m");
  cell.suite.cases = {MakeCase("A", {"edge"}, Verdict::kAccepted),
                      MakeCase("B", {"edge"}, Verdict::kJudgeError)};
  EXPECT_EQ(ValueOf("pass_rate(edge)", cell).state, State::kNotMeasured);
}

TEST(MetricTest, AbsentMetricOfASuiteThatRanIsFailed) {
  Evidence cell = MakeCell("m");
  EXPECT_EQ(ValueOf("metric(x)", cell).state, State::kNotMeasured);
  cell.suite.cases = {MakeCase("A", {}, Verdict::kRuntimeError)};
  EXPECT_EQ(ValueOf("metric(x)", cell).state, State::kFailed);
  cell.suite.metrics["x"] = 7;
  EXPECT_EQ(ValueOf("metric(x)", cell).value, 7);
}

TEST(MetricTest, NanIsFailedAndInfinityMeasured) {
  Evidence cell = MakeCell("m");
  cell.suite.metrics = {{"nan", NAN}, {"inf", INFINITY}};
  EXPECT_EQ(ValueOf("metric(nan)", cell).state, State::kFailed);
  EXPECT_EQ(ValueOf("metric(inf)", cell).state, State::kMeasured);
}

/// A row of kind gpu in a challenge that takes CUDA.
struct GpuRowTest : testing::Test {
  ChallengeView challenge;
  Evidence cell = MakeCell("m");
  Criterion criterion = MakeCriterion("c", "d", "metric(reads_per_logit)");

  GpuRowTest() {
    challenge.spec.languages = {"c++", "cuda"};
    criterion.kind = CriterionKind::kGpu;
    cell.suite.cases = {MakeCase("A", {}, Verdict::kWrongAnswer)};
  }
  [[nodiscard]] CriterionValue Value() const { return Evaluate(criterion, challenge, cell); }
};

TEST_F(GpuRowTest, AKernelThatIsNowhereRightHasFailedItsTraffic) {
  EXPECT_EQ(Value().state, State::kFailed);
  EXPECT_THAT(Value().note, HasSubstr("at the shapes where it is measured"));
  cell.suite.cases.clear();
  EXPECT_EQ(Value().state, State::kNotMeasured);
}

TEST_F(GpuRowTest, WhatTheEmulatedGpuLacksIsNotTheSubmissionsFault) {
  cell.suite.device_lacks = {"tex.2d at f.cu:4"};
  EXPECT_EQ(Value().state, State::kNotMeasured);
  EXPECT_EQ(Value().note, "the emulated GPU lacks tex.2d at f.cu:4");
  cell.suite.metrics["reads_per_logit"] = 1;
  EXPECT_EQ(Value().value, 1);
}

TEST_F(GpuRowTest, WhatIsNotImplementedIsNotMeasured) {
  criterion.needs = {"f_cuda", "g_cuda"};
  EXPECT_EQ(Value().state, State::kNotMeasured);
  EXPECT_EQ(Value().note, "not implemented: f_cuda, g_cuda");
  EXPECT_EQ(Value().note_is, CriterionValue::Note::kNotImplemented);
  cell.entry_points = {"h", "g_cuda"};
  EXPECT_EQ(Value().state, State::kFailed);
}

TEST_F(GpuRowTest, WhatDoesNotBuildIsFailedWhateverItNeeds) {
  criterion.needs = {"f_cuda"};
  cell.verdict = cell.release.verdict = Verdict::kCompileError;
  EXPECT_EQ(Value().state, State::kFailed);
}

// An endless loop has no findings and no times to lose points with.
TEST(GivenUpTest, RowsThatNeedMoreOfTheSuiteAreFailed) {
  Evidence cell = MakeCell("m");
  cell.sanitized.verdict = Verdict::kAccepted;
  cell.suite.cases = {MakeCase("A", {}, Verdict::kTimeLimit),
                      MakeCase("B", {}, Verdict::kSkipped, "not run after 3 cases in a row")};
  cell.suite.cases[1].given_up = GiveUpCause::kLimits;
  cell.sanitized_suite.cases = cell.suite.cases;
  for (const char* value : {"device_findings", "device_findings(racecheck)", "sanitizer_findings",
                            "bench_ratio(w)", "bench_share(w)"}) {
    EXPECT_EQ(ValueOf(value, cell).state, State::kFailed) << value;
  }
  EXPECT_EQ(ValueOf("bench_ratio(w)", cell).note,
            "not timed, as B was not run after 3 cases in a row");
  // What a case says does not count.
  cell.suite.cases[1].given_up = cell.sanitized_suite.cases[1].given_up = std::nullopt;
  cell.suite.metrics["device_cases_right"] = 1;
  cell.sanitized_suite.cases.push_back(MakeCase("C", {}, Verdict::kAccepted));
  cell.sanitized_suite.cases.back().answered = {"f"};
  EXPECT_EQ(ValueOf("device_findings", cell).value, 0);
  EXPECT_EQ(ValueOf("sanitizer_findings", cell).value, 0);
  EXPECT_EQ(ValueOf("bench_ratio(w)", cell).state, State::kNotMeasured);
}

TEST(CurveTest, IsTheMeanLogOfTheErrors) {
  Evidence cell = MakeCell("m");
  EXPECT_EQ(ValueOf("curve(e, 3)", cell).note, "the suite was not run");
  cell.suite.cases = {MakeCase("A", {"edge"}, Verdict::kAccepted)};
  EXPECT_EQ(ValueOf("curve(e, 3)", cell).state, State::kFailed);
  cell.suite.curves["e"] = {{1e2, 1e-8}, {1e3, 1e-6}, {1e4, 1e-4}};
  EXPECT_DOUBLE_EQ(ValueOf("curve(e, 3)", cell).value, -6);
  EXPECT_EQ(ValueOf("curve(e, 3)", cell).note, "errors of 1e-08 to 0.0001");
}

TEST(CurveTest, ErrorsCountWithinCaps) {
  Evidence cell = MakeCell("m");
  cell.suite.cases = {MakeCase("A", {"edge"}, Verdict::kAccepted)};
  cell.suite.curves["e"] = {{1, 0}, {2, 1e300}, {3, NAN}, {4, -1}, {5, INFINITY}};
  EXPECT_DOUBLE_EQ(ValueOf("curve(e, 5)", cell).value, -17.0 / 5);
}

// Else who fails where it is hard would have the better curve.
TEST(CurveTest, PointsThatAreMissingCountAsTheWorst) {
  Evidence cell = MakeCell("m");
  cell.suite.cases = {MakeCase("A", {"edge"}, Verdict::kAccepted)};
  cell.suite.curves["e"] = {{1e2, 1e-8}};
  EXPECT_DOUBLE_EQ(ValueOf("curve(e, 4)", cell).value, -2);
  EXPECT_EQ(ValueOf("curve(e, 4)", cell).note, "errors of 1e-08 to 1e-08; 3 of 4 points missing");
}

TEST(StaticTest, AbsentFieldIsNotMeasured) {
  Evidence cell = MakeCell("m");
  cell.statics.files = 3;
  cell.statics.code_lines = 275;
  EXPECT_EQ(ValueOf("static(files)", cell).value, 3);
  EXPECT_EQ(ValueOf("static(code_lines)", cell).value, 275);
  EXPECT_EQ(ValueOf("static(source_code_lines)", cell).state, State::kNotMeasured);
  EXPECT_EQ(ValueOf("static(largest_file_lines)", cell).state, State::kNotMeasured);
  cell.statics.source_code_lines = 200;
  cell.statics.largest_file_share = 61.0 / 200;
  EXPECT_EQ(ValueOf("static(source_code_lines)", cell).value, 200);
  EXPECT_EQ(ValueOf("static(largest_file_lines)", cell).value, 61);
  EXPECT_EQ(ValueOf("static(cognitive_complexity)", cell).state, State::kNotMeasured);
  EXPECT_EQ(ValueOf("static(no_such_field)", cell).state, State::kNotMeasured);
  EXPECT_EQ(ValueOf("static(unused_device_functions)", cell).state, State::kNotMeasured);
  cell.statics.parsed_share = 1;
  EXPECT_EQ(ValueOf("static(cognitive_complexity)", cell).state, State::kFailed);
  cell.statics.cognitive_complexity = 12;
  EXPECT_EQ(ValueOf("static(cognitive_complexity)", cell).note, "");
  cell.statics.parsed_share = 0.62;
  EXPECT_EQ(ValueOf("static(cognitive_complexity)", cell).note,
            "38 % of the code read by tokens, not by clang");
  cell.statics.unused_device_functions = 2;
  EXPECT_EQ(ValueOf("static(unused_device_functions)", cell).value, 2);
}

TEST(OwnTestsTest, CountsAndKills) {
  Evidence cell = MakeCell("m");
  EXPECT_EQ(ValueOf("own_tests(shipped)", cell).value, 0);
  EXPECT_EQ(ValueOf("own_tests(shipped)", cell).state, State::kMeasured);
  EXPECT_EQ(ValueOf("own_tests(kills:drops_nan)", cell).note, "no own tests");
  cell.own_tests = {.shipped = 2,
                    .passing_on_itself = 2,
                    .passing_on_baseline = 1,
                    .benchmarks_shipped = 8,
                    .benchmarks_running = 7,
                    .mutants_killed = {"naive_variance"},
                    .mutants_survived = {"drops_nan"},
                    .detail = ""};
  EXPECT_EQ(ValueOf("own_tests(passing_on_baseline)", cell).note, "of 2");
  EXPECT_EQ(ValueOf("own_tests(benchmarks_running)", cell).value, 7);
  EXPECT_EQ(ValueOf("own_tests(mutants_killed)", cell).value, 1);
  EXPECT_EQ(ValueOf("own_tests(mutants_killed)", cell).note, "of 2");
  EXPECT_EQ(ValueOf("own_tests(kills:naive_variance)", cell).value, 1);
  EXPECT_EQ(ValueOf("own_tests(kills:drops_nan)", cell).value, 0);
  EXPECT_EQ(ValueOf("own_tests(kills:unknown)", cell).state, State::kNotMeasured);
}

TEST(AnswersTest, UnansweredIsNotRight) {
  Evidence cell = MakeCell("m");
  ChallengeSpec challenge;
  challenge.questions = {{.id = "a", .text = "", .unit = "", .group = "g"},
                         {.id = "b", .text = "", .unit = "", .group = "g"},
                         {.id = "z", .text = "", .unit = "", .group = "h"}};
  cell.answers = {{.question = "a", .answered = "1", .expected = "1", .right = true}};
  EXPECT_EQ(ValueOf("answers(g)", cell, challenge).note, "1 of 2");
  EXPECT_EQ(ValueOf("answers(all)", cell, challenge).note, "1 of 3");
  EXPECT_EQ(ValueOf("answers(none)", cell, challenge).state, State::kNotMeasured);
}

TEST(EntryPointsTest, CountsThoseOffered) {
  Evidence cell = MakeCell("m");
  cell.entry_points = {"f", "extra"};
  const CriterionValue value = ValueOf("entry_points(f, g)", cell);
  EXPECT_EQ(value.value, 1);
  EXPECT_EQ(value.note, "of 2");
  EXPECT_EQ(value.note_is, CriterionValue::Note::kOfHowMany);
}

TEST(BuildsAsHandedInTest, APatchIsSeen) {
  Evidence cell = MakeCell("m");
  EXPECT_EQ(ValueOf("builds_as_handed_in", cell).value, 1);
  cell.repair = Repair{.patch = "patches/fix.patch", .reason = "", .diagnostics = ""};
  EXPECT_EQ(ValueOf("builds_as_handed_in", cell).value, 0);
  cell.release.verdict = Verdict::kCompileError;
  EXPECT_EQ(ValueOf("builds_as_handed_in", cell).state, State::kFailed);
}

// A capability that is not there costs in its own row, and once.
TEST(NeedsCasesTest, WithoutAnyThatIsAnsweredThereIsNoValue) {
  Evidence cell = MakeCell("m");
  cell.suite.metrics["bytes"] = 7;
  cell.suite.cases = {MakeCase("A", {"int4"}, Verdict::kSkipped),
                      MakeCase("B", {"int4"}, Verdict::kSkipped)};
  Criterion criterion = MakeCriterion("c", "d", "metric(bytes)");
  criterion.needs_cases = "int4";
  const auto value = [&] { return Evaluate(criterion, {}, cell); };
  EXPECT_EQ(value().state, State::kNotMeasured);
  EXPECT_EQ(value().note_is, CriterionValue::Note::kNotImplemented);
  cell.suite.cases[0].verdict = Verdict::kWrongAnswer;
  EXPECT_EQ(value().state, State::kFailed) << "being wrong pays no more than refusing";
  cell.suite.cases[1].verdict = Verdict::kAccepted;
  EXPECT_EQ(value().value, 7);
}

TEST(ClaimsTest, ShareThatHolds) {
  Evidence cell = MakeCell("m");
  EXPECT_EQ(ValueOf("claims", cell).state, State::kNotMeasured);
  cell.claims = {{.claim = "a", .claimed = 1, .measured = 1, .holds = true},
                 {.claim = "b", .claimed = 1, .measured = std::nullopt, .holds = false}};
  EXPECT_EQ(ValueOf("claims", cell).note, "1 of 2");
}

TEST(CellVerdictTest, CompileErrorFailsWhatNeedsRunningCodeAlone) {
  Evidence cell = MakeCell("m");
  cell.verdict = cell.release.verdict = Verdict::kCompileError;
  cell.statics.code_lines = 10;
  for (const char* expression :
       {"pass_rate(a)", "metric(a)", "own_tests(shipped)", "entry_points(f)", "sanitizer_findings",
        "bench_ratio(b)", "bench_share(b)", "claims"}) {
    EXPECT_EQ(ValueOf(expression, cell).state, State::kFailed) << expression;
    EXPECT_THAT(ValueOf(expression, cell).note, HasSubstr("compile_error"));
  }
  EXPECT_EQ(ValueOf("static(code_lines)", cell).state, State::kMeasured);
  EXPECT_EQ(ValueOf("review", cell).state, State::kNotMeasured);
}

TEST(CellVerdictTest, CompileErrorFailsGpuRowsOnlyWhereTheChallengeTakesCuda) {
  Evidence cell = MakeCell("m");
  cell.verdict = cell.release.verdict = Verdict::kCompileError;
  Criterion criterion = MakeCriterion("c", "d", "metric(kernels)");
  criterion.kind = CriterionKind::kGpu;
  ChallengeView challenge;
  challenge.spec.languages = {"c++"};
  EXPECT_EQ(Evaluate(criterion, challenge, cell).state, State::kNotMeasured);
  challenge.spec.languages = {"c++", "cuda"};
  EXPECT_EQ(Evaluate(criterion, challenge, cell).state, State::kFailed);
}

TEST(CellVerdictTest, RejectedFailsEverything) {
  Evidence cell = MakeCell("m");
  cell.verdict = Verdict::kRejected;
  cell.statics.code_lines = 10;
  EXPECT_EQ(ValueOf("static(code_lines)", cell).state, State::kFailed);
}

TEST(CellVerdictTest, JudgeErrorAndSkippedMeasureNothing) {
  Evidence cell = MakeCell("m");
  cell.statics.code_lines = 10;
  for (const Verdict verdict : {Verdict::kJudgeError, Verdict::kSkipped}) {
    cell.verdict = verdict;
    EXPECT_EQ(ValueOf("static(code_lines)", cell).state, State::kNotMeasured);
  }
}

}  // namespace
}  // namespace assay
