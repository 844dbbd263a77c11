// SPDX-License-Identifier: Apache-2.0
#include "score/value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "score/synthetic.h"

namespace assay {
namespace {

using State = CriterionValue::State;
using synthetic::MakeCase;
using synthetic::MakeCell;
using synthetic::MakeControls;
using synthetic::MakeCriterion;
using synthetic::MakeWorkload;
using testing::HasSubstr;

CriterionValue ValueOf(std::string_view expression, const Evidence& cell,
                       const ChallengeSpec& challenge = {}) {
  return Evaluate(MakeCriterion("c", "d", expression), {.spec = challenge, .rubric = {}}, cell);
}

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

TEST(DeviceFindingsTest, CountsThoseOfOneCheckerOrAll) {
  Evidence cell = MakeCell("m");
  EXPECT_EQ(ValueOf("device_findings", cell).state, State::kNotMeasured);
  cell.suite.cases = {MakeCase("A", {}, Verdict::kAccepted)};
  cell.suite.metrics["device_cases_right"] = 1;
  EXPECT_EQ(ValueOf("device_findings", cell).value, 0);
  EXPECT_EQ(ValueOf("device_findings", cell).state, State::kMeasured);
  cell.suite.device_findings = {
      {.checker = "racecheck", .text = "read after write at f.cu:3 in F"},
      {.checker = "racecheck", .text = "write after write at f.cu:9 in F"},
      {.checker = "memcheck", .text = "out of bounds at racecheck: .cu:1 in F"}};
  EXPECT_EQ(ValueOf("device_findings", cell).value, 3);
  EXPECT_EQ(ValueOf("device_findings(racecheck)", cell).value, 2);
  EXPECT_EQ(ValueOf("device_findings(initcheck)", cell).value, 0);
}

// What launched nothing right has no findings to lose points with.
TEST(DeviceFindingsTest, OfKernelsThatNeverRanRightAreFailed) {
  Evidence cell = MakeCell("m");
  cell.suite.cases = {MakeCase("A", {}, Verdict::kWrongAnswer),
                      MakeCase("B", {}, Verdict::kAccepted)};
  EXPECT_EQ(ValueOf("device_findings", cell).state, State::kFailed);
  EXPECT_EQ(ValueOf("device_findings(racecheck)", cell).state, State::kFailed);
  EXPECT_EQ(ValueOf("device_findings", cell).note,
            "0 found, and no case in which its kernels ran is right");
  cell.suite.device_lacks = {"textures"};
  EXPECT_EQ(ValueOf("device_findings", cell).state, State::kNotMeasured);
  cell.suite.device_lacks = {};
  cell.suite.metrics["device_cases_right"] = 1;
  EXPECT_EQ(ValueOf("device_findings", cell).state, State::kMeasured);
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

TEST(SanitizerFindingsTest, EveryState) {
  Evidence cell = MakeCell("m");
  EXPECT_EQ(ValueOf("sanitizer_findings", cell).state, State::kNotMeasured);
  cell.sanitized_suite.cases = {MakeCase("A", {}, Verdict::kAccepted)};
  EXPECT_EQ(ValueOf("sanitizer_findings", cell).state, State::kFailed) << "it answered nothing";
  cell.sanitized_suite.cases[0].answered = {"f"};
  EXPECT_EQ(ValueOf("sanitizer_findings", cell).value, 0);
  EXPECT_EQ(ValueOf("sanitizer_findings", cell).state, State::kMeasured);
  cell.sanitizer_findings = {"leak"};
  EXPECT_EQ(ValueOf("sanitizer_findings", cell).value, 1);
  cell.sanitized.verdict = Verdict::kCompileError;
  EXPECT_EQ(ValueOf("sanitizer_findings", cell).state, State::kFailed);
  cell.sanitized.verdict = Verdict::kSkipped;
  EXPECT_EQ(ValueOf("sanitizer_findings", cell).state, State::kNotMeasured);
}

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

/// Eight cases, of which the first three fail; the mutant `late` fails the first two of them.
struct DistinctFailuresTest : testing::Test {
  DistinctFailuresTest() {
    for (int i = 0; i < 8; ++i) {
      cell.suite.cases.push_back(MakeCase(std::string("Case.") + static_cast<char>('A' + i), {},
                                          i < 3 ? Verdict::kWrongAnswer : Verdict::kAccepted));
    }
    cell.suite.cases.back().answered = {"f"};
    cell.sanitized_suite.cases = cell.suite.cases;
    Signatures signatures{.suite_digest = "", .runs = 1, .mutants = {}};
    signatures.mutants["late"].cases = {{"Case.A", {{Verdict::kWrongAnswer, 1}}},
                                        {"Case.B", {{Verdict::kWrongAnswer, 1}}}};
    challenge.signatures = signatures;
  }

  [[nodiscard]] CriterionValue Value() const {
    return Evaluate(MakeCriterion("c", "d", "distinct_failures"), challenge, cell);
  }

  Evidence cell = MakeCell("m");
  ChallengeView challenge;
};

TEST_F(DistinctFailuresTest, EachKnownBugTheRestTogetherAndSanitizerFindingsCount) {
  cell.sanitizer_findings = {"heap-buffer-overflow", "leak"};
  EXPECT_EQ(Value().value, 4);
  EXPECT_EQ(Value().note, "1 known bug, 1 case like none, 2 sanitizer findings");
}

TEST_F(DistinctFailuresTest, NothingFailsIsZero) {
  for (CaseEvidence& one : cell.suite.cases) {
    one.verdict = Verdict::kAccepted;
  }
  challenge.signatures.reset();
  EXPECT_EQ(Value().state, State::kMeasured);
  EXPECT_EQ(Value().value, 0);
  cell.sanitizer_findings = {"leak"};
  EXPECT_EQ(Value().value, 1);
}

TEST_F(DistinctFailuresTest, WithoutSignaturesOrSanitizersItIsNotMeasured) {
  challenge.signatures.reset();
  EXPECT_EQ(Value().state, State::kNotMeasured);
  EXPECT_EQ(Value().note, "no signatures of mutants are kept");
  challenge.signatures = Signatures();
  EXPECT_EQ(Value().value, 1);
  cell.sanitized_suite.cases.clear();
  EXPECT_EQ(Value().state, State::kNotMeasured);
}

// What refuses everything fails nowhere.
TEST_F(DistinctFailuresTest, WhatNeverWorkedIsFailed) {
  for (CaseEvidence& one : cell.suite.cases) {
    one = MakeCase(one.name, {}, Verdict::kSkipped, "refused");
  }
  cell.sanitized_suite.cases = cell.suite.cases;
  EXPECT_EQ(Value().state, State::kFailed);
}

TEST_F(DistinctFailuresTest, WhatDoesNotBuildIsFailed) {
  cell.sanitized.verdict = Verdict::kCompileError;
  EXPECT_EQ(Value().state, State::kFailed);
  cell.verdict = cell.release.verdict = Verdict::kCompileError;
  EXPECT_EQ(Value().note, "does not build: compile_error");
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
