// SPDX-License-Identifier: Apache-2.0
#include "score/cost_once.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "score/explain.h"
#include "score/scorecard.h"
#include "score/synthetic.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kRuns = 3;

/// Six cases of each row; `mixes_rows` is about merging, and fails four cases of each of the first
/// three rows.
struct CostOnceTest : ::testing::Test {
  CostOnceTest() {
    challenge.signatures = Signatures{.shared_digest = "s", .runs = kRuns, .mutants = {}};
    for (const char* const tag : {"merge", "stability", "sizes"}) {
      for (int i = 0; i < 4; ++i) {
        FailsIn("mixes_rows", tag, i);
      }
    }
    for (int i = 0; i < 6; ++i) {
      FailsIn("drops_nan", "edge", i);
    }
    challenge.homes = {{"mixes_rows", "warp_merge"}, {"drops_nan", "edge_cases"}};
    for (const char* const tag : {"merge", "stability", "sizes", "edge"}) {
      for (int i = 0; i < 6; ++i) {
        cell.suite.cases.push_back(synthetic::MakeCase(Name(tag, i), {tag}, Verdict::kAccepted));
      }
    }
  }

  static std::string Name(std::string_view tag, int i) { return fmt::format("{}.{}", tag, i); }

  void FailsIn(const char* mutant, std::string_view tag, int i) {
    challenge.signatures->mutants[mutant].cases[Name(tag, i)] = {{Verdict::kWrongAnswer, kRuns}};
  }

  /// The cell with the cases that the mutant fails ended so.
  [[nodiscard]] Evidence With(const char* mutant, Verdict verdict) const {
    Evidence changed = cell;
    for (CaseEvidence& one : changed.suite.cases) {
      if (challenge.signatures->mutants.at(mutant).cases.contains(one.name)) {
        one.verdict = verdict;
      }
    }
    return changed;
  }

  [[nodiscard]] CriterionValue ValueOf(std::string_view id, const Evidence& evidence) const {
    return FindCriterionScore(ScoreCell(challenge, evidence), id)->value;
  }

  ChallengeView challenge = synthetic::MakeChallenge(
      {synthetic::MakeCriterion("warp_merge", "correctness", "right_rate(merge)"),
       synthetic::MakeCriterion("numerical_stability", "correctness", "right_rate(stability)"),
       synthetic::MakeCriterion("sizes_supported", "completeness", "pass_rate(sizes)"),
       synthetic::MakeCriterion("edge_cases", "correctness", "right_rate(edge)"),
       synthetic::MakeCriterion("bugs", "correctness", "distinct_failures", {{0, 100}, {4, 0}})});
  Evidence cell = [] {
    Evidence made = synthetic::MakeCell("m");
    // Without findings, so that failures are counted alone.
    made.sanitized.verdict = Verdict::kAccepted;
    CaseEvidence works = synthetic::MakeCase("merge.0", {"merge"}, Verdict::kAccepted);
    works.answered = {"operation"};
    made.sanitized_suite.cases = {works};
    return made;
  }();
};

TEST_F(CostOnceTest, ABugCostsInItsHomeAndElsewhereAsIfRefused) {
  const Evidence wrong = With("mixes_rows", Verdict::kWrongAnswer);
  EXPECT_DOUBLE_EQ(ValueOf("warp_merge", wrong).value, 2.0 / 6);
  EXPECT_EQ(ValueOf("warp_merge", wrong).note, "2 of 6");
  EXPECT_DOUBLE_EQ(ValueOf("numerical_stability", wrong).value, 1);
  EXPECT_EQ(ValueOf("numerical_stability", wrong).note,
            "2 of 6; 4 explained by mixes_rows, which costs in warp_merge");
}

