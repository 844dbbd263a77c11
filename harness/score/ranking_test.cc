// SPDX-License-Identifier: Apache-2.0
#include "score/ranking.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <span>
#include <string>
#include <vector>

namespace assay {
namespace {

using testing::ElementsAre;

Scorecard Card(std::string challenge, std::string model, std::optional<double> overall) {
  Scorecard card;
  card.challenge = std::move(challenge);
  card.model_name = model;
  card.model = std::move(model);
  card.overall = overall;
  return card;
}

/// Draws around a score, ± 1.96 `spread`; `turn` makes two of them independent.
ScoreDraws Around(double score, double spread, std::size_t turn) {
  ScoreDraws draws(kDraws);
  for (std::size_t i = 0; i < draws.size(); ++i) {
    draws[i] = static_cast<float>((i >> turn) % 2 == 0 ? score - spread : score + spread);
  }
  return draws;
}

/// So many scores, each sure to ± 1.96.
struct Scores {
  explicit Scores(std::vector<double> of) {
    for (std::size_t i = 0; i < of.size(); ++i) {
      cards.push_back(Card("c", std::string(1, static_cast<char>('a' + i)), of[i]));
      draws.push_back({.overall = Around(of[i], 1, i), .without_authored = {}});
    }
  }
  [[nodiscard]] std::vector<RankedPlace> Ranked() const { return RankChallenge(cards, draws); }

