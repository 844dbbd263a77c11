// SPDX-License-Identifier: Apache-2.0
#include "score/matchup.h"

#include <gtest/gtest.h>

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

/// One criterion on metric x, and two cells.
struct OneRow : testing::Test {
  ChallengeView challenge = MakeChallenge({MakeCriterion("x", "d", "metric(x)")});
  Evidence a = MakeCell("a");
  Evidence b = MakeCell("b");

  OneRow() {
    a.suite.cases = b.suite.cases = {MakeCase("A", {}, Verdict::kAccepted)};
    a.suite.metrics["x"] = 0.25;
    b.suite.metrics["x"] = 0.75;
  }
  Criterion& criterion() { return challenge.rubric.criteria[0]; }
  [[nodiscard]] Matchup Match() const { return Compare(challenge, a, b); }
  [[nodiscard]] RowEdge EdgeOf() const { return Match().rows.at(0).edge; }
};

TEST_F(OneRow, BetterValueWinsByTheRubricsDirection) {
  EXPECT_EQ(EdgeOf(), RowEdge::kB);
  criterion().edge = Edge::kLower;
  EXPECT_EQ(EdgeOf(), RowEdge::kA);
  EXPECT_EQ(Match().won_a, 1);
}

TEST_F(OneRow, WithinTheTieIsATie) {
  criterion().tie_within = {.kind = Tie::Kind::kDifference, .amount = 0.5};
  EXPECT_EQ(EdgeOf(), RowEdge::kTie);
  EXPECT_EQ(Match().tied, 1);
}

TEST_F(OneRow, TextRowsHaveNoWinner) {
  criterion().edge = Edge::kText;
  EXPECT_EQ(EdgeOf(), RowEdge::kNone);
}

/// A row of a curve: a is right at two shapes, b at the smaller one.
struct OneCurve : OneRow {
  OneCurve() {
    criterion().value = {.function = ValueFunction::kAtLargest, .arguments = {"x", "logits"}};
    a.suite.curves["x"] = {{10, 0.5}, {1000, 0.9}};
    b.suite.curves["x"] = {{10, 0.75}};
  }
};

TEST_F(OneCurve, IsDecidedByTheSameWork) {
  EXPECT_EQ(EdgeOf(), RowEdge::kB);
  const auto compared = Match().rows.at(0).compared;
  ASSERT_TRUE(compared.has_value());
  EXPECT_EQ(compared->a.value, 0.5);
  EXPECT_EQ(compared->b.value, 0.75);
}

TEST_F(OneCurve, WithoutAShapeInCommonIsUnresolved) {
  b.suite.curves["x"] = {{20, 0.75}};
  EXPECT_EQ(EdgeOf(), RowEdge::kUnresolved);
  EXPECT_EQ(Match().rows.at(0).reason, "no shape at which both are right");
}

TEST_F(OneCurve, OfOneLargestShapeIsComparedAsItStands) {
  a.suite.curves["x"] = {{10, 0.5}};
  EXPECT_EQ(EdgeOf(), RowEdge::kB);
  EXPECT_FALSE(Match().rows.at(0).compared.has_value());
}

TEST_F(OneRow, MeasuredBeatsFailed) {
  b.suite.metrics.clear();
  EXPECT_EQ(EdgeOf(), RowEdge::kA);
}

TEST_F(OneRow, BothFailedIsNoContest) {
  a.suite.metrics.clear();
  b.suite.metrics.clear();
  EXPECT_EQ(EdgeOf(), RowEdge::kNone);
  EXPECT_EQ(Match().rows[0].reason, "both failed: no contest");
}

TEST_F(OneRow, OneNotMeasuredIsUnresolvedAndBothAreNone) {
  b.suite = {};
  EXPECT_EQ(EdgeOf(), RowEdge::kUnresolved);
  EXPECT_EQ(Match().rows[0].reason, "one is not measured: the suite was not run");
  a.suite = {};
  EXPECT_EQ(EdgeOf(), RowEdge::kNone);
}

TEST_F(OneRow, OtherVersionsOfTheChallengeLeaveEverythingUnresolved) {
  b.digests.challenge = "c2";
  EXPECT_EQ(EdgeOf(), RowEdge::kUnresolved);
  EXPECT_EQ(Match().winner, RowEdge::kUnresolved);
  EXPECT_EQ(Match().reason, "graded against different versions of the challenge");
  b.digests.challenge = "c1";
  b.digests.reference = "r2";
  EXPECT_EQ(Match().reason, "graded against different versions of the reference");
}

TEST_F(OneRow, WinnerHasTheHigherOverallScore) {
  EXPECT_EQ(Match().winner, RowEdge::kB);
  EXPECT_EQ(Match().margin, 50);
  b.suite.metrics["x"] = 0.25;
  EXPECT_EQ(Match().winner, RowEdge::kSplit);
  EXPECT_EQ(Match().margin, 0);
}

TEST_F(OneRow, JudgeErrorHasNoWinnerAndNoEdges) {
  a.verdict = Verdict::kJudgeError;
  EXPECT_EQ(Match().winner, RowEdge::kUnresolved);
  EXPECT_EQ(Match().reason, "a is judge_error");
  EXPECT_EQ(EdgeOf(), RowEdge::kUnresolved);
}

TEST_F(OneRow, ATimeOfOneCallDecidesNothing) {
  criterion().format = ValueFormat::kSeconds;
  criterion().edge = Edge::kLower;
  EXPECT_EQ(EdgeOf(), RowEdge::kNone);
  EXPECT_EQ(Match().rows[0].reason, "a time of one call decides nothing");
}

