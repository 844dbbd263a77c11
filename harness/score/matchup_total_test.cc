// SPDX-License-Identifier: Apache-2.0
#include "score/matchup_total.h"

#include <gtest/gtest.h>

#include <vector>

namespace assay {
namespace {

Matchup Won(RowEdge winner, double a, double b, double uncertainty) {
  Matchup matchup;
  matchup.winner = winner;
  matchup.a.overall = a;
  matchup.b.overall = b;
  matchup.margin_uncertainty = uncertainty;
  return matchup;
}

TEST(MatchupTotal, ChallengesWonAndSplitGivePoints) {
  const std::vector<Matchup> matchups = {
      Won(RowEdge::kA, 80, 60, 3), Won(RowEdge::kSplit, 70, 71, 4), Won(RowEdge::kA, 90, 70, 0)};
  const MatchupTotal total = TotalOf(matchups);
  EXPECT_EQ(total.points_a, 2.5);
  EXPECT_EQ(total.points_b, 0.5);
  EXPECT_EQ(total.winner, RowEdge::kA);
  EXPECT_EQ(total.mean_a, 80);
  EXPECT_EQ(total.mean_b, 67);
  EXPECT_EQ(total.margin, 13);
  EXPECT_EQ(total.margin_uncertainty, 1.7);  // sqrt(9 + 16) / 3.
}

// 221.0 and 160.6 over 3: the difference of their exact means would print as 20.1.
TEST(MatchupTotal, TheMarginIsThatOfThePrintedMeans) {
  const std::vector<Matchup> matchups = {Won(RowEdge::kA, 80, 60, 1), Won(RowEdge::kA, 70, 50, 1),
                                         Won(RowEdge::kA, 71, 50.6, 1)};
  const MatchupTotal total = TotalOf(matchups);
  EXPECT_EQ(total.mean_a, 73.7);
  EXPECT_EQ(total.mean_b, 53.5);
  EXPECT_EQ(total.margin, 20.2);
}

// As doubles, 49.9 + 39.8 is less than 2.9 + 86.8, and half of it lies on a border of rounding.
TEST(MatchupTotal, EqualMeansAreEqual) {
  const std::vector<Matchup> matchups = {Won(RowEdge::kA, 49.9, 2.9, 1),
                                         Won(RowEdge::kB, 39.8, 86.8, 1)};
  const MatchupTotal total = TotalOf(matchups);
  EXPECT_EQ(total.mean_a, total.mean_b);
  EXPECT_EQ(total.margin, 0);
}

TEST(MatchupTotal, PointsDecideAndNotTheMean) {
  const std::vector<Matchup> matchups = {Won(RowEdge::kA, 99, 10, 1), Won(RowEdge::kB, 50, 60, 1),
                                         Won(RowEdge::kB, 50, 60, 1)};
  EXPECT_EQ(TotalOf(matchups).winner, RowEdge::kB);
  EXPECT_EQ(TotalOf({&matchups[0], 2}).winner, RowEdge::kSplit);
}

TEST(MatchupTotal, WhatHasNoWinnerGivesNothing) {
  Matchup undecided;
  undecided.a.overall = 50;
  const std::vector<Matchup> matchups = {undecided, Won(RowEdge::kB, 40, 60, 2)};
  const MatchupTotal total = TotalOf(matchups);
  EXPECT_EQ(total.undecided, 1);
  EXPECT_EQ(total.points_a, 0);
  EXPECT_EQ(total.points_b, 1);
  EXPECT_EQ(total.mean_a, 40);
  const MatchupTotal none = TotalOf({matchups.data(), 1});
  EXPECT_EQ(none.winner, RowEdge::kUnresolved);
  EXPECT_FALSE(none.mean_a);
}

}  // namespace
}  // namespace assay