  std::vector<Scorecard> cards;
  std::vector<CellDraws> draws;
};

std::vector<RankInterval> IntervalsOf(const std::vector<RankedPlace>& placements) {
  std::vector<RankInterval> intervals;
  intervals.reserve(placements.size());
  for (const RankedPlace& placement : placements) {
    intervals.push_back(placement.interval.value_or(RankInterval{}));
  }
  return intervals;
}

std::vector<Medal> MedalsOf(const std::vector<RankedPlace>& placements) {
  std::vector<Medal> medals;
  medals.reserve(placements.size());
  for (const RankedPlace& placement : placements) {
    medals.push_back(placement.medal);
  }
  return medals;
}

TEST(RankChallengeTest, EqualScoresShareARankAndTheNextIsSkipped) {
  const std::vector<Scorecard> cards = {Card("c", "d", 50), Card("c", "b", 80),
                                        Card("c", "e", std::nullopt), Card("c", "a", 80)};
  const std::vector<RankedPlace> placements = RankChallenge(cards, {});
  EXPECT_EQ(
      placements,
      (std::vector<RankedPlace>{
          {.index = 3, .rank = 1, .interval = RankInterval{1, 2}, .medal = Medal::kNone},
          {.index = 1, .rank = 1, .interval = RankInterval{1, 2}, .medal = Medal::kNone},
          {.index = 0, .rank = 3, .interval = RankInterval{3, 3}, .medal = Medal::kBronze},
          {.index = 2, .rank = std::nullopt, .interval = std::nullopt, .medal = Medal::kNone}}));
}

// The margin of two that are each sure to ± 1.96 is sure to ± 2.8.
TEST(RankChallengeTest, RanksAreIntervalsWithinTheUncertainty) {
  EXPECT_THAT(IntervalsOf(Scores({90, 80, 70}).Ranked()),
              ElementsAre(RankInterval{1, 1}, RankInterval{2, 2}, RankInterval{3, 3}));
  EXPECT_THAT(IntervalsOf(Scores({90, 88, 70}).Ranked()),
              ElementsAre(RankInterval{1, 2}, RankInterval{1, 2}, RankInterval{3, 3}));
  EXPECT_THAT(IntervalsOf(Scores({90, 88, 86}).Ranked()),
              ElementsAre(RankInterval{1, 2}, RankInterval{1, 3}, RankInterval{2, 3}));
}

TEST(RankChallengeTest, AMedalNeedsALeadBeyondTheUncertainty) {
  EXPECT_THAT(MedalsOf(Scores({90, 80, 70, 60}).Ranked()),
              ElementsAre(Medal::kGold, Medal::kSilver, Medal::kBronze, Medal::kNone));
  EXPECT_THAT(MedalsOf(Scores({90, 88, 70, 60}).Ranked()),
              ElementsAre(Medal::kNone, Medal::kNone, Medal::kBronze, Medal::kNone));
  EXPECT_THAT(MedalsOf(Scores({90, 80, 79}).Ranked()),
              ElementsAre(Medal::kGold, Medal::kNone, Medal::kNone));
}

TEST(RankChallengeTest, WithoutAuthoredRowsTheOrderIsThatOfTheOthers) {
  std::vector<Scorecard> cards = {Card("c", "a", 90), Card("c", "b", 80)};
  cards[0].without_authored.score = 50;
  cards[1].without_authored.score = 60;
  const auto placements = RankChallenge(cards, {}, RowsCounted::kWithoutAuthored);
  EXPECT_EQ(placements[0].index, 1U);
  EXPECT_EQ(placements[0].medal, Medal::kGold);
}

/// Whatever is not looked at, since two intervals are far apart, is as if it had been.
TEST(RankTest, IntervalsAreThoseThatEveryPairGives) {
  std::mt19937_64 random(1);
  std::normal_distribution<float> normal;
  std::vector<std::vector<float>> draws(40, std::vector<float>(kDraws));
  std::vector<Contender> contenders;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    const float score = 50 + 15 * normal(random);
    for (float& draw : draws[i]) {
      draw = score + static_cast<float>(i % 7) * normal(random);
    }
    contenders.push_back({.id = "m" + std::to_string(i),
                          .score = score,
                          .draws = i % 5 == 0 ? std::span<float>() : draws[i]});
  }
  int unsure = 0;
  for (const RankedPlace& place : Rank(contenders)) {
    const Contender& own = contenders[place.index];
    RankInterval wanted{.best = 1, .worst = static_cast<int>(contenders.size())};
    for (const Contender& other : contenders) {
      wanted.best += IsSurelyBetter(other, own) ? 1 : 0;
      wanted.worst -= IsSurelyBetter(own, other) ? 1 : 0;
    }
    EXPECT_EQ(place.interval, wanted) << own.id;
    unsure += wanted.best < wanted.worst ? 1 : 0;
  }
  EXPECT_GT(unsure, 5);
}

TEST(RankModelsTest, AChallengeNotEnteredCountsZero) {
  const std::vector<Scorecard> cards = {Card("c1", "a", 90), Card("c1", "b", 70),
                                        Card("c2", "b", 60)};
  const std::vector<ModelStanding> standings = RankModels(cards, {});
  EXPECT_EQ(standings[0].model, "b");
  EXPECT_EQ(standings[0].average, 65);
  EXPECT_EQ(standings[1].average, 45);
  EXPECT_FALSE(standings[1].provisional);
  EXPECT_EQ(standings[1].rank, 2);
}

// As doubles, 49.9 + 39.8 is less than 2.9 + 86.8, and half of it lies on a border of rounding.
TEST(RankModelsTest, EqualMeansRankEqual) {
  const std::vector<Scorecard> cards = {Card("c1", "a", 49.9), Card("c2", "a", 39.8),
                                        Card("c1", "b", 2.9), Card("c2", "b", 86.8)};
  const std::vector<ModelStanding> standings = RankModels(cards, {});
  EXPECT_EQ(standings[0].average, standings[1].average);
  EXPECT_EQ(standings[1].rank, 1);
}

TEST(RankModelsTest, AMedalNeedsACellForEveryChallenge) {
  const std::vector<Scorecard> cards = {Card("c1", "a", 90), Card("c1", "b", 20),
                                        Card("c2", "b", 20)};
  const std::vector<ModelStanding> standings = RankModels(cards, {});
  EXPECT_EQ(standings[0].model, "a");
  EXPECT_EQ(standings[0].rank, 1);
  EXPECT_EQ(standings[0].medal, Medal::kNone);
  EXPECT_EQ(standings[1].medal, Medal::kSilver);
}

// Neither 0 nor left out: else a model rises by what could not be scored, and takes a medal so.
TEST(RankModelsTest, ACellWithoutAScoreLeavesNoAverageAndNoMedal) {
  const std::vector<Scorecard> cards = {Card("c1", "a", 90), Card("c2", "a", std::nullopt),
                                        Card("c1", "b", 80), Card("c2", "b", 80)};
  const std::vector<ModelStanding> standings = RankModels(cards, {});
  EXPECT_EQ(standings[0].model, "b");
  EXPECT_EQ(standings[0].rank, 1);
  EXPECT_EQ(standings[0].medal, Medal::kGold);
  EXPECT_EQ(standings[1].model, "a");
  EXPECT_EQ(standings[1].average, std::nullopt);
  EXPECT_EQ(standings[1].rank, std::nullopt);
  EXPECT_EQ(standings[1].interval, std::nullopt);
  EXPECT_EQ(standings[1].medal, Medal::kNone);
  EXPECT_TRUE(standings[1].provisional);
}

TEST(RankModelsTest, WhoLacksACellHasNoAverageAndNoMedal) {
  const std::vector<Scorecard> cards = {Card("c1", "a", 90), Card("c1", "b", 80),
                                        Card("c2", "b", 80)};
  const std::vector<ModelStanding> standings =
      RankModels(cards, {}, RowsCounted::kAll, std::set<std::string>{"a"});
  EXPECT_EQ(standings[0].model, "b");
  EXPECT_EQ(standings[0].medal, Medal::kGold);
  EXPECT_EQ(standings[1].average, std::nullopt);
  EXPECT_EQ(standings[1].rank, std::nullopt);
  EXPECT_TRUE(standings[1].provisional);
}

TEST(RankModelsTest, AnAverageIsAsSureAsItsScores) {
  const std::vector<Scorecard> cards = {Card("c1", "a", 90), Card("c2", "a", 70),
                                        Card("c1", "b", 80), Card("c2", "b", 79)};
  const std::vector<CellDraws> draws = {{.overall = Around(90, 1, 0), .without_authored = {}},
                                        {.overall = Around(70, 1, 1), .without_authored = {}},
                                        {.overall = Around(80, 1, 2), .without_authored = {}},
                                        {.overall = Around(79, 1, 3), .without_authored = {}}};
  const std::vector<ModelStanding> standings = RankModels(cards, draws);
  EXPECT_EQ(standings[0].average, 80);
  EXPECT_EQ(standings[0].uncertainty, 1.4);  // 1.96 / sqrt(2).
  EXPECT_EQ(standings[0].interval, (RankInterval{1, 2}));
  EXPECT_EQ(standings[0].medal, Medal::kNone);
}

TEST(RankModelsTest, AModelWithoutAnyScoreHasNoRankAndComesLast) {
  const std::vector<Scorecard> cards = {Card("c", "a", std::nullopt), Card("c", "b", 0)};
  const std::vector<ModelStanding> standings = RankModels(cards, {});
  EXPECT_EQ(standings[0].model, "b");
  EXPECT_EQ(standings[0].rank, 1);
  EXPECT_EQ(standings[1].rank, std::nullopt);
  EXPECT_EQ(standings[1].average, std::nullopt);
}

TEST(RankModelsTest, AChallengeInWhichNobodyHasAScoreDoesNotCount) {
  const std::vector<Scorecard> cards = {Card("c1", "a", 90), Card("c2", "b", std::nullopt)};
  const std::vector<ModelStanding> standings = RankModels(cards, {});
  EXPECT_EQ(standings[0].average, 90);
  EXPECT_EQ(standings[1].average, std::nullopt);
}

TEST(RankModelsTest, WithoutAnyScoreThereIsNoRanking) {
  const std::vector<Scorecard> cards = {Card("c", "a", std::nullopt), Card("c", "b", std::nullopt)};
  const std::vector<ModelStanding> standings = RankModels(cards, {});
  EXPECT_EQ(standings[0].rank, std::nullopt);
  EXPECT_TRUE(standings[0].provisional);
}

}  // namespace
}  // namespace assay
