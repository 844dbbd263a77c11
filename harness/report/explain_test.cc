// SPDX-License-Identifier: Apache-2.0
#include "report/explain.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "report/report_for_test.h"
#include "score/format.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

struct ExplainTest : ReportTest {
  [[nodiscard]] Board MakeTheBoard() const { return MakeBoard(cells, challenges); }
};

TEST_F(ExplainTest, AnAverageLeadsToItsCells) {
  const Board board = MakeTheBoard();
  const ModelStanding& first = board.standings.front();
  const auto text = ExplainModel(board, first.model);
  ASSERT_TRUE(text.has_value());
  EXPECT_THAT(*text, HasSubstr(first.model_name + ": rank 1"));
  EXPECT_THAT(*text, HasSubstr("average " + FormatScore(first.average, first.uncertainty) + ";"));
  EXPECT_THAT(*text, HasSubstr(": assay explain " + first.model + "/layernorm_backward\n"));
  const auto json = nlohmann::json::parse(ExplainModelJson(board, first.model).value());
  EXPECT_EQ(json["model"], first.model);
  EXPECT_THAT(ExplainModel(board, "gpt").error().remedy, HasSubstr("glm-5"));
}

TEST_F(ExplainTest, ARowOfAChallengeHasEveryCellsValueAndEdges) {
  const Board board = MakeTheBoard();
  const auto text = ExplainChallenge(board, "layernorm_backward", "edge_cases");
  ASSERT_TRUE(text.has_value());
  EXPECT_THAT(*text, AllOf(HasSubstr("GLM-5: "), HasSubstr("MiniMax-M2.7: "),
                           HasSubstr("Qwen3.6-27B against "),
                           HasSubstr("assay explain MODEL/layernorm_backward edge_cases")));
  const CriterionScore& row = *FindCriterionScore(board.cards.front(), "edge_cases");
  EXPECT_THAT(*text, HasSubstr(fmt::format("which is {:.2f} % of the overall score: -{:.1f}\n",
                                           row.share * 100, row.points_lost)));
  EXPECT_FALSE(ExplainChallenge(board, "layernorm_backward", "speed").has_value());
  EXPECT_FALSE(ExplainChallenge(board, "adder", std::nullopt).has_value());
  const auto json = nlohmann::json::parse(
      ExplainChallengeJson(board, "layernorm_backward", "edge_cases").value());
  ASSERT_EQ(json["cells"].size(), 3U);
  EXPECT_EQ(json["cells"][0]["criteria"].size(), 1U);
}

TEST_F(ExplainTest, ARankingLeadsToItsCellsAndRows) {
  const auto text = ExplainChallenge(MakeTheBoard(), "layernorm_backward", std::nullopt);
  ASSERT_TRUE(text.has_value());
  EXPECT_THAT(*text, AllOf(HasSubstr("\n  rank 3, MiniMax-M2.7: "),
                           HasSubstr("assay explain glm-5/layernorm_backward\n"),
                           HasSubstr(": assay explain layernorm_backward ")));
}

TEST_F(ExplainTest, AMarginLeadsToTheRowsThatDecideIt) {
  const Board board = MakeTheBoard();
  const auto text = ExplainPair(board, "minimax-m2.7", "qwen3.6-27b");
  ASSERT_TRUE(text.has_value());
  EXPECT_THAT(*text, AllOf(HasSubstr("MiniMax-M2.7 against Qwen3.6-27B: 0-1 points"),
                           HasSubstr("  Qwen3.6-27B +"), HasSubstr("rows won ")));
  EXPECT_FALSE(ExplainPair(board, "gpt", "glm-5").has_value());
}

TEST(ExplainModelTest, AnAverageIsOverTheChallengesThatCountAndNotThoseEntered) {
  TwoChallenges two;
  two.cells.pop_back();
  const Board board = MakeBoard(two.cells, two.challenges);
  EXPECT_THAT(ExplainModel(board, "a").value(),
              HasSubstr("\nthe mean over 2 challenges in which anybody has a score, in tenths;"));
  EXPECT_THAT(ExplainModel(board, "b").value(),
              HasSubstr("\nthe mean over 2 challenges in which anybody has a score, 0 for the 1 "
                        "not entered, in tenths;"));
}

TEST(ExplainPairTest, WhatIsNotDecidedIsInNoAverageAndHasNoMargin) {
  TwoChallenges two;
  two.cells[2].verdict = Verdict::kJudgeError;
  EXPECT_THAT(ExplainPair(MakeBoard(two.cells, two.challenges), "a", "b").value(),
              AllOf(HasSubstr("a against b: 1-0 points, 90.0 to 10.0 on average, margin 80.0 ±"),
                    HasSubstr("challenges' squares over 1\n"),
                    HasSubstr("\nothers: 90.0 to —, no winner: "), Not(HasSubstr("margin 0.0"))));
  two.cells[3].verdict = Verdict::kJudgeError;
  EXPECT_THAT(ExplainPair(MakeBoard(two.cells, two.challenges), "a", "b").value(),
              testing::StartsWith("a against b: no winner in any challenge that both entered\n"));
}

TEST_F(ExplainTest, HostileTextIsPlain) {
  cells[0] = HostileCell(cells[0]);
  const Board board = MakeTheBoard();
  EXPECT_THAT(ExplainModel(board, cells[0].model).value(), Not(HasSubstr("\x1b")));
  EXPECT_THAT(ExplainChallenge(board, "layernorm_backward", "edge_cases").value(),
              Not(HasSubstr("\x1b")));
  EXPECT_THAT(ExplainPair(board, cells[0].model, cells[1].model).value(), Not(HasSubstr("\x1b")));
}

TEST_F(ExplainTest, ADimensionHasItsRowsAlone) {
  const ChallengeView& challenge = challenges.begin()->second;
  const Dimension& first = challenge.rubric.dimensions.front();
  const auto text = RenderExplain(cells[0], challenge, first.id);
  ASSERT_TRUE(text.has_value()) << text.error().cause;
  EXPECT_THAT(*text, HasSubstr("\n" + first.title + ": "));
  for (const Criterion& row : challenge.rubric.criteria) {
    const auto is_shown = HasSubstr("  " + row.title + ": ");
    if (row.dimension == first.id) {
      EXPECT_THAT(*text, is_shown);
    } else {
      EXPECT_THAT(*text, Not(is_shown));
    }
  }
  EXPECT_THAT(*text, Not(HasSubstr("\n" + challenge.rubric.dimensions.back().title + ": ")));
}

}  // namespace
}  // namespace assay