TEST_F(CostOnceTest, WhereARefusalCostsInFullSoDoesTheBug) {
  const Evidence wrong = With("mixes_rows", Verdict::kWrongAnswer);
  EXPECT_DOUBLE_EQ(ValueOf("sizes_supported", wrong).value,
                   ValueOf("sizes_supported", With("mixes_rows", Verdict::kSkipped)).value);
  EXPECT_DOUBLE_EQ(ValueOf("sizes_supported", wrong).value, 2.0 / 6);
}

TEST_F(CostOnceTest, ARowOfWhichNothingIsLeftIsFailedAsIfRefused) {
  for (int i = 4; i < 6; ++i) {
    FailsIn("mixes_rows", "stability", i);
  }
  const CriterionValue value =
      ValueOf("numerical_stability", With("mixes_rows", Verdict::kWrongAnswer));
  EXPECT_EQ(value.state, CriterionValue::State::kFailed);
  EXPECT_EQ(value.note, "0 of 6; 6 explained by mixes_rows, which costs in warp_merge");
}

TEST_F(CostOnceTest, ACaseThatAnotherBugMayFailCostsInEveryRow) {
  challenge.signatures->mutants["drops_nan"].cases[Name("stability", 0)] = {
      {Verdict::kWrongAnswer, 1}};
  cell = With("mixes_rows", Verdict::kWrongAnswer);
  EXPECT_EQ(ValueOf("numerical_stability", With("drops_nan", Verdict::kWrongAnswer)).note,
            "2 of 6; 3 explained by mixes_rows, which costs in warp_merge");
  EXPECT_DOUBLE_EQ(ValueOf("numerical_stability", With("drops_nan", Verdict::kWrongAnswer)).value,
                   2.0 / 3);
}

TEST_F(CostOnceTest, ABugWhoseHomeSeesOnlyWhatAnotherMayFailCostsEverywhere) {
  for (int i = 0; i < 4; ++i) {
    challenge.signatures->mutants["drops_nan"].cases[Name("merge", i)] = {
        {Verdict::kWrongAnswer, 1}};
  }
  cell = With("mixes_rows", Verdict::kWrongAnswer);
  EXPECT_EQ(ValueOf("numerical_stability", With("drops_nan", Verdict::kWrongAnswer)).note,
            "2 of 6");
}

TEST_F(CostOnceTest, WrongNeverPaysMoreThanRefusedNorRefusedMoreThanRight) {
  for (const char* const mutant : {"mixes_rows", "drops_nan"}) {
    const double right = *ScoreCell(challenge, cell).overall;
    const double refused = *ScoreCell(challenge, With(mutant, Verdict::kSkipped)).overall;
    const double wrong = *ScoreCell(challenge, With(mutant, Verdict::kWrongAnswer)).overall;
    EXPECT_LE(refused, right) << mutant;
    EXPECT_LT(wrong, refused) << mutant;
  }
}

TEST_F(CostOnceTest, WhatIsNotExplainedCostsInItsRow) {
  Evidence wrong = With("mixes_rows", Verdict::kWrongAnswer);
  const auto other = std::ranges::find(wrong.suite.cases, Name("edge", 5), &CaseEvidence::name);
  other->verdict = Verdict::kWrongAnswer;
  const Diagnosis diagnosis = *DiagnoseCell(challenge, wrong);
  EXPECT_EQ(FindMatch(diagnosis, other->name), nullptr);
  EXPECT_DOUBLE_EQ(ValueOf("edge_cases", wrong).value, 5.0 / 6);
}

TEST_F(CostOnceTest, AWeakDiagnosisMovesNoPoint) {
  // A quarter of what the mutant always fails passes here.
  Evidence wrong = With("mixes_rows", Verdict::kWrongAnswer);
  for (CaseEvidence& one : wrong.suite.cases) {
    if (one.name.ends_with(".3")) {
      one.verdict = Verdict::kAccepted;
    }
  }
  const Diagnosis diagnosis = *DiagnoseCell(challenge, wrong);
  ASSERT_THAT(diagnosis.matches, testing::SizeIs(1));
  ASSERT_NE(CertaintyOf(diagnosis.matches[0]), "strong");
  EXPECT_EQ(ValueOf("numerical_stability", wrong).note, "3 of 6");
}

