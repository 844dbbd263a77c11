// SPDX-License-Identifier: Apache-2.0
#include "report/board.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "report/pages.h"
#include "score/synthetic.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct BoardTest : testing::Test {
  Challenges challenges = {{"layernorm_backward", synthetic::LayerNormChallenge()}};
  std::vector<Evidence> cells = synthetic::LayerNormCells();
};

TEST_F(BoardTest, CellsAreInTheOrderOfTheirRanking) {
  std::reverse(cells.begin(), cells.end());
  const Board board = MakeBoard(cells, challenges);
  ASSERT_EQ(board.challenges.size(), 1U);
  std::vector<std::string> models;
  for (const Evidence* cell : board.challenges[0].cells) {
    models.push_back(cell->model);
  }
  EXPECT_THAT(models, ElementsAre("qwen3.6-27b", "glm-5", "minimax-m2.7"));
}

TEST_F(BoardTest, CellsThatCannotBeShownAreNamed) {
  cells[0].challenge = "no_such";
  cells[1].model = "../../etc/passwd";
  cells.push_back(cells[2]);
  const Board board = MakeBoard(cells, challenges);
  EXPECT_EQ(board.cards.size(), 1U);
  EXPECT_THAT(board.left_out,
              ElementsAre(HasSubstr("is no id"), HasSubstr("another of the same name"),
                          HasSubstr("no such challenge")));
}

TEST_F(BoardTest, ACellWhoseEvidenceDoesNotHoldIsShownAndNotRanked) {
  ChallengeView second = challenges.begin()->second;
  second.spec.id = "second";
  challenges.emplace("second", second);
  Evidence of_second = cells[0];
  of_second.challenge = "second";
  cells.push_back(of_second);
  const std::string model = cells[1].model;
  const Board board = MakeBoard(cells, challenges, {},
                                {{.model = model,
                                  .challenge = "second",
                                  .cause = "verdict says <b>; what follows is another",
                                  .remedy = "take it back"}});
  const auto standing = std::ranges::find(board.standings, model, &ModelStanding::model);
  EXPECT_EQ(standing->average, std::nullopt);
  EXPECT_EQ(standing->medal, Medal::kNone);
  const std::string page = ScoreboardPage(board).text();
  EXPECT_THAT(page, HasSubstr("[" + model + "/second](evidence/second/" + model +
                              ".json): evidence does not hold: verdict says "));
  EXPECT_THAT(page, HasSubstr("| evidence does not hold |"));
  EXPECT_THAT(page, HasSubstr("LayerNorm backward: evidence does not hold"));
  EXPECT_THAT(page, testing::Not(HasSubstr("<b>")));
}

TEST_F(BoardTest, AMatchupTurnsRound) {
  const Board board = MakeBoard(cells, challenges);
  const auto one = FindMatchup(board.challenges[0], "glm-5", "minimax-m2.7");
  const auto other = FindMatchup(board.challenges[0], "minimax-m2.7", "glm-5");
  ASSERT_TRUE(one.has_value() && other.has_value());
  EXPECT_EQ(one->winner, RowEdge::kA);
  EXPECT_EQ(other->winner, RowEdge::kB);
  EXPECT_EQ(one->won_a, other->won_b);
  EXPECT_EQ(other->a.model, "minimax-m2.7");
  EXPECT_EQ(FindMatchup(board.challenges[0], "glm-5", "nobody"), std::nullopt);
}

/// `count` copies of one cell, named m00, m01, …: equal scores rank by name.
std::vector<Evidence> CellsOfModels(const Evidence& cell, int count) {
  std::vector<Evidence> cells;
  for (int i = 0; i < count; ++i) {
    Evidence& one = cells.emplace_back(cell);
    one.model = one.model_name = fmt::format("m{:02}", i);
  }
  return cells;
}

TEST_F(BoardTest, FewModelsMeetEachOther) {
  const Board board =
      MakeBoard(CellsOfModels(cells[0], static_cast<int>(kMostModelsPaired)), challenges);
  EXPECT_EQ(board.pairs_shown, PairsShown::kAll);
  EXPECT_EQ(board.pairs.size(), kMostModelsPaired * (kMostModelsPaired - 1) / 2);
  EXPECT_EQ(board.challenges[0].matchups.size(), board.pairs.size());
}

TEST_F(BoardTest, ManyModelsMeetTheirNeighboursAndWhomIsAskedFor) {
  const std::vector<Evidence> many = CellsOfModels(cells[0], 9);
  const Board board =
      MakeBoard(many, challenges,
                {{.a = "m07", .b = "m02"}, {.a = "m03", .b = "m02"}, {.a = "m01", .b = "nobody"}});
  EXPECT_EQ(board.pairs_shown, PairsShown::kNeighboursAndAsked);
  EXPECT_THAT(board.pairs, testing::SizeIs(9));
  EXPECT_THAT(board.pairs, testing::Contains(ModelPair{.a = "m02", .b = "m07"}));
  EXPECT_THAT(board.pairs, testing::Contains(ModelPair{.a = "m07", .b = "m08"}));
  EXPECT_EQ(FindMatchup(board.challenges[0], "m00", "m08"), std::nullopt);
  EXPECT_TRUE(FindMatchup(board.challenges[0], "m07", "m02"));
}

TEST_F(BoardTest, ARankingIsThatOfTheBoardWithoutItsMatchups) {
  const Board board = MakeBoard(cells, challenges);
  Board made = MakeRanking(cells, challenges);
  const Board ranking = std::move(made);
  EXPECT_THAT(ranking.pairs, testing::IsEmpty());
  ASSERT_THAT(ranking.challenges, testing::SizeIs(1));
  EXPECT_THAT(ranking.challenges[0].matchups, testing::IsEmpty());
  EXPECT_EQ(ranking.challenges[0].places, board.challenges[0].places);
  EXPECT_EQ(ranking.challenges[0].unauthored_places, board.challenges[0].unauthored_places);
  EXPECT_THAT(ranking.challenges[0].cards, testing::ElementsAreArray(board.challenges[0].cards));
  EXPECT_EQ(FindPlace(ranking.challenges[0], "glm-5"), 1U);
}

TEST_F(BoardTest, ModelsWithoutACommonChallengeDoNotMeet) {
  challenges["other"] = challenges.at("layernorm_backward");
  challenges.at("other").spec.id = "other";
  cells[2].challenge = "other";
  EXPECT_THAT(MakeBoard(cells, challenges).pairs, testing::SizeIs(1));
}

}  // namespace
}  // namespace assay
