// SPDX-License-Identifier: Apache-2.0
#include "score/uncertainty.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "score/synthetic.h"

namespace assay {
namespace {

using synthetic::MakeCase;
using synthetic::MakeCell;
using synthetic::MakeChallenge;
using synthetic::MakeControls;
using synthetic::MakeCriterion;
using synthetic::MakeWorkload;

/// A cell with so many cases of the tag, of which so many pass.
Evidence WithCases(std::string_view model, int cases, int passing) {
  Evidence cell = MakeCell(model);
  for (int i = 0; i < cases; ++i) {
    cell.suite.cases.push_back(MakeCase("Case." + std::to_string(i), {"t"},
                                        i < passing ? Verdict::kAccepted : Verdict::kWrongAnswer));
  }
  return cell;
}

Evidence WithTime(std::string_view model, const RatioEstimate& ratio) {
  Evidence cell = MakeCell(model);
  cell.bench.workloads = {MakeWorkload("w/1", ratio)};
  cell.bench.controls = MakeControls(0);
  return cell;
}

const ChallengeView& Rate() {
  static const ChallengeView challenge = MakeChallenge({MakeCriterion("r", "d", "pass_rate(t)")});
  return challenge;
}

const ChallengeView& Time() {
  static const ChallengeView challenge =
      MakeChallenge({MakeCriterion("b", "d", "bench_ratio(w)", {{1, 100}, {3, 0}})});
  return challenge;
}

// 7 of 10 is Beta(7.5, 3.5): a standard deviation of 0.1345.
TEST(UncertaintyTest, ARateIsAsSureAsItsCasesAreMany) {
  EXPECT_NEAR(*ScoreWithUncertainty(Rate(), WithCases("m", 10, 7)).uncertainty, 26.4, 1.5);
  EXPECT_NEAR(*ScoreWithUncertainty(Rate(), WithCases("m", 100, 70)).uncertainty, 8.9, 0.6);
  EXPECT_EQ(ScoreWithUncertainty(Rate(), WithCases("m", 10, 7)).overall, 70);
}

TEST(UncertaintyTest, AllOfAFewIsNotSureEither) {
  const double of_three = *ScoreWithUncertainty(Rate(), WithCases("m", 3, 3)).uncertainty;
  const double of_thirty = *ScoreWithUncertainty(Rate(), WithCases("m", 30, 30)).uncertainty;
  EXPECT_GT(of_thirty, 0);
  EXPECT_GT(of_three, 4 * of_thirty);
}

TEST(UncertaintyTest, WhatIsLeftOutDoesNotCountInARightRate) {
  const ChallengeView challenge = MakeChallenge({MakeCriterion("r", "d", "right_rate(t)")});
  Evidence cell = WithCases("m", 10, 7);
  const Scorecard before = ScoreWithUncertainty(challenge, cell);
  cell.suite.cases.push_back(MakeCase("Refused", {"t"}, Verdict::kSkipped));
  EXPECT_EQ(ScoreWithUncertainty(challenge, cell).uncertainty, before.uncertainty);
}

// On a line of 50 points a unit of ratio, an interval of 1.9 to 2.1 is ±5.
TEST(UncertaintyTest, ATimesIntervalGoesThroughTheAnchors) {
  EXPECT_NEAR(*ScoreWithUncertainty(Time(), WithTime("m", {2, 1.9, 2.1})).uncertainty, 5, 0.3);
  EXPECT_NEAR(*ScoreWithUncertainty(Time(), WithTime("m", {2, 1.99, 2.01})).uncertainty, 0.5, 0.1);
  EXPECT_EQ(*ScoreWithUncertainty(Time(), WithTime("m", {0.5, 0.49, 0.51})).uncertainty,
            0);  // Beyond the anchors.
}

TEST(UncertaintyTest, IndependentRowsAddInQuadratureAndRowsOfTheSameWorkloadsOnALine) {
  const std::vector<Anchor> anchors = {{1, 100}, {3, 0}};
  const auto both = [&](const char* second) {
    return MakeChallenge({MakeCriterion("a", "d", "bench_ratio(w)", anchors),
                          MakeCriterion("b", "d", second, anchors)});
  };
  Evidence cell = WithTime("m", {2, 1.9, 2.1});
  cell.bench.workloads.push_back(MakeWorkload("v/1", {2, 1.9, 2.1}));
  EXPECT_NEAR(*ScoreWithUncertainty(both("bench_ratio(v)"), cell).uncertainty, 5 / std::sqrt(2.0),
              0.3);
  EXPECT_NEAR(*ScoreWithUncertainty(both("bench_ratio(w)"), cell).uncertainty, 5, 0.3);
}

TEST(UncertaintyTest, WhatIsNotThereIsNotThereInAnyCase) {
  Evidence cell = MakeCell("m");
  cell.suite.cases = {MakeCase("A", {"t"}, Verdict::kSkipped),
                      MakeCase("B", {"t"}, Verdict::kSkipped)};
  EXPECT_EQ(ScoreWithUncertainty(Rate(), cell).uncertainty, 0);
  cell.suite.cases.push_back(MakeCase("C", {"t"}, Verdict::kWrongAnswer));
  EXPECT_GT(ScoreWithUncertainty(Rate(), cell).uncertainty, 0);
}

TEST(UncertaintyTest, OwnMutantsAreDrawnAsCasesAre) {
  const ChallengeView challenge =
      MakeChallenge({MakeCriterion("k", "d", "own_tests(mutants_killed)", {{0, 0}, {10, 100}})});
  Evidence cell = MakeCell("m");
  cell.own_tests.shipped = 1;
  for (int i = 0; i < 10; ++i) {
    (i < 7 ? cell.own_tests.mutants_killed : cell.own_tests.mutants_survived)
        .push_back("mutant_" + std::to_string(i));
  }
  EXPECT_NEAR(*ScoreWithUncertainty(challenge, cell).uncertainty, 26.4, 1.5);
}

TEST(UncertaintyTest, WhatIsCountedOnceIsExact) {
  const ChallengeView challenge = MakeChallenge(
      {MakeCriterion("x", "d", "metric(x)"), MakeCriterion("f", "d", "sanitizer_findings")});
  Evidence cell = WithCases("m", 3, 3);
  cell.suite.metrics["x"] = 0.5;
  EXPECT_EQ(ScoreWithUncertainty(challenge, cell).uncertainty, 0);
}

TEST(UncertaintyTest, DimensionsHaveTheirOwn) {
  const ChallengeView challenge = MakeChallenge(
      {MakeCriterion("r", "d", "pass_rate(t)"), MakeCriterion("x", "e", "metric(x)")});
  Evidence cell = WithCases("m", 10, 7);
  cell.suite.metrics["x"] = 0.5;
  const Scorecard card = ScoreWithUncertainty(challenge, cell);
  EXPECT_EQ(card.dimensions[1].uncertainty, 0);
  EXPECT_NEAR(*card.dimensions[0].uncertainty, 2 * *card.uncertainty, 0.2);
}

TEST(UncertaintyTest, ADimensionThatIsAuthoredAloneIsNoPartOfTheOthers) {
  Criterion own = MakeCriterion("k", "e", "own_tests(mutants_killed)", {{0, 0}, {10, 100}});
  own.kind = CriterionKind::kOwnTests;
  const ChallengeView both = MakeChallenge({MakeCriterion("r", "d", "pass_rate(t)"), own});
  Evidence cell = WithCases("m", 10, 7);
  cell.own_tests.shipped = 1;
  cell.own_tests.mutants_killed = {"a", "b"};
  cell.own_tests.mutants_survived = {"c"};
  const Scorecard alone = ScoreWithUncertainty(Rate(), cell);
  EXPECT_EQ(ScoreWithUncertainty(both, cell).without_authored.score, alone.overall);
  EXPECT_EQ(ScoreWithUncertainty(both, cell).without_authored.uncertainty, alone.uncertainty);
}

TEST(UncertaintyTest, WithoutAScoreThereIsNone) {
  Evidence cell = WithCases("m", 10, 7);
  cell.verdict = Verdict::kJudgeError;
  EXPECT_EQ(ScoreWithUncertainty(Rate(), cell).uncertainty, std::nullopt);
  cell.verdict = Verdict::kRejected;
  EXPECT_EQ(ScoreWithUncertainty(Rate(), cell).uncertainty, 0);
}

// Two cells that pass and fail the same cases would be drawn alike: their difference is surer than
// each of them.
TEST(UncertaintyTest, CellsOfOneChallengeAreDrawnOnTheSameCases) {
  const Evidence a = WithCases("a", 60, 45);
  const Evidence b = WithCases("b", 60, 40);
  const Evidence* const cells[] = {&a, &b};
  const auto [cards, draws] = ScoreCells(Rate(), cells);
  EXPECT_LT(HalfWidthOfDifference(draws[0].overall, draws[1].overall), *cards[0].uncertainty);
}

TEST(UncertaintyTest, EqualEvidenceIsDrawnEquallyWhoeverElseEntered) {
  const Evidence a = WithCases("a", 20, 12);
  const Evidence b = WithCases("b", 30, 10);
  const Evidence* const cells[] = {&b, &a};
  EXPECT_EQ(ScoreCells(Rate(), cells).cards[1], ScoreWithUncertainty(Rate(), a));
}

TEST(UncertaintyTest, AnIntervalWithoutEndsReachesToTheCaps) {
  const Scorecard card = ScoreWithUncertainty(Time(), WithTime("m", {2, 0, INFINITY}));
  EXPECT_TRUE(std::isfinite(*card.uncertainty));
  EXPECT_GT(*card.uncertainty, 40);
}

// A grading whose times were hidden by noise was 4.3 points from nine others of the same
// submission, and said ± 2.0.
TEST(UncertaintyTest, AScoreWithoutItsTimesIsNotSurerThanTheyWouldMoveIt) {
  const ChallengeView challenge =
      MakeChallenge({MakeCriterion("x", "d", "metric(x)"),
                     MakeCriterion("b", "d", "bench_ratio(w)", {{1, 100}, {3, 0}}),
                     MakeCriterion("c", "e", "bench_ratio(w)", {{1, 100}, {3, 0}})});
  Evidence cell = WithTime("m", {2, 1.99, 2.01});
  cell.suite.metrics["x"] = 1;
  cell.bench.runs = std::vector<BenchRunEvidence>(3);
  const Scorecard timed = ScoreWithUncertainty(challenge, cell);
  cell.bench.controls.assign(6, MakeWorkload("control", {1, 0.5, 2}));
  const Scorecard hidden = ScoreWithUncertainty(challenge, cell);
  EXPECT_EQ(hidden.criteria[1].value.state, CriterionValue::State::kNotMeasured);
  EXPECT_GT(std::abs(*hidden.overall - *timed.overall), 10);
  // Two values as likely as each other have half of their distance as standard deviation.
  EXPECT_NEAR(*hidden.uncertainty, 1.96 / 2 * std::abs(*hidden.overall - *timed.overall), 0.5);
  cell.bench.workloads.clear();
  EXPECT_EQ(ScoreWithUncertainty(challenge, cell).uncertainty, 0)
      << "what was never timed hides nothing";
}

// Drawn whole, such a row would raise the score of who is right in one case of twelve.
TEST(UncertaintyTest, TimesThatNoiseHidAreDrawnAsFarAsTheyAreEarned) {
  ChallengeView challenge =
      MakeChallenge({MakeCriterion("x", "d", "metric(x)"),
                     MakeCriterion("b", "e", "bench_ratio(w)", {{1, 100}, {3, 0}})});
  challenge.rubric.work = {"t"};
  Evidence cell = WithCases("m", 100, 8);
  for (CaseEvidence& one : cell.suite.cases) {
    one.answered = {"f"};
  }
  cell.suite.metrics["x"] = 1;
  cell.bench = WithTime("m", {2, 1.99, 2.01}).bench;
  cell.bench.runs = std::vector<BenchRunEvidence>(3);
  const Scorecard timed = ScoreWithUncertainty(challenge, cell);
  EXPECT_EQ(timed.overall, 30);  // 40 % of 100 and of 50.
  cell.bench.controls.assign(6, MakeWorkload("control", {1, 0.5, 2}));
  const Scorecard hidden = ScoreWithUncertainty(challenge, cell);
  EXPECT_EQ(hidden.overall, 40);
  EXPECT_NEAR(*hidden.uncertainty, 1.96 / 2 * 10, 0.5);
}

TEST(UncertaintyTest, TimesThatNoiseHidAndThatScoreNothingAreNotDrawn) {
  const ChallengeView challenge = MakeChallenge(
      {MakeCriterion("x", "d", "metric(x)"), MakeCriterion("b", "d", "bench_ratio(w)", {})});
  Evidence cell = WithTime("m", {2, 1.99, 2.01});
  cell.suite.metrics["x"] = 1;
  cell.bench.runs = std::vector<BenchRunEvidence>(3);
  cell.bench.controls.assign(6, MakeWorkload("control", {1, 0.5, 2}));
  EXPECT_EQ(ScoreWithUncertainty(challenge, cell).uncertainty, 0);
}

TEST(UncertaintyTest, HalfOfTheIntervalIsTwoStandardDeviations) {
  std::vector<float> draws(kDraws);
  for (std::size_t i = 0; i < draws.size(); ++i) {
    draws[i] = i % 2 == 0 ? 49.0F : 51.0F;
  }
  EXPECT_NEAR(HalfWidth(draws), 1.96, 0.01);
  EXPECT_EQ(HalfWidthOfDifference(draws, draws), 0);
  EXPECT_EQ(HalfWidth({}), 0);
}

}  // namespace
}  // namespace assay
