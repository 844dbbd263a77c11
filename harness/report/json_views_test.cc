// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "report/report_for_test.h"

namespace assay {
namespace {

TEST_F(ReportTest, JsonSaysWhatTheTablesSay) {
  const auto board = nlohmann::json::parse(ScoreboardJson(cells, challenges));
  EXPECT_EQ(board["standings"][0]["model"], "qwen3.6-27b");
  const auto& best = board["challenges"][0]["cells"][0];
  EXPECT_EQ(best["rank"], 1);
  EXPECT_EQ(best["ranks"], nlohmann::json({1, 2}));
  EXPECT_EQ(best["medal"], "none");
  EXPECT_GT(best["uncertainty"], 0);
  EXPECT_GT(best["dimensions"][0]["uncertainty"], 0);
  EXPECT_GT(best["without_authored"]["score"], best["overall"]);
  EXPECT_EQ(board["standings"][2]["medal"], "bronze");
  const auto compare =
      nlohmann::json::parse(*CompareJson(cells, challenges, "glm-5", "minimax-m2.7"));
  EXPECT_EQ(compare["matchups"][0]["winner"], "A");
  const auto explain =
      nlohmann::json::parse(*ExplainJson(cells[1], challenges.begin()->second, "memory_safety"));
  ASSERT_EQ(explain["criteria"].size(), 1U);
  EXPECT_EQ(explain["criteria"][0]["evidence"][0]["says"], "heap-buffer-overflow layernorm.cc:40");
}

TEST_F(ReportTest, JsonSaysWhichRowsAClockDecidesAndWhichTheCompiler) {
  ChallengeView& challenge = challenges.begin()->second;
  challenge.rubric.criteria[0].format = ValueFormat::kSeconds;
  const auto explain = nlohmann::json::parse(*ExplainJson(cells[0], challenge, std::nullopt));
  EXPECT_EQ(explain["criteria"][0]["timed"], true);
  EXPECT_EQ(explain["criteria"][1]["timed"], false);
  EXPECT_EQ(explain["criteria"][1]["kind"], ToString(challenge.rubric.criteria[1].kind));
}

TEST_F(ReportTest, JsonOfHostileTextIsJson) {
  const Evidence cell = HostileCell(cells[0]);
  EXPECT_TRUE(nlohmann::json::accept(ScoreboardJson({cell}, challenges)));
  EXPECT_TRUE(nlohmann::json::accept(*ExplainJson(cell, challenges.begin()->second, {})));
}

}  // namespace
}  // namespace assay
