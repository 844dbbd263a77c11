// SPDX-License-Identifier: Apache-2.0
#include "score/scorecard.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "score/synthetic.h"

namespace assay {
namespace {

using synthetic::MakeCase;
using synthetic::MakeCell;
using synthetic::MakeChallenge;
using synthetic::MakeCriterion;

TEST(ScoreOfTest, LinearBetweenAnchorsAndFlatOutside) {
  const Criterion c = MakeCriterion("c", "d", "metric(x)", {{0, 0}, {0.9, 50}, {1, 100}});
  EXPECT_EQ(ScoreOf(c, -1), 0);
  EXPECT_DOUBLE_EQ(*ScoreOf(c, 0.45), 25);
  EXPECT_EQ(ScoreOf(c, 0.9), 50);
  EXPECT_DOUBLE_EQ(*ScoreOf(c, 0.95), 75);
  EXPECT_EQ(ScoreOf(c, INFINITY), 100);
  EXPECT_EQ(ScoreOf(c, NAN), 0);
}

// A step would let the noise of a time decide 35 points.
TEST(ScoreOfTest, NoStepDecides) {
  const Criterion time =
      MakeCriterion("c", "d", "bench_ratio(x)", {{1.25, 100}, {2, 85}, {4, 65}, {16, 15}});
  for (double ratio = 1; ratio < 17; ratio *= 1.01) {
    EXPECT_NEAR(*ScoreOf(time, ratio), *ScoreOf(time, ratio * 1.01), 1) << ratio;
  }
  EXPECT_DOUBLE_EQ(*ScoreOf(time, 3), 75);
}

TEST(ScoreOfTest, ManyValuesAtOnceScoreAsEachDoesAlone) {
  const std::vector<double> values = {-1,   0,   0.3, 0.45, 0.9,      std::nextafter(0.9, 1),
                                      0.95, 0.7, 1,   1.5,  INFINITY, NAN};
  for (const std::vector<Anchor>& anchors : {std::vector<Anchor>{{0, 0}, {0.9, 50}, {1, 100}},
                                             {{0, 100}, {0.3, 10.7}, {0.7, 0.1}},
                                             {{0.5, 60}}}) {
    const Criterion c = MakeCriterion("c", "d", "metric(x)", anchors);
    const std::vector<double> scores = ScoresOf(c, values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(scores[i], ScoreOf(c, values[i])) << values[i];
    }
  }
}

TEST(ScoreOfTest, WithoutAnchorsThereIsNone) {
  EXPECT_EQ(ScoreOf(MakeCriterion("c", "d", "metric(x)", {}), 1), std::nullopt);
}

/// Two dimensions, a: x (weight 3), y (weight 1); b: z.
struct TwoDimensions : testing::Test {
  ChallengeView challenge =
      MakeChallenge({MakeCriterion("x", "a", "metric(x)"), MakeCriterion("y", "a", "metric(y)"),
                     MakeCriterion("z", "b", "metric(z)")});
  Evidence cell = MakeCell("m");

