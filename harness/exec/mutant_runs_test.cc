// SPDX-License-Identifier: Apache-2.0
#include "exec/mutant_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

CaseEvidence Case(std::string name, Verdict verdict, bool gates = true) {
  CaseEvidence one;
  one.name = std::move(name);
  one.verdict = verdict;
  one.gates = gates;
  return one;
}

/// Plays the suite: `a` always fails one case, and another with the first seed alone.
struct ComputeSignaturesTest : ::testing::Test {
  Result<std::vector<SuiteEvidence>> Run(const std::vector<MutantRun>& runs) {
    asked = runs;
    std::vector<SuiteEvidence> suites;
    for (const MutantRun& run : runs) {
      SuiteEvidence suite;
      suite.cases = {Case("Sum.Always", verdict),
                     Case("Sum.AtTimes", run.seed == 1 ? Verdict::kTimeLimit : Verdict::kAccepted),
                     Case("Sum.NotRun", Verdict::kSkipped),
                     Case("Sum.Extra", Verdict::kWrongAnswer, false)};
      suites.push_back(suite);
    }
    return suites;
  }
  Result<Signatures> Compute(const std::optional<Signatures>& kept) {
    return ComputeSignatures(
        kept, now, [this](const std::vector<MutantRun>& runs) { return Run(runs); },
        [this](const Signatures& so_far) {
          written.push_back(so_far.mutants.size());
          return Status();
        });
  }

  SignatureSources now{.suite = "s", .mutants = {{"a", "da"}, {"b", "db"}}};
  Verdict verdict = Verdict::kWrongAnswer;
  std::vector<MutantRun> asked;
  std::vector<std::size_t> written;
};

TEST_F(ComputeSignaturesTest, CountsTheVerdictsOfGatingCasesOverTheRuns) {
  const auto signatures = Compute(std::nullopt);
  ASSERT_TRUE(signatures.has_value()) << ToString(signatures.error());
  EXPECT_EQ(signatures->suite_digest, "s");
  EXPECT_EQ(signatures->runs, 3);
  const MutantSignature expected{.source_digest = "da",
                                 .cases = {{"Sum.Always", {{Verdict::kWrongAnswer, 3}}},
                                           {"Sum.AtTimes", {{Verdict::kTimeLimit, 1}}},
                                           {"Sum.NotRun", {{Verdict::kSkipped, 3}}}}};
  EXPECT_EQ(signatures->mutants.at("a"), expected);
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

TEST_F(ComputeSignaturesTest, RunsAllWhenTheSuiteChanged) {
  const auto kept = Compute(std::nullopt);
  ASSERT_TRUE(kept.has_value());
  now.suite = "changed";
  ASSERT_TRUE(Compute(*kept).has_value());
  EXPECT_EQ(asked.size(), 6U);
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
  EXPECT_THAT(RunsNeeded(*signatures, now), IsEmpty());
}

TEST_F(ComputeSignaturesTest, AMutantThatTheSuiteAcceptsHasNoSignature) {
  verdict = Verdict::kAccepted;
  const auto signatures = Compute(std::nullopt);
  ASSERT_FALSE(signatures.has_value());
  EXPECT_THAT(signatures.error().cause, HasSubstr("accepts the mutant a with seed 2"));
}

}  // namespace
}  // namespace assay
