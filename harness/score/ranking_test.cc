// SPDX-License-Identifier: Apache-2.0
#include "score/ranking.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

Scorecard Card(std::string challenge, std::string model, std::optional<double> overall) {
  Scorecard card;
  card.challenge = std::move(challenge);
  card.model_name = model;
  card.model = std::move(model);
  card.overall = overall;
  return card;
}

TEST(RankChallengeTest, EqualScoresShareARankAndTheNextIsSkipped) {
  const std::vector<Scorecard> cards = {Card("c", "d", 50), Card("c", "b", 80),
                                        Card("c", "e", std::nullopt), Card("c", "a", 80)};
  const std::vector<Placement> placements = RankChallenge(cards);
  EXPECT_EQ(placements, (std::vector<Placement>{{.card = 3, .rank = 1},
                                                {.card = 1, .rank = 1},
                                                {.card = 0, .rank = 3},
                                                {.card = 2, .rank = std::nullopt}}));
}

TEST(RankModelsTest, AChallengeNotEnteredCountsZero) {
  const std::vector<Scorecard> cards = {Card("c1", "a", 90), Card("c1", "b", 70),
                                        Card("c2", "b", 60)};
  const std::vector<ModelStanding> standings = RankModels(cards);
  EXPECT_EQ(standings[0].model, "b");
  EXPECT_EQ(standings[0].average, 65);
  EXPECT_EQ(standings[1].average, 45);
  EXPECT_FALSE(standings[1].provisional);
  EXPECT_EQ(standings[1].rank, 2);
}

// Neither 0 nor left out: else a model rises by what could not be scored, and takes a medal so.
TEST(RankModelsTest, ACellWithoutAScoreLeavesTheModelWithoutAnAverage) {
  const std::vector<Scorecard> cards = {Card("c1", "a", 90), Card("c2", "a", std::nullopt),
                                        Card("c1", "b", 80), Card("c2", "b", 80)};
  const std::vector<ModelStanding> standings = RankModels(cards);
  EXPECT_EQ(standings[0].model, "b");
  EXPECT_EQ(standings[0].rank, 1);
  EXPECT_EQ(standings[1].model, "a");
  EXPECT_EQ(standings[1].average, std::nullopt);
  EXPECT_EQ(standings[1].rank, std::nullopt);
  EXPECT_TRUE(standings[1].provisional);
}

TEST(RankModelsTest, AModelWithoutAnyScoreHasNoRankAndComesLast) {
  const std::vector<Scorecard> cards = {Card("c", "a", std::nullopt), Card("c", "b", 0)};
  const std::vector<ModelStanding> standings = RankModels(cards);
  EXPECT_EQ(standings[0].model, "b");
  EXPECT_EQ(standings[0].rank, 1);
  EXPECT_EQ(standings[1].rank, std::nullopt);
  EXPECT_EQ(standings[1].average, std::nullopt);
}

TEST(RankModelsTest, AChallengeInWhichNobodyHasAScoreDoesNotCount) {
  const std::vector<Scorecard> cards = {Card("c1", "a", 90), Card("c2", "b", std::nullopt)};
  const std::vector<ModelStanding> standings = RankModels(cards);
  EXPECT_EQ(standings[0].average, 90);
  EXPECT_EQ(standings[1].average, std::nullopt);
}

TEST(RankModelsTest, WithoutAnyScoreThereIsNoRanking) {
  const std::vector<Scorecard> cards = {Card("c", "a", std::nullopt), Card("c", "b", std::nullopt)};
  EXPECT_EQ(RankModels(cards)[0].rank, std::nullopt);
  EXPECT_TRUE(RankModels(cards)[0].provisional);
}

}  // namespace
}  // namespace assay
