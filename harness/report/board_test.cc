// SPDX-License-Identifier: Apache-2.0
#include "report/board.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

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

}  // namespace
}  // namespace assay
