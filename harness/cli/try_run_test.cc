// SPDX-License-Identifier: Apache-2.0
#include "cli/try_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

CaseEvidence Case(std::string name, Verdict verdict, std::string detail = "") {
  CaseEvidence one;
  one.name = std::move(name);
  one.verdict = verdict;
  one.detail = std::move(detail);
  return one;
}

/// A suite of thirty groups with one case each, whose verdicts are ours.
class TryRunTest : public ::testing::Test {
 protected:
  TryRunTest() {
    request_.challenge.id = "norm";
    request_.challenge.limits.case_time_limit_ms = 10'000;
    request_.challenge.limits.build_time_limit_ms = 1000;
    for (int i = 10; i < 40; ++i) {
      suite_.push_back("Group" + std::to_string(i) + ".Only");
    }
    built_.verdict = Verdict::kAccepted;
    services_ = {
        .detect_capabilities = {},
        .check_built = {},
        .build = [this](const BuildInputs&) -> Result<BuildOutcome> { return built_; },
        .read_symbols = [](const ObjectFile&) -> Result<SourceSymbols> { return SourceSymbols(); },
        .list_cases = [this](const auto&) -> Result<std::vector<std::string>> { return suite_; },
        .run_suite = [this](const SuiteRun& run, const auto&) { return RunSuite(run); }};
  }

  Result<RunResults> RunSuite(const SuiteRun& run) {
    runs_.push_back(run);
    RunResults results;
    for (const std::string& name : suite_) {
      if ((run.arguments.front() + ":").find(name + ":") != std::string::npos) {
        const auto known = verdicts_.find(name);
        results.suite.cases.push_back(
            Case(name, known == verdicts_.end() ? Verdict::kAccepted : known->second));
      }
    }
    return results;
  }

  TryOutcome Try() {
    auto outcome = TrySubmission(request_, services_);
    EXPECT_TRUE(outcome.has_value()) << ToString(outcome.error());
    return outcome.value_or(TryOutcome());
  }

  TryRequest request_;
  TryServices services_;
  std::vector<std::string> suite_;
  std::map<std::string, Verdict> verdicts_;
  BuildOutcome built_;
  std::vector<SuiteRun> runs_;
};

TEST_F(TryRunTest, RightSubmissionRunsTwentyCasesInRoundsThatAPersonWaitsFor) {
  const TryOutcome outcome = Try();
  EXPECT_THAT(outcome.cases, SizeIs(kTellingCases));
  EXPECT_EQ(outcome.cases_in_suite, 30U);
  EXPECT_TRUE(IsFine(outcome));
  ASSERT_GT(runs_.size(), 1U);
  EXPECT_EQ(runs_[0].limits.case_time_limit_ms, kTryCallLimit_ms);
  EXPECT_THAT(runs_[0].arguments, Contains(StartsWith("--assay_run_limit_ms=")));
}

TEST_F(TryRunTest, FailureEndsItAfterItsRound) {
  verdicts_[suite_[0]] = Verdict::kWrongAnswer;
  const TryOutcome outcome = Try();
  EXPECT_THAT(runs_, SizeIs(1));
  EXPECT_LT(outcome.cases.size(), kTellingCases);
  EXPECT_FALSE(IsFine(outcome));
}

TEST_F(TryRunTest, SkippedCasesMakeRoomForOthers) {
  for (int i = 0; i < 10; ++i) {
    verdicts_[suite_[static_cast<std::size_t>(i)]] = Verdict::kSkipped;
  }
  const TryOutcome outcome = Try();
  EXPECT_THAT(outcome.cases, SizeIs(30)) << "ten skipped and twenty right";
  EXPECT_TRUE(IsFine(outcome));
}

TEST_F(TryRunTest, SubmissionThatRefusesAllIsNotFine) {
  for (const std::string& name : suite_) {
    verdicts_[name] = Verdict::kSkipped;
  }
  EXPECT_FALSE(IsFine(Try()));
}

TEST_F(TryRunTest, NamedCasesRunWithTheLimitsOfGrading) {
  request_.case_pattern = "Group1?.Only";
  const TryOutcome outcome = Try();
  EXPECT_THAT(outcome.cases, SizeIs(10));
  ASSERT_THAT(runs_, SizeIs(1));
  EXPECT_EQ(runs_[0].limits.case_time_limit_ms, 10'000);
  EXPECT_THAT(runs_[0].arguments, SizeIs(1));
}

TEST_F(TryRunTest, CaseThatIsNotThereIsAnErrorBeforeAnythingIsBuilt) {
  request_.case_pattern = "Group10.Onyl";
  services_.build = [](const BuildInputs&) -> Result<BuildOutcome> {
    ADD_FAILURE() << "was built";
    return BuildOutcome();
  };
  const auto outcome = TrySubmission(request_, services_);
  ASSERT_FALSE(outcome.has_value());
  EXPECT_EQ(outcome.error().kind, ErrorKind::kConfiguration);
  EXPECT_THAT(ToString(outcome.error()), AllOf(HasSubstr("no case \"Group10.Onyl\""),
                                               HasSubstr("did you mean \"Group10.Only\"")));
}

TEST_F(TryRunTest, WhatDoesNotBuildRunsNothing) {
  built_ = BuildOutcome();
  built_.failed_step = "compiling a.cc";
  built_.diagnostics = "a.cc:1:1: error: no";
  const TryOutcome outcome = Try();
  EXPECT_EQ(outcome.diagnostics, "a.cc:1:1: error: no");
  EXPECT_THAT(runs_, IsEmpty());
  EXPECT_FALSE(IsFine(outcome));
}

TEST_F(TryRunTest, LackingARequiredFunctionRunsOnlyWhatIsNamed) {
  request_.challenge.entry_points = {{.name = "ln_forward", .required = true}};
  const TryOutcome outcome = Try();
  ASSERT_THAT(outcome.symbol_advice, SizeIs(1));
  EXPECT_TRUE(LacksRequired(outcome));
  EXPECT_THAT(runs_, IsEmpty());
  request_.case_pattern = "*";
  EXPECT_THAT(Try().cases, SizeIs(30));
}

TEST(TryOutcomes, TimeOfAllCasesTogetherIsNoFailureOfOne) {
  CaseEvidence stopped = Case("a", Verdict::kTimeLimit);
  stopped.given_up = GiveUpCause::kRunLimit;
  CaseEvidence not_run = Case("b", Verdict::kSkipped);
  not_run.given_up = GiveUpCause::kRunLimit;
  const CaseEvidence endless = Case("c", Verdict::kTimeLimit, "no answer within 3000 ms");
  const CaseEvidence refused = Case("d", Verdict::kSkipped, "entry point f is not implemented");
  EXPECT_TRUE(IsUnfinished(stopped) && IsUnfinished(not_run));
  EXPECT_FALSE(IsUnfinished(endless) || IsUnfinished(refused));
  EXPECT_FALSE(HasFailed(stopped) || HasFailed(not_run) || HasFailed(refused));
  EXPECT_TRUE(HasFailed(endless));
}

}  // namespace
}  // namespace assay
