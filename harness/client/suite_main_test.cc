// SPDX-License-Identifier: Apache-2.0
#include "client/suite_main.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "client/main_test_support.h"
#include "process/processors.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::SizeIs;
using testing::StartsWith;

ProgramRun RunSuite(const std::string& mode, std::vector<std::string> arguments = {}) {
  arguments.push_back("--assay_host=" + ScaleHost(mode));
  return RunProgram("scale_suite", std::move(arguments));
}

TEST(SuiteMain, RightHostIsAcceptedInEveryCaseThatItCanPass) {
  const ProgramRun run = RunSuite("Right");
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  for (const CaseEvidence& one : run.results.suite.cases) {
    const bool is_about_failing = one.name == "Scale.MissingOperation" ||
                                  one.name == "Scale.ChangedArray" ||
                                  one.name == "EndsInSetUp.BodyIsNotRun";
    EXPECT_EQ(one.verdict, is_about_failing ? Verdict::kWrongAnswer : Verdict::kAccepted)
        << one.name << ": " << one.detail;
  }
  EXPECT_THAT(run.results.suite.cases, SizeIs(14));
  EXPECT_EQ(run.results.judge_error, "");
}

TEST(SuiteMain, HardwareNeedsASuiteWithCudaOperations) {
  const ProgramRun run = RunSuite("Right", {"--assay_device=cuda"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.errors, HasSubstr("this suite has no CUDA operations"));
  EXPECT_FALSE(run.has_results);
}

TEST(SuiteMain, ResultsHoldAllThatTheCasesSaid) {
  const ProgramRun run = RunSuite("Right");
  const CaseEvidence ten = run.Case("Scale.Ten");
  EXPECT_THAT(ten.tags, ElementsAre("right", "small"));
  EXPECT_TRUE(ten.gates);
  EXPECT_EQ(ten.error_over_bound, 0);
  EXPECT_THAT(ten.answered, ElementsAre("scale_f32"));
  EXPECT_THAT(RunSuite("SaysUnsupported").Case("Scale.Ten").answered, testing::IsEmpty());
  EXPECT_FALSE(run.Case("Scale.BackwardHostNeverSawForwardCalls").gates);
  EXPECT_EQ(run.results.suite.metrics.at("last"), 2);
  EXPECT_EQ(run.results.suite.metrics.at("largest"), 1);
  EXPECT_EQ(run.results.suite.metrics.at("sum"), 3);
  EXPECT_TRUE(std::isnan(run.results.suite.metrics.at("largest_with_nan_last")));
  EXPECT_TRUE(std::isnan(run.results.suite.metrics.at("least_with_nan_first")));
  EXPECT_THAT(run.results.metric_rules,
              testing::IsSupersetOf(
                  {Pair("last", MetricRule::kLast), Pair("largest", MetricRule::kMax),
                   Pair("least_with_nan_first", MetricRule::kMin), Pair("sum", MetricRule::kSum)}));
  EXPECT_THAT(run.results.suite.curves.at("curve"), ElementsAre(Pair(1, 2), Pair(2, 4)));
  EXPECT_EQ(run.results.questions.at("flops").value, 10);
  EXPECT_THAT(run.results.entry_points,
              testing::UnorderedElementsAre("scale_f32", "count_calls", "count_processors"));
}

TEST(SuiteMain, WhatEveryHostOffersIsNoEntryPointThatAnswered) {
  EXPECT_THAT(RunSuite("Right").Case("Scale.PrivateBytesAreAskedAfterACall").answered,
              ElementsAre("scale_f32"));
}

TEST(SuiteMain, ACaseMayLetItsHostUseAllProcessors) {
  const std::size_t usable = UsableProcessors().size();
  const auto metrics = RunSuite("Right").results.suite.metrics;
  EXPECT_EQ(metrics.at("processors_of_a_host"), 1);
  EXPECT_EQ(metrics.at("processors_of_an_unpinned_host"), static_cast<double>(usable));
  EXPECT_EQ(metrics.at("processors_of_the_next_host"), 1);
}

TEST(SuiteMain, ARunOfOneProcessorHasItsHostsThereUnlessACaseLetsThemUseAll) {
  const std::vector<int> usable = UsableProcessors();
  const ProgramRun run =
      RunSuite("Right", {"--assay_processors=" + std::to_string(usable.front())});
  EXPECT_EQ(run.Case("Scale.Thousand").verdict, Verdict::kAccepted);
  const auto metrics = run.results.suite.metrics;
  EXPECT_EQ(metrics.at("processors_of_a_host"), 1);
  EXPECT_EQ(metrics.at("processors_of_an_unpinned_host"), static_cast<double>(usable.size()));
}

TEST(SuiteMain, AProcessorThatIsNotThereIsABadCommandLine) {
  const ProgramRun run = RunSuite("Right", {"--assay_processors=100000"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.errors, HasSubstr("processor 100000"));
  EXPECT_FALSE(run.has_results);
}

TEST(SuiteMain, CaseThatEndsInSetUpHasNoBody) {
  const ProgramRun run = RunSuite("Right");
  const CaseEvidence ended = run.Case("EndsInSetUp.BodyIsNotRun");
  EXPECT_EQ(ended.verdict, Verdict::kWrongAnswer);
  EXPECT_EQ(ended.detail, "entry point no_such_operation is missing");
  EXPECT_FALSE(run.results.suite.metrics.contains("body_ran"));
}

TEST(SuiteMain, AFilterChangesNoPlaces) {
  const ProgramRun all = RunSuite("Right");
  EXPECT_THAT(all.results.places, SizeIs(all.results.suite.cases.size()));
  EXPECT_TRUE(std::ranges::is_sorted(all.results.places));
  const ProgramRun one = RunSuite("Right", {"--gtest_filter=Scale.Thousand"});
  ASSERT_EQ(all.results.suite.cases[1].name, "Scale.Thousand");
  EXPECT_THAT(one.results.places, ElementsAre(all.results.places[1]));
}

TEST(SuiteMain, PrintsALineForEachCase) {
  const ProgramRun run = RunSuite("Right", {"--gtest_filter=Scale.Ten:Scale.MissingOperation"});
  EXPECT_THAT(SplitLines(run.output), ElementsAre("@case 1 2 Scale.Ten accepted",
                                                  "@case 2 2 Scale.MissingOperation wrong_answer"));
  EXPECT_THAT(run.errors, HasSubstr("entry point no_such_operation is missing"));
}

TEST(SuiteMain, DetailsSayWhatIsWrong) {
  const ProgramRun run = RunSuite("Right");
  EXPECT_EQ(run.Case("Scale.MissingOperation").detail, "entry point no_such_operation is missing");
  EXPECT_EQ(run.Case("Scale.ChangedArray").detail, "gamma[2] was changed");
}

TEST(SuiteMain, WrongElementIsAWrongAnswer) {
  const CaseEvidence ten = RunSuite("Wrong").Case("Scale.Ten");
  EXPECT_EQ(ten.verdict, Verdict::kWrongAnswer);
  EXPECT_THAT(ten.detail, HasSubstr("y: 1 of 10 outside their bound, first [9]"));
  EXPECT_GT(ten.error_over_bound.value_or(0), 1);
}

TEST(SuiteMain, AFailureNamesItsOperationAndOutput) {
  const ProgramRun run = RunSuite("Wrong");
  EXPECT_EQ(run.Case("Scale.Ten").failing_operation, "scale_f32");
  EXPECT_EQ(run.Case("Scale.Ten").failing_output, "y");
  EXPECT_EQ(run.Case("Scale.ChangedArray").failing_output, "gamma");
  EXPECT_EQ(run.Case("Scale.MissingOperation").failing_operation, std::nullopt);
  EXPECT_EQ(RunSuite("Right").Case("Scale.Ten").failing_operation, std::nullopt);
}

TEST(SuiteMain, UnwrittenElementIsSaidToBeUnwritten) {
  const CaseEvidence ten = RunSuite("LeavesLast").Case("Scale.Ten");
  EXPECT_EQ(ten.verdict, Verdict::kWrongAnswer);
  EXPECT_THAT(ten.detail, HasSubstr("y: element 9 was never written"));
}

TEST(SuiteMain, DeadHostIsOneFailedCaseAndTheNextHasAFreshHost) {
  const ProgramRun run =
      RunSuite("DiesOnThird", {"--gtest_filter=Scale.Ten:Scale.Thousand:Scale.None:Scale.Five"});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_EQ(run.Case("Scale.Ten").verdict, Verdict::kAccepted);
  EXPECT_EQ(run.Case("Scale.Thousand").verdict, Verdict::kAccepted);
  EXPECT_EQ(run.Case("Scale.None").verdict, Verdict::kRuntimeError);
  EXPECT_THAT(run.Case("Scale.None").detail, HasSubstr("SIGABRT"));
  EXPECT_EQ(run.Case("Scale.Five").verdict, Verdict::kAccepted);
}

TEST(SuiteMain, ThreeTimeLimitsInARowEndTheRun) {
  const ProgramRun run =
      RunSuite("Hangs", {"--assay_case_limit_ms=200",
                         "--gtest_filter=Scale.Ten:Scale.Thousand:Scale.None:Scale.Five"});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  for (const char* name : {"Scale.Ten", "Scale.Thousand", "Scale.None"}) {
    EXPECT_EQ(run.Case(name).verdict, Verdict::kTimeLimit) << name;
    EXPECT_FALSE(run.Case(name).given_up) << name;
  }
  EXPECT_EQ(run.Case("Scale.Five").verdict, Verdict::kSkipped);
  EXPECT_EQ(run.Case("Scale.Five").given_up, GiveUpCause::kLimits);
  EXPECT_FALSE(run.Case("Scale.Five").skip_cause);
  EXPECT_THAT(run.Case("Scale.Five").detail, StartsWith("not run after 3 cases in a row"));
}

// Else the rows of the rubric that count it have no case, and drop out of the score.
TEST(SuiteMain, CaseThatIsNotRunAnyMoreKeepsItsTagsAndWhetherItGates) {
  for (const char* mode : {"Hangs", "DiesAtStart"}) {
    const CaseEvidence five =
        RunSuite(mode, {"--assay_case_limit_ms=200",
                        "--gtest_filter=Scale.Ten:Scale.Thousand:Scale.None:Scale.Five"})
            .Case("Scale.Five");
    EXPECT_EQ(five.verdict, Verdict::kSkipped) << mode;
    EXPECT_THAT(five.tags, ElementsAre("right", "odd")) << mode;
    EXPECT_FALSE(five.gates) << mode;
  }
}

TEST(SuiteMain, TagsBehindTheFirstCallAreAFaultOfTheSuite) {
  const ProgramRun run = RunSuite(
      "Right", {"--gtest_also_run_disabled_tests", "--gtest_filter=Scale.*TagsBehindACall"});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.results.judge_error, HasSubstr("calls Tag behind the case's first word"));
}

TEST(SuiteMain, HostsThatTakeAllTimeOfARunAreOverTheirLimit) {
  const ProgramRun run = RunSuite(
      "Right", {"--assay_run_limit_ms=1", "--gtest_filter=Scale.Ten:Scale.Thousand:Scale.Five"});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_EQ(run.Case("Scale.Ten").verdict, Verdict::kTimeLimit);
  EXPECT_EQ(run.Case("Scale.Ten").given_up, GiveUpCause::kRunLimit);
  EXPECT_EQ(run.Case("Scale.Ten").detail,
            "hosts took over 0.001 s in all, the most that they may in a run");
  EXPECT_EQ(run.Case("Scale.Five").verdict, Verdict::kSkipped);
  EXPECT_EQ(run.Case("Scale.Five").given_up, GiveUpCause::kRunLimit);
  EXPECT_THAT(run.Case("Scale.Five").detail, StartsWith("not run after hosts took over"));
  EXPECT_THAT(run.Case("Scale.Five").tags, ElementsAre("right", "odd"));
}

TEST(SuiteMain, HostThatNeverStartsIsTriedThreeTimes) {
  const ProgramRun run =
      RunSuite("DiesAtStart", {"--gtest_filter=Scale.Ten:Scale.Thousand:Scale.None:Scale.Five"});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_EQ(run.Case("Scale.None").verdict, Verdict::kRuntimeError);
  EXPECT_EQ(run.Case("Scale.Five").verdict, Verdict::kSkipped);
  EXPECT_EQ(run.Case("Scale.Five").given_up, GiveUpCause::kDeadHosts);
}

TEST(SuiteMain, FindingsOfASanitizedHostAreCollectedOnce) {
  const ProgramRun run = RunSuite("ReadsPastEnd", {"--assay_flavor=sanitized"});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_EQ(run.Case("Scale.Ten").verdict, Verdict::kRuntimeError);
  EXPECT_EQ(run.Case("Scale.Thousand").verdict, Verdict::kRuntimeError);
  EXPECT_THAT(run.results.sanitizer_findings,
              ElementsAre(HasSubstr("AddressSanitizer: heap-buffer-overflow")));
}

TEST(SuiteMain, MissingOptionalOperationSkips) {
  const CaseEvidence skipped = RunSuite("OnlyScale").Case("Scale.BackwardHostNeverSawForwardCalls");
  EXPECT_EQ(skipped.verdict, Verdict::kSkipped);
  EXPECT_EQ(skipped.detail, "entry point count_calls is not implemented");
  EXPECT_EQ(skipped.skip_cause, SkipCause::kNotOffered);
}

TEST(SuiteMain, WhyACaseIsSkippedIsTheLastThatTheHostSaid) {
  const auto cause_of = [](const std::string& mode, const std::string& name) {
    const CaseEvidence skipped =
        RunSuite(mode, {"--gtest_also_run_disabled_tests", "--gtest_filter=" + name}).Case(name);
    EXPECT_EQ(skipped.verdict, Verdict::kSkipped) << mode;
    return skipped.skip_cause;
  };
  EXPECT_EQ(cause_of("Right", "Scale.DISABLED_SkipsUnasked"), SkipCause::kNotAsked);
  EXPECT_EQ(cause_of("Right", "Scale.DISABLED_SkipsBehindAnAnswer"), SkipCause::kNotReported);
  EXPECT_EQ(cause_of("SaysUnsupported", "Scale.DISABLED_SkipsBehindAnAnswer"), SkipCause::kRefused);
}

TEST(SuiteMain, FiltersDoNotChangeWhatACaseDraws) {
  const ProgramRun alone = RunSuite("Right", {"--assay_seed=7", "--gtest_filter=*Draw*"});
  const ProgramRun among = RunSuite("Right", {"--assay_seed=7", "--gtest_shuffle"});
  const ProgramRun other = RunSuite("Right", {"--assay_seed=8", "--gtest_filter=*Draw*"});
  const double draw = alone.results.suite.metrics.at("draw");
  EXPECT_EQ(among.results.suite.metrics.at("draw"), draw);
  EXPECT_NE(other.results.suite.metrics.at("draw"), draw);
}

TEST(SuiteMain, ExceptionOfTheSuiteIsAJudgeError) {
  const ProgramRun run = RunSuite(
      "Right", {"--gtest_also_run_disabled_tests", "--gtest_filter=Scale.*Throws:Scale.Ten"});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.results.judge_error, HasSubstr("the oracle is out of memory"));
}

TEST(SuiteMain, HostThatDoesNotExistIsAJudgeError) {
  const ProgramRun run = RunSuite("NoSuch");
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_NE(run.results.judge_error, "");
}

TEST(SuiteMain, FilterThatMatchesNothingIsAJudgeError) {
  EXPECT_EQ(RunSuite("Right", {"--gtest_filter=Nothing"}).exit_code, 3);
}

TEST(SuiteMain, BadCommandLineLeavesNoResults) {
  const ProgramRun run = RunSuite("Right", {"--assay_typo=1"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_FALSE(run.has_results);
  EXPECT_THAT(run.errors, HasSubstr("--assay_typo=1"));
}

}  // namespace
}  // namespace assay
