// SPDX-License-Identifier: Apache-2.0
#include "exec/compute_signatures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace assay {
namespace {

using ::testing::AnyOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

CaseEvidence Case(std::string name, Verdict verdict, bool gates = true) {
  CaseEvidence one;
  one.name = std::move(name);
  one.verdict = verdict;
  one.gates = gates;
  return one;
}

SuiteSource File(std::string rest, std::map<std::string, std::string> cases) {
  SuiteSource source{.digests = {.rest = std::move(rest), .cases = std::move(cases)},
                     .case_at_line = {}};
  int line = 1;
  for (const auto& [name, digest] : source.digests.cases) {
    source.case_at_line[line++] = name;
  }
  return source;
}

void SetKind(const FailureKind& kind, CaseEvidence& one) {
  if (kind != FailureKind()) {
    one.failing_operation = kind.operation;
    one.failing_output = kind.output;
    one.error_over_bound = 2 * std::pow(10.0, kind.decade);
  }
}

/// Plays a suite of three files: every mutant always fails Sum.Always, and Sum.AtTimes with the
/// first seed alone; Extra does not gate.
struct ComputeSignaturesTest : ::testing::Test {
  Result<std::vector<SuiteEvidence>> Run(const std::vector<MutantRun>& runs) {
    if (asked.size() >= runs_until_cut_off) {
      return std::unexpected(
          Error{.kind = ErrorKind::kJudge, .where = {}, .cause = "cut off", .remedy = {}});
    }
    asked.insert(asked.end(), runs.begin(), runs.end());
    std::vector<SuiteEvidence> suites;
    for (const MutantRun& run : runs) {
      const std::vector<CaseEvidence> all = {
          Case("Sum.Always", sum),
          Case("Sum.AtTimes", run.seed == 1 ? Verdict::kTimeLimit : Verdict::kAccepted),
          Case("Sum.NotRun", Verdict::kSkipped), Case("Edge/f32.Nan", edge),
          Case("Extra.Sum", Verdict::kWrongAnswer, false)};
      SuiteEvidence suite;
      for (CaseEvidence one : all) {
        if (one.name == "Sum.Always") {
          SetKind(wrong, one);
        }
        if (run.filter.empty() || (":" + run.filter + ":").contains(":" + one.name + ":")) {
          suite.cases.push_back(one);
        }
      }
      suites.push_back(suite);
    }
    return suites;
  }
  Result<SignaturePlan> Plan(const std::optional<Signatures>& kept) const {
    return PlanSignatures(kept, now, [this]() -> Result<std::vector<CaseSource>> { return cases; });
  }
  Result<Signatures> Compute(const std::optional<Signatures>& kept) {
    asked.clear();
    written.clear();
    ASSAY_ASSIGN_OR_RETURN(const SignaturePlan plan, Plan(kept));
    return ComputeSignatures(
        kept, now, plan, [this](const std::vector<MutantRun>& runs) { return Run(runs); },
        [this](const Signatures& so_far) {
          written.push_back(so_far.mutants.size());
          last_written = so_far;
          return Status();
        });
  }
  /// What is kept where suite_edge.cc changed and the work was cut off after four mutants.
  Signatures CutOffAfterFour(const Signatures& kept) {
    now.suite_files["suite_edge.cc"].digests.rest = "changed";
    runs_until_cut_off = 2;  // One to see what gates, and the first of the four.
    EXPECT_FALSE(Compute(kept).has_value());
    runs_until_cut_off = std::numeric_limits<std::size_t>::max();
    return last_written;
  }

