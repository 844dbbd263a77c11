// SPDX-License-Identifier: Apache-2.0
#include "score/robustness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "score/synthetic.h"

namespace assay {
namespace {

using synthetic::MakeCase;
using synthetic::MakeCell;
using synthetic::MakeCriterion;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr Held kAlways{.least = 1, .most = 1};

/// Two cells that differ in metrics x, y and z, of one dimension each.
struct TwoCells : testing::Test {
  ChallengeView challenge = synthetic::MakeChallenge({MakeCriterion("x", "a", "metric(x)"),
                                                      MakeCriterion("y", "b", "metric(y)"),
                                                      MakeCriterion("z", "c", "metric(z)")});
  std::vector<Evidence> cells = {MakeCell("a"), MakeCell("b")};

  void Give(std::map<std::string, double> a, std::map<std::string, double> b) {
    cells[0].suite.metrics = std::move(a);
    cells[1].suite.metrics = std::move(b);
    for (Evidence& cell : cells) {
      cell.suite.cases = {MakeCase("A", {"t"}, Verdict::kAccepted)};
    }
  }

  [[nodiscard]] Robustness Measure(int weight_draws = kWeightDraws) const {
    std::vector<const Evidence*> pointers;
    pointers.reserve(cells.size());
    for (const Evidence& cell : cells) {
      pointers.push_back(&cell);
    }
    const auto [cards, draws] = ScoreCells(challenge, pointers);
    const std::vector<Matchup> matchups =
        CompareAll(challenge, pointers, cards, draws, AllPairs(pointers.size()));
    const RankedChallenge ranked = {
        .view = &challenge, .cards = cards, .draws = draws, .matchups = matchups};
    return MeasureRobustness(std::span(&ranked, 1), RankModels(cards, draws), weight_draws);
  }
};

TEST_F(TwoCells, WhoIsBetterInEveryRowKeepsTheRank) {
  Give({{"x", 0.9}, {"y", 0.9}, {"z", 0.9}}, {{"x", 0.1}, {"y", 0.1}, {"z", 0.1}});
  const Robustness robustness = Measure();
  ASSERT_EQ(robustness.rankings.size(), 1U);  // Over all there is one challenge alone.
  EXPECT_EQ(robustness.rankings[0].order,
            (HeldUnder{.weights = kAlways, .redrawn = kAlways, .rows_out = kAlways}));
  EXPECT_THAT(robustness.rankings[0].deciding, IsEmpty());
  EXPECT_EQ(robustness.rankings[0].ranks[1].rank, 2);
}

// a leads by x as far as b does by y: weights at random turn it round about every other time.
TEST_F(TwoCells, ALeadThatHangsOnWeightsHoldsInAShareOfTheirDraws) {
  Give({{"x", 0.91}, {"y", 0.1}, {"z", 0.5}}, {{"x", 0.1}, {"y", 0.9}, {"z", 0.5}});
  const Held held = Measure().rankings[0].ranks[0].held.weights;
  EXPECT_GT(held.least, 0.35);
  EXPECT_LT(held.most, 0.65);
  EXPECT_LT(held.least, held.most);  // Five seeds.
}

TEST_F(TwoCells, ARowThatDecidesARankIsNamed) {
  Give({{"x", 0.9}, {"y", 0.1}, {"z", 0.5}}, {{"x", 0.1}, {"y", 0.5}, {"z", 0.5}});
  const Robustness robustness = Measure();
  ASSERT_EQ(robustness.rankings[0].deciding.size(), 1U);
  EXPECT_EQ(robustness.rankings[0].deciding[0].criterion, "x");
  EXPECT_THAT(robustness.rankings[0].deciding[0].models, ElementsAre("a", "b"));
  EXPECT_NEAR(robustness.rankings[0].order.rows_out.least, 2.0 / 3, 1e-9);
}

TEST_F(TwoCells, CasesDrawnAgainTurnAThinLead) {
  challenge = synthetic::MakeChallenge({MakeCriterion("r", "a", "pass_rate(t)")});
  for (int i = 0; i < 20; ++i) {
    for (Evidence& cell : cells) {
      const bool passes = &cell == cells.data() ? i < 11 : i >= 10;
      cell.suite.cases.push_back(MakeCase("C." + std::to_string(i), {"t"},
                                          passes ? Verdict::kAccepted : Verdict::kWrongAnswer));
    }
  }
  const Held held = Measure().rankings[0].order.redrawn;
  EXPECT_GT(held.least, 0.4);
  EXPECT_LT(held.most, 0.9);
}

TEST_F(TwoCells, RowsThatTellNoTwoApartAreSeen) {
  Give({{"x", 0.9}, {"y", 0.1}, {"z", 0.5}}, {{"x", 0.1}, {"y", 0.5}, {"z", 0.5}});
  std::vector<int> told_apart;
  for (const RowDiscrimination& row : Measure().rows) {
    EXPECT_EQ(row.pairs, 1);
    told_apart.push_back(row.told_apart);
  }
  EXPECT_THAT(told_apart, ElementsAre(1, 1, 0));
}

TEST_F(TwoCells, ARowThatTellsNoTwoApartSaysWhatSpeaksForIt) {
  Give({{"x", 0.9}, {"y", 1}, {"z", 0.5}}, {{"x", 0.1}, {"y", 1}, {"z", 0.5}});
  challenge.homes = {{"drops_nan", "y"}, {"k_off_by_one", "y"}};
  challenge.rubric.criteria[2].reason = "a guard";
  const auto why = [&] {
    std::vector<std::string> all;
    for (const RowDiscrimination& row : Measure().rows) {
      all.push_back(row.why_equal);
    }
    return all;
  };
  EXPECT_THAT(
      why(), ElementsAre("", "all have it whole; home of 2 planted bugs", "equal in all; a guard"));
  cells[0].suite.metrics.erase("z");
  cells[1].suite.metrics.erase("z");
  cells[0].suite.cases.clear();
  cells[1].suite.cases.clear();
  EXPECT_EQ(why()[2], "scored in 0 of 2; a guard");
}

TEST_F(TwoCells, EqualScoresShareTheirRanks) {
  Give({{"x", 0.5}, {"y", 0.4}, {"z", 0.3}}, {{"x", 0.4}, {"y", 0.5}, {"z", 0.3}});
  const Robustness robustness = Measure();
  EXPECT_EQ(robustness.rankings[0].ranks[1].rank, 1);
  EXPECT_EQ(robustness.rankings[0].order.weights, kAlways);
}

TEST_F(TwoCells, EqualEvidenceGivesEqualRobustness) {
  Give({{"x", 0.91}, {"y", 0.1}, {"z", 0.5}}, {{"x", 0.1}, {"y", 0.9}, {"z", 0.5}});
  EXPECT_EQ(Measure(100), Measure(100));
  EXPECT_EQ(Measure(100).weight_draws, 100);
}

TEST_F(TwoCells, ACellWithoutAScoreIsLeftOut) {
  Give({{"x", 0.9}, {"y", 0.1}, {"z", 0.5}}, {{"x", 0.1}, {"y", 0.5}, {"z", 0.5}});
  cells[1].verdict = Verdict::kSkipped;
  const Robustness robustness = Measure();
  EXPECT_EQ(robustness.rankings[0].ranks.size(), 1U);
  EXPECT_EQ(robustness.rankings[0].order.weights, kAlways);
}

}  // namespace
}  // namespace assay