  TwoDimensions() {
    challenge.rubric.criteria[0].weight = 3;
    challenge.rubric.penalties.repaired = 10;
    cell.suite.cases = {MakeCase("A", {}, Verdict::kAccepted)};
    cell.suite.metrics = {{"x", 1}, {"y", 0}, {"z", 0.5}};
  }
};

TEST_F(TwoDimensions, MeansAreWeighted) {
  const Scorecard card = ScoreCell(challenge, cell);
  EXPECT_EQ(FindDimensionScore(card, "a")->score, 75);
  EXPECT_EQ(FindDimensionScore(card, "b")->score, 50);
  EXPECT_EQ(card.overall, 62.5);
  EXPECT_EQ(card.coverage, 1);
}

TEST_F(TwoDimensions, NotMeasuredIsRenormalisedAndCoverageSaysSo) {
  challenge.rubric.criteria[1].value.function = ValueFunction::kReview;
  const Scorecard card = ScoreCell(challenge, cell);
  EXPECT_EQ(FindDimensionScore(card, "a")->score, 100);
  EXPECT_EQ(FindDimensionScore(card, "a")->coverage, 0.75);
  EXPECT_EQ(card.overall, 75);
  EXPECT_EQ(card.coverage, 0.875);
}

TEST_F(TwoDimensions, FailedScoresZeroWithItsFullWeight) {
  cell.suite.metrics.erase("x");
  const Scorecard card = ScoreCell(challenge, cell);
  EXPECT_EQ(FindCriterionScore(card, "x")->score, 0);
  EXPECT_EQ(FindDimensionScore(card, "a")->score, 0);
  EXPECT_EQ(FindDimensionScore(card, "a")->coverage, 1);
}

TEST_F(TwoDimensions, ADimensionWithoutScoresDoesNotCount) {
  challenge.rubric.criteria[2].value.function = ValueFunction::kReview;
  const Scorecard card = ScoreCell(challenge, cell);
  EXPECT_EQ(FindDimensionScore(card, "b")->score, std::nullopt);
  EXPECT_EQ(card.overall, 75);
  EXPECT_EQ(card.coverage, 0.5);
}

TEST_F(TwoDimensions, ACriterionWithoutAnchorsOrWeightIsShownAndNotScored) {
  challenge.rubric.criteria[0].score.clear();
  challenge.rubric.criteria[2].weight = 0;
  const Scorecard card = ScoreCell(challenge, cell);
  EXPECT_EQ(FindCriterionScore(card, "x")->score, std::nullopt);
  EXPECT_EQ(FindCriterionScore(card, "x")->value.value, 1);
  EXPECT_EQ(FindDimensionScore(card, "a")->score, 0);
  EXPECT_EQ(FindDimensionScore(card, "b")->score, std::nullopt);
  EXPECT_EQ(card.coverage, 1);
}

TEST_F(TwoDimensions, AMissingReviewShowsInTheCoverage) {
  challenge.rubric.criteria[1].value.function = ValueFunction::kReview;
  challenge.rubric.criteria[1].score.clear();
  EXPECT_EQ(FindDimensionScore(ScoreCell(challenge, cell), "a")->coverage, 0.75);
}

TEST_F(TwoDimensions, RepairedLosesThePenaltyAndNeverGoesBelowZero) {
  cell.repair = Repair{};
  EXPECT_EQ(ScoreCell(challenge, cell).overall, 52.5);
  EXPECT_TRUE(ScoreCell(challenge, cell).repaired);
  cell.suite.metrics.clear();
  EXPECT_EQ(ScoreCell(challenge, cell).overall, 0);
}

TEST_F(TwoDimensions, PointsLostAndPenaltyAddUpToWhatIsMissing) {
  cell.suite.metrics = {{"x", 0.25}, {"y", 0.5}, {"z", 0.75}};
  cell.repair = Repair{};
  const Scorecard card = ScoreCell(challenge, cell);
  double lost = card.penalty;
  for (const CriterionScore& score : card.criteria) {
    lost += score.points_lost;
  }
  EXPECT_NEAR(100 - *card.overall, lost, 0.05);
  EXPECT_NEAR(FindCriterionScore(card, "x")->points_lost, 0.5 * 0.75 * 75, 1e-9);
}

TEST_F(TwoDimensions, ScoresAreRoundedToTenthsOnce) {
  cell.suite.metrics = {{"x", 1.0 / 3}, {"y", 1.0 / 3}, {"z", 1.0 / 3}};
  EXPECT_EQ(ScoreCell(challenge, cell).overall, 33.3);
}

TEST_F(TwoDimensions, RejectedIsZero) {
  cell.verdict = Verdict::kRejected;
  EXPECT_EQ(ScoreCell(challenge, cell).overall, 0);
}

TEST_F(TwoDimensions, JudgeErrorAndSkippedHaveNoScore) {
  for (const Verdict verdict : {Verdict::kJudgeError, Verdict::kSkipped}) {
    cell.verdict = verdict;
    const Scorecard card = ScoreCell(challenge, cell);
    EXPECT_EQ(card.overall, std::nullopt);
    EXPECT_EQ(card.coverage, 0);
  }
}

TEST_F(TwoDimensions, WrongAnswerIsScoredAsMeasured) {
  cell.verdict = Verdict::kWrongAnswer;
  EXPECT_EQ(ScoreCell(challenge, cell).overall, 62.5);
}

}  // namespace
}  // namespace assay