  SignatureSources now{
      .shared = "s",
      .suite_files = {{"suite_edge.cc", File("e", {{"Edge.Nan", "n"}})},
                      {"suite_extra.cc", File("x", {{"Extra.Sum", "x"}})},
                      {"suite_sum.cc", File("s", {{"Sum.Always", "a"}, {"Sum.AtTimes", "t"}})}},
      .mutants = {{"a", "da"}, {"b", "db"}}};
  std::vector<CaseSource> cases = {{"Sum.Always", "suite_sum.cc", 1},
                                   {"Sum.AtTimes", "suite_sum.cc", 2},
                                   {"Sum.NotRun", "suite_sum.cc", 9},
                                   {"Edge/f32.Nan", "suite_edge.cc", 1},
                                   {"Extra.Sum", "suite_extra.cc", 1}};
  Verdict sum = Verdict::kWrongAnswer;
  FailureKind wrong;  ///< Of Sum.Always.
  Verdict edge = Verdict::kAccepted;
  std::vector<MutantRun> asked;
  std::size_t runs_until_cut_off = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> written;
  Signatures last_written;
};

TEST_F(ComputeSignaturesTest, CountsTheVerdictsOfGatingCasesOverTheRuns) {
  const auto signatures = Compute(std::nullopt);
  ASSERT_TRUE(signatures.has_value()) << ToString(signatures.error());
  EXPECT_EQ(signatures->shared_digest, "s");
  EXPECT_EQ(signatures->suite_files, DigestsOf(now));
  EXPECT_EQ(signatures->runs, 3);
  const MutantSignature expected{
      .source_digest = "da",
      .cases = {{"Sum.Always", {{Verdict::kWrongAnswer, 3}}},
                {"Sum.AtTimes", {{Verdict::kTimeLimit, 1}}},
                {"Sum.NotRun", {{Verdict::kSkipped, 3}}}},
      .kinds = {{"Sum.Always", {FailureKind()}}, {"Sum.AtTimes", {FailureKind()}}}};
  EXPECT_EQ(signatures->mutants.at("a"), expected);
}

TEST_F(ComputeSignaturesTest, KeepsWhatWasWrongInTheRunsThatFailed) {
  wrong = {.operation = "add", .output = "sum", .decade = 2};
  const auto kept = Compute(std::nullopt);
  ASSERT_TRUE(kept.has_value());
  EXPECT_THAT(kept->mutants.at("a").kinds.at("Sum.Always"), ElementsAre(wrong));
}

TEST_F(ComputeSignaturesTest, OfAChangedCaseForgetsWhatWasWrongBefore) {
  const auto kept = Compute(std::nullopt);
  ASSERT_TRUE(kept.has_value());
  now.suite_files["suite_sum.cc"].digests.cases["Sum.Always"] = "changed";
  wrong = {.operation = "add", .output = "", .decade = 7};
  const auto again = Compute(*kept);
  ASSERT_TRUE(again.has_value());
  EXPECT_THAT(again->mutants.at("a").kinds.at("Sum.Always"), ElementsAre(wrong));
}

TEST_F(ComputeSignaturesTest, RunsEachMutantWithTheSameSeedsEachTime) {
  ASSERT_TRUE(Compute(std::nullopt).has_value());
  EXPECT_THAT(asked, ElementsAre(MutantRun{"a", 1}, MutantRun{"a", 2}, MutantRun{"a", 3},
                                 MutantRun{"b", 1}, MutantRun{"b", 2}, MutantRun{"b", 3}));
}

TEST_F(ComputeSignaturesTest, RunsOnlyMutantsWhoseSignatureNoLongerHolds) {
  const auto kept = Compute(std::nullopt);
  ASSERT_TRUE(kept.has_value());
  now.mutants["b"] = "changed";
  const auto again = Compute(*kept);
  ASSERT_TRUE(again.has_value());
  EXPECT_THAT(asked, ElementsAre(MutantRun{"b", 1}, MutantRun{"b", 2}, MutantRun{"b", 3}));
  EXPECT_EQ(again->mutants.at("a"), kept->mutants.at("a"));
  EXPECT_THAT(WhyStale(*again, now), IsEmpty());
}

TEST_F(ComputeSignaturesTest, RunsAllWhenWhatTheSuitesFilesShareChanged) {
  const auto kept = Compute(std::nullopt);
  ASSERT_TRUE(kept.has_value());
  now.shared = "changed";
  ASSERT_TRUE(Compute(*kept).has_value());
  EXPECT_THAT(asked, SizeIs(6));
  EXPECT_THAT(asked, Each(Field(&MutantRun::filter, "")));
}

TEST_F(ComputeSignaturesTest, OfAChangedFileRunsItsCasesAloneAndKeepsTheOthers) {
  const auto kept = Compute(std::nullopt);
  ASSERT_TRUE(kept.has_value());
  now.suite_files["suite_edge.cc"].digests.rest = "changed";
  edge = Verdict::kRuntimeError;
  sum = Verdict::kAccepted;  // Would be seen if it ran.
  const auto again = Compute(*kept);
  ASSERT_TRUE(again.has_value()) << ToString(again.error());
  EXPECT_THAT(asked, SizeIs(7));  // One to see what gates.
  EXPECT_THAT(asked, Each(Field(&MutantRun::filter, "Edge/f32.Nan")));
  auto expected = kept->mutants.at("b");
  expected.cases["Edge/f32.Nan"] = {{Verdict::kRuntimeError, 3}};
  expected.kinds["Edge/f32.Nan"] = {FailureKind()};
  EXPECT_EQ(again->mutants.at("b"), expected);
  EXPECT_THAT(WhyStale(*again, now), IsEmpty());
  EXPECT_THAT(written, ElementsAre(2));
}

TEST_F(ComputeSignaturesTest, OfAFileWithACaseThatChangedRunsThatCaseAlone) {
  const auto kept = Compute(std::nullopt);
  now.suite_files["suite_sum.cc"].digests.cases["Sum.AtTimes"] = "changed";
  const auto again = Compute(*kept);
  ASSERT_TRUE(again.has_value()) << ToString(again.error());
  EXPECT_THAT(asked, Each(Field(&MutantRun::filter, "Sum.AtTimes")));
  EXPECT_EQ(again->mutants, kept->mutants);
  EXPECT_THAT(WhyStale(*again, now), IsEmpty());
}

TEST_F(ComputeSignaturesTest, OfAFileWhoseCasesDoNotGateOneRunIsEnough) {
  const auto kept = Compute(std::nullopt);
  now.suite_files["suite_extra.cc"].digests.cases["Extra.Sum"] = "changed";
  const auto again = Compute(*kept);
  ASSERT_TRUE(again.has_value());
  EXPECT_THAT(asked, ElementsAre(MutantRun{"a", 1, "Extra.Sum"}));
  EXPECT_EQ(again->mutants, kept->mutants);
}

TEST_F(ComputeSignaturesTest, CasesThatAreGoneAreForgotten) {
  edge = Verdict::kWrongAnswer;
  const auto kept = Compute(std::nullopt);
  now.suite_files.erase("suite_edge.cc");
  std::erase(cases, CaseSource{"Edge/f32.Nan", "suite_edge.cc", 1});
  const auto again = Compute(*kept);
  ASSERT_TRUE(again.has_value());
  EXPECT_THAT(asked, IsEmpty());
  EXPECT_FALSE(again->mutants.at("a").cases.contains("Edge/f32.Nan"));
  EXPECT_TRUE(again->mutants.at("a").cases.contains("Sum.Always"));
}

TEST_F(ComputeSignaturesTest, AFileWithoutCasesIsShared) {
  now.suite_files["suite_support.cc"] = File("u", {});
  const auto kept = Compute(std::nullopt);
  now.suite_files["suite_support.cc"].digests.rest = "changed";
  now.suite_files["suite_edge.cc"].digests.rest = "changed";
  ASSERT_TRUE(Compute(*kept).has_value());
  EXPECT_THAT(asked, SizeIs(6));
  EXPECT_THAT(asked, Each(Field(&MutantRun::filter, "")));
}

TEST_F(ComputeSignaturesTest, AMutantThatNoLongerFailsInEachRunIsRunAsAWhole) {
  const auto kept = Compute(std::nullopt);
  now.suite_files["suite_sum.cc"].digests.rest = "changed";
  sum = Verdict::kAccepted;
  edge = Verdict::kWrongAnswer;  // As if it had not been seen before.
  const auto again = Compute(*kept);
  ASSERT_TRUE(again.has_value()) << ToString(again.error());
  EXPECT_THAT(asked, SizeIs(13));
  EXPECT_TRUE(again->mutants.at("a").cases.contains("Edge/f32.Nan"));
}

TEST_F(ComputeSignaturesTest, OfAChangedFileANewMutantIsRunAsAWhole) {
  const auto kept = Compute(std::nullopt);
  now.suite_files["suite_edge.cc"].digests.rest = "changed";
  now.mutants["c"] = "dc";
  EXPECT_EQ(CountRuns(*Plan(*kept)), 10);
  const auto again = Compute(*kept);
  ASSERT_TRUE(again.has_value());
  EXPECT_THAT(asked, SizeIs(10));
  EXPECT_THAT(written, ElementsAre(2, 3));
}

TEST_F(ComputeSignaturesTest, ForgetsMutantsThatAreGone) {
  const auto kept = Compute(std::nullopt);
  ASSERT_TRUE(kept.has_value());
  now.mutants.erase("a");
  const auto again = Compute(*kept);
  ASSERT_TRUE(again.has_value());
  EXPECT_FALSE(again->mutants.contains("a"));
  EXPECT_THAT(asked, IsEmpty());
}

TEST_F(ComputeSignaturesTest, GivesWhatThereIsToBeKeptAfterEveryFour) {
  now.mutants = {{"a", "da"}, {"b", "db"}, {"c", "dc"}, {"d", "dd"}, {"e", "de"}, {"f", "df"}};
  const auto signatures = Compute(std::nullopt);
  ASSERT_TRUE(signatures.has_value());
  EXPECT_THAT(written, ElementsAre(4, 6));
  EXPECT_EQ(CountRuns(*Plan(*signatures)), 0);
}

TEST_F(ComputeSignaturesTest, CutOffInCasesThatChangedGoesOnWhereItWas) {
  now.mutants = {{"a", "da"}, {"b", "db"}, {"c", "dc"}, {"d", "dd"}, {"e", "de"}, {"f", "df"}};
  const auto kept = Compute(std::nullopt);
  edge = Verdict::kRuntimeError;
  const Signatures cut_off = CutOffAfterFour(*kept);
  EXPECT_THAT(cut_off.mutants, SizeIs(4));
  EXPECT_THAT(WhyStale(cut_off, now),
              ElementsAre("the work was cut off before it came to the mutants e, f"));

  EXPECT_EQ(CountRuns(*Plan(cut_off)), 7);
  const auto again = Compute(cut_off);
  ASSERT_TRUE(again.has_value()) << ToString(again.error());
  EXPECT_THAT(asked, Each(Field(&MutantRun::filter, "Edge/f32.Nan")));
  EXPECT_THAT(asked, Each(Field(&MutantRun::mutant, AnyOf("e", "f"))));
  EXPECT_THAT(again->waiting, IsEmpty());
  EXPECT_THAT(WhyStale(*again, now), IsEmpty());
  EXPECT_EQ(*again, *Compute(*kept));
}

TEST_F(ComputeSignaturesTest, WhatWaitsIsRunInAllThatChangedSinceAndTheOthersInLess) {
  now.mutants = {{"a", "da"}, {"b", "db"}, {"c", "dc"}, {"d", "dd"}, {"e", "de"}};
  const auto kept = Compute(std::nullopt);
  const Signatures cut_off = CutOffAfterFour(*kept);
  now.suite_files["suite_sum.cc"].digests.cases["Sum.AtTimes"] = "changed";
  const SignaturePlan plan = *Plan(cut_off);
  EXPECT_THAT(plan.again.at("a"), ElementsAre("Sum.AtTimes"));
  EXPECT_THAT(plan.again.at("e"), ElementsAre("Edge/f32.Nan", "Sum.AtTimes"));
  const auto again = Compute(cut_off);
  ASSERT_TRUE(again.has_value()) << ToString(again.error());
  EXPECT_THAT(WhyStale(*again, now), IsEmpty());
}

TEST_F(ComputeSignaturesTest, WhatWaitsAndWhoseSourceChangedIsRunAsAWhole) {
  now.mutants = {{"a", "da"}, {"b", "db"}, {"c", "dc"}, {"d", "dd"}, {"e", "de"}};
  const auto kept = Compute(std::nullopt);
  const Signatures cut_off = CutOffAfterFour(*kept);
  now.mutants["e"] = "changed";
  const auto again = Compute(cut_off);
  ASSERT_TRUE(again.has_value()) << ToString(again.error());
  EXPECT_THAT(asked, ElementsAre(MutantRun{"e", 1}, MutantRun{"e", 2}, MutantRun{"e", 3}));
  EXPECT_THAT(again->waiting, IsEmpty());
  EXPECT_THAT(WhyStale(*again, now), IsEmpty());
}

TEST_F(ComputeSignaturesTest, AMutantThatTheSuiteAcceptsHasNoSignature) {
  sum = Verdict::kAccepted;
  const auto signatures = Compute(std::nullopt);
  ASSERT_FALSE(signatures.has_value());
  EXPECT_THAT(signatures.error().cause, HasSubstr("accepts the mutant a with seed 2"));
}

}  // namespace
}  // namespace assay
