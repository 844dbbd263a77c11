// SPDX-License-Identifier: Apache-2.0
#include "score/weighing.h"

#include <gtest/gtest.h>

#include <cmath>

#include "score/synthetic.h"

namespace assay {
namespace {

using synthetic::MakeCriterion;

TEST(WeighingTest, WithTheRubricsWeightsItIsTheScorecard) {
  const ChallengeView challenge = synthetic::LayerNormChallenge();
  const Weighing weighing(challenge.rubric);
  for (const Evidence& cell : synthetic::LayerNormCells()) {
    const Scorecard card = ScoreCell(challenge, cell);
    const std::vector<double> scores = RowScores(card);
    EXPECT_EQ(RoundedToTenths(weighing.Overall(weighing.weights(), scores, card.penalty)),
              card.overall)
        << cell.model;
    for (std::size_t i = 0; i < card.dimensions.size(); ++i) {
      const double mean = weighing.Dimension(i, weighing.weights(), scores);
      EXPECT_EQ(!std::isnan(mean), card.dimensions[i].score.has_value());
      EXPECT_TRUE(std::isnan(mean) || RoundedToTenths(mean) == card.dimensions[i].score);
    }
  }
}

TEST(WeighingTest, WithoutAuthoredRowsTheOthersAreTheWhole) {
  ChallengeView challenge = synthetic::MakeChallenge({MakeCriterion("x", "a", "metric(x)"),
                                                      MakeCriterion("y", "a", "metric(y)"),
                                                      MakeCriterion("z", "b", "metric(z)")});
  challenge.rubric.criteria[1].kind = CriterionKind::kClaim;
  challenge.rubric.criteria[2].kind = CriterionKind::kAnswer;
  const Weighing weighing(challenge.rubric);
  const std::vector<double> scores = {40, 80, 100};
  EXPECT_EQ(weighing.Overall(weighing.weights(), scores, 0), 80);
  EXPECT_EQ(weighing.Overall(weighing.weights(RowsCounted::kWithoutAuthored), scores, 0), 40);
}

TEST(WeighingTest, AnswersClaimsTestsAndReviewsAreAuthoredAndNothingElse) {
  using K = CriterionKind;
  for (const K kind : {K::kAnswer, K::kClaim, K::kOwnTests, K::kReview}) {
    EXPECT_TRUE(IsAuthored(kind)) << ToString(kind);
  }
  for (const K kind : {K::kTest, K::kBench, K::kGpu, K::kBuild, K::kStatic}) {
    EXPECT_FALSE(IsAuthored(kind)) << ToString(kind);
  }
}

}  // namespace
}  // namespace assay
