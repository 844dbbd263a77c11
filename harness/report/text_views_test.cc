// SPDX-License-Identifier: Apache-2.0
// What terminals are shown: explanations, comparisons.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "report/report_for_test.h"

namespace assay {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST_F(ReportTest, UnknownModelsAndCriteriaAreErrorsThatListTheKnown) {
  const auto compare = RenderCompare(cells, challenges, "glm-5", "gpt");
  ASSERT_FALSE(compare.has_value());
  EXPECT_EQ(compare.error().cause, "there is no evidence of a model \"gpt\"");
  EXPECT_THAT(compare.error().remedy, HasSubstr("glm-5, minimax-m2.7, qwen3.6-27b"));
  EXPECT_FALSE(CompareJson(cells, challenges, "glm-5", "glm-5").has_value());
  const auto explain = RenderExplain(cells[0], challenges.begin()->second, "speed");
  ASSERT_FALSE(explain.has_value());
  EXPECT_THAT(explain.error().remedy, HasSubstr("edge_cases"));
}

TEST_F(ReportTest, ExplainOneCriterionShowsAllItsEvidence) {
  cells[0].suite.cases.assign(
      10, synthetic::MakeCase("Edge.X", {"edge"}, Verdict::kWrongAnswer, "dx[0]"));
  const ChallengeView& challenge = challenges.begin()->second;
  const auto all = RenderExplain(cells[0], challenge, std::nullopt);
  const auto one = RenderExplain(cells[0], challenge, "edge_cases");
  ASSERT_TRUE(all.has_value() && one.has_value());
  EXPECT_THAT(*all, HasSubstr("4 more: name the criterion edge_cases to see them"));
  EXPECT_THAT(*one, Not(HasSubstr("more:")));
  EXPECT_THAT(*one, HasSubstr("case Edge.X: wrong_answer: dx[0]"));
}

TEST_F(ReportTest, ExplainInBriefShowsTheRowsThatCostMostFirst) {
  const ChallengeView& challenge = challenges.begin()->second;
  const auto text = RenderExplain(cells[1], challenge, std::nullopt, ExplainedRows::kLargest);
  ASSERT_TRUE(text.has_value());
  std::vector<double> lost;
  for (const std::string& line : SplitLines(*text)) {
    const bool is_row = line.starts_with(' ') && !line.starts_with("          ");
    if (is_row && line.find("; score ") != std::string::npos) {
      lost.push_back(-std::stod(line));
    }
  }
  EXPECT_THAT(lost, ::testing::SizeIs(5));
  EXPECT_TRUE(std::ranges::is_sorted(lost, std::greater())) << *text;
  EXPECT_THAT(*text, ::testing::ContainsRegex("[0-9]+ more rows cost [0-9.]+ points together"));
  for (const Dimension& dimension : challenge.rubric.dimensions) {
    EXPECT_THAT(*text, Not(HasSubstr("\n" + dimension.title + ": ")));
  }
}

TEST_F(ReportTest, ExplainBeginsWithWhyTheVerdictIsWhatItIs) {
  const auto explain = [&] {
    return RenderExplain(cells[0], challenges.begin()->second, std::nullopt).value_or("");
  };
  cells[0].verdict = Verdict::kWrongAnswer;
  cells[0].verdict_detail = "Edge.X: dx[0] is off";
  EXPECT_THAT(explain(), HasSubstr("\n  because of Edge.X: dx[0] is off\n"));
  cells[0].release.diagnostics = "required entry points are missing: ln_f defined nowhere";
  EXPECT_THAT(explain(),
              HasSubstr("\n  required entry points are missing: ln_f defined nowhere\n"));
  cells[0].release = {
      .verdict = Verdict::kCompileError,
      .diagnostics = "a.cc: In function f:\na.cc:7:3: error: no such thing\n  here\n"};
  EXPECT_THAT(explain(), HasSubstr("\n  the release build is compile_error\n"
                                   "    a.cc:7:3: error: no such thing\n      here\n"));
}

TEST_F(ReportTest, CompareKeepsTheOrderAskedFor) {
  const auto text = RenderCompare(cells, challenges, "qwen3.6-27b", "minimax-m2.7");
  ASSERT_TRUE(text.has_value());
  EXPECT_THAT(*text, HasSubstr("# Qwen3.6-27B vs MiniMax-M2.7"));
  EXPECT_THAT(*text, HasSubstr("**Winner: Qwen3.6-27B**"));
}

TEST_F(ReportTest, HostileTextNeverReachesTheTerminal) {
  const Evidence cell = HostileCell(cells[0]);
  const auto explanation = RenderExplain(cell, challenges.begin()->second, std::nullopt);
  ASSERT_TRUE(explanation.has_value());
  EXPECT_THAT(*explanation, Not(HasSubstr("\x1b")));
  EXPECT_THAT(RenderScoreboardText({cell}, challenges), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace assay