TEST_F(CostOnceTest, TwoMutantsWithOneHomeAreOneBug) {
  challenge.signatures->mutants["a_twin"] = challenge.signatures->mutants["mixes_rows"];
  challenge.homes["a_twin"] = "warp_merge";
  const Evidence wrong = With("mixes_rows", Verdict::kWrongAnswer);
  Diagnosis diagnosis = *DiagnoseCell(challenge, wrong);
  diagnosis.matches[0].is_strong = true;  // Twins are never strong: nothing tells them apart.
  ASSERT_THAT(diagnosis.matches[0].mutants, ElementsAre("a_twin", "mixes_rows"));
  EXPECT_EQ(HomeOf(diagnosis.matches[0], challenge, wrong)->id, "warp_merge");
}

TEST_F(CostOnceTest, TwoMutantsWithDifferentHomesCostEverywhere) {
  challenge.signatures->mutants["a_twin"] = challenge.signatures->mutants["mixes_rows"];
  challenge.homes["a_twin"] = "numerical_stability";
  const Evidence wrong = With("mixes_rows", Verdict::kWrongAnswer);
  Diagnosis diagnosis = *DiagnoseCell(challenge, wrong);
  diagnosis.matches[0].is_strong = true;
  EXPECT_EQ(HomeOf(diagnosis.matches[0], challenge, wrong), nullptr);
}

TEST_F(CostOnceTest, ABugThatItsHomeDoesNotSeeCostsEverywhere) {
  const Evidence wrong = With("mixes_rows", Verdict::kWrongAnswer);
  challenge.homes["mixes_rows"] = "edge_cases";
  EXPECT_EQ(ValueOf("numerical_stability", wrong).note, "2 of 6");
  challenge.homes["mixes_rows"] = "warp_merge";
  challenge.rubric.criteria[0].needs = {"an_operation_that_is_not_offered"};
  EXPECT_EQ(ValueOf("numerical_stability", wrong).note, "2 of 6");
}

TEST_F(CostOnceTest, WithoutHomesABugCostsEverywhere) {
  challenge.homes.clear();
  const Evidence wrong = With("mixes_rows", Verdict::kWrongAnswer);
  EXPECT_EQ(ValueOf("numerical_stability", wrong).note, "2 of 6");
}

TEST_F(CostOnceTest, ItIsOneOfTheDistinctFailuresAllTheSame) {
  EXPECT_EQ(ValueOf("bugs", With("mixes_rows", Verdict::kWrongAnswer)).value, 1);
}

TEST_F(CostOnceTest, AMatchSaysWhereItCosts) {
  challenge.rubric.criteria[0].title = "Cross-warp merge";
  const Evidence wrong = With("mixes_rows", Verdict::kWrongAnswer);
  Match match = DiagnoseCell(challenge, wrong)->matches.at(0);
  EXPECT_EQ(WhereItCosts(match, challenge, wrong),
            "; costs in Cross-warp merge, elsewhere as if refused");
  match.is_strong = false;
  EXPECT_EQ(WhereItCosts(match, challenge, wrong), "");
}

TEST_F(CostOnceTest, TheExplanationSaysWhereACaseCosts) {
  const Evidence wrong = With("mixes_rows", Verdict::kWrongAnswer);
  const CellExplanation explanation = Explain(challenge, wrong, ScoreCell(challenge, wrong));
  EXPECT_EQ(explanation.criteria[0].lines.front().says, "wrong_answer; fails like mixes_rows");
  EXPECT_THAT(
      explanation.criteria[1].lines.front().says,
      HasSubstr("; explained by mixes_rows, which costs in warp_merge: here as if refused"));
}

}  // namespace
}  // namespace assay