/// So many of 20 cases pass.
void GiveCases(Evidence& cell, int passing) {
  cell.suite.cases.clear();
  for (int i = 0; i < 20; ++i) {
    cell.suite.cases.push_back(MakeCase("Case." + std::to_string(i), {"t"},
                                        i < passing ? Verdict::kAccepted : Verdict::kWrongAnswer));
  }
}

TEST_F(OneRow, AMarginInsideItsUncertaintyIsSplit) {
  criterion() = MakeCriterion("r", "d", "pass_rate(t)");
  GiveCases(a, 15);
  GiveCases(b, 14);
  EXPECT_EQ(Match().winner, RowEdge::kSplit);
  EXPECT_EQ(Match().margin, 5);
  EXPECT_GT(Match().margin_uncertainty, 5);
  GiveCases(b, 3);
  EXPECT_EQ(Match().winner, RowEdge::kA);
  EXPECT_LT(Match().margin_uncertainty, Match().margin);
}

/// One row of times with a tie of 5 %.
struct TimeRow : testing::Test {
  ChallengeView challenge = MakeChallenge({MakeCriterion("t", "d", "bench_ratio(w)")});

  TimeRow() {
    Criterion& criterion = challenge.rubric.criteria[0];
    criterion.kind = CriterionKind::kBench;
    criterion.edge = Edge::kLower;
    criterion.tie_within = {.kind = Tie::Kind::kFactor, .amount = 1.05};
  }
  static Evidence Cell(std::string_view model, const RatioEstimate& ratio) {
    Evidence cell = MakeCell(model);
    cell.bench.workloads = {MakeWorkload("w/1", ratio)};
    cell.bench.controls = MakeControls(0);
    return cell;
  }
  [[nodiscard]] MatchupRow RowOf(const RatioEstimate& a, const RatioEstimate& b) const {
    return Compare(challenge, Cell("a", a), Cell("b", b)).rows.at(0);
  }
};

TEST_F(TimeRow, ClearlyFasterWins) {
  EXPECT_EQ(RowOf({1, 0.98, 1.02}, {2, 1.96, 2.04}).edge, RowEdge::kA);
  EXPECT_EQ(RowOf({2, 1.96, 2.04}, {1, 0.98, 1.02}).edge, RowEdge::kB);
}

TEST_F(TimeRow, NarrowIntervalsInsideTheTieAreATie) {
  EXPECT_EQ(RowOf({1, 0.99, 1.01}, {1.01, 1, 1.02}).edge, RowEdge::kTie);
}

TEST_F(TimeRow, WideIntervalsAreUnresolvedAndNeverATie) {
  EXPECT_EQ(RowOf({1, 0.8, 1.25}, {1, 0.8, 1.25}).edge, RowEdge::kUnresolved);
  EXPECT_EQ(RowOf({1, 0.5, 2}, {1.5, 0.7, 3}).edge, RowEdge::kUnresolved);
  EXPECT_EQ(RowOf({1, 0.99, 1.2}, {1, 0.99, 1.01}).edge, RowEdge::kUnresolved);
  EXPECT_EQ(RowOf({1, 0.8, 1.01}, {1, 0.99, 1.01}).edge, RowEdge::kUnresolved);
}

TEST_F(TimeRow, ASignificantDifferenceInsideTheTieIsNoWin) {
  // 3 % apart with intervals of 0.1 %: surely different, and not worth a win.
  EXPECT_EQ(RowOf({1, 0.999, 1.001}, {1.03, 1.029, 1.031}).edge, RowEdge::kTie);
}

TEST_F(TimeRow, ANoisyMachineLeavesItUnresolved) {
  Evidence a = Cell("a", {1, 0.98, 1.02});
  Evidence b = Cell("b", {2, 1.96, 2.04});
  b.bench.controls = MakeControls(3);
  EXPECT_EQ(Compare(challenge, a, b).rows[0].edge, RowEdge::kUnresolved);
}

TEST_F(TimeRow, HolmRunsOverAllPairs) {
  // p is about 0.03 for a against b: resolved alone, not among ten pairs.
  const RatioEstimate one{1, std::exp(-0.1), std::exp(0.1)};
  const RatioEstimate two{std::exp(0.158), std::exp(0.058), std::exp(0.258)};
  EXPECT_EQ(RowOf(one, two).edge, RowEdge::kA);
  const std::vector<Evidence> cells = {Cell("a", one), Cell("b", two), Cell("c", one),
                                       Cell("d", one), Cell("e", one)};
  std::vector<const Evidence*> pointers;
  pointers.reserve(cells.size());
  for (const Evidence& cell : cells) {
    pointers.push_back(&cell);
  }
  const auto [cards, draws] = ScoreCells(challenge, pointers);
  const std::vector<Matchup> matchups =
      CompareAll(challenge, pointers, cards, draws, AllPairs(pointers.size()));
  ASSERT_EQ(matchups.size(), 10U);
  EXPECT_EQ(matchups[0].rows[0].edge, RowEdge::kUnresolved);
  EXPECT_EQ(matchups[0].rows[0].reason, "the difference is within the noise");
  const std::vector<CellPair> wanted = {{0, 1}};
  EXPECT_EQ(CompareSome(challenge, pointers, cards, draws, AllPairs(pointers.size()), wanted),
            std::vector<Matchup>{matchups[0]});
}

}  // namespace
}  // namespace assay
