// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "report/report.h"
#include "score/synthetic.h"

namespace assay {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kPage = "challenges/layernorm_backward.md";
constexpr const char* kScoreboard = "scoreboard.md";

struct AnchorSectionTest : testing::Test {
  Challenges challenges = {{"layernorm_backward", synthetic::LayerNormChallenge()}};
  std::vector<Evidence> cells = synthetic::LayerNormCells();

  Evidence& AddAnchor(const std::string& name) {
    std::vector<Evidence>& anchors = challenges.begin()->second.anchors;
    anchors.push_back(cells.front());
    anchors.back().model = "anchor";
    anchors.back().model_name = name;
    return anchors.back();
  }
  [[nodiscard]] std::string Page(const char* page) const {
    return RenderAll(cells, challenges).at(page);
  }
};

TEST_F(AnchorSectionTest, WithoutAnchorsThereIsNone) {
  EXPECT_THAT(Page(kPage), Not(HasSubstr("Anchor")));
  EXPECT_THAT(Page(kScoreboard), Not(HasSubstr("Anchor")));
}

TEST_F(AnchorSectionTest, StandUnderTheRankingWithTheirScores) {
  AddAnchor("The *baseline*");
  const auto card =
      nlohmann::json::parse(ScoreboardJson(cells, challenges))["challenges"][0]["anchors"][0];
  const std::string score = fmt::format("{:.1f}", card["overall"].get<double>());
  EXPECT_THAT(Page(kPage), HasSubstr("| The \\*baseline\\* | **" + score));
  EXPECT_THAT(Page(kScoreboard), HasSubstr("Anchors: The \\*baseline\\* " + score));
  EXPECT_FALSE(card["of_another_version"]);
}

TEST_F(AnchorSectionTest, HaveNoRankNoEdgeAndNoPartInStatistics) {
  const std::string before = ScoreboardJson(cells, challenges);
  AddAnchor("The baseline");
  auto after = nlohmann::json::parse(ScoreboardJson(cells, challenges));
  after["challenges"][0]["anchors"].clear();
  EXPECT_EQ(nlohmann::json::parse(before), after);
}

TEST_F(AnchorSectionTest, OfAnotherVersionOfTheChallengeSaySo) {
  AddAnchor("The baseline").digests.reference = "of another day";
  EXPECT_THAT(Page(kPage), HasSubstr("| The baseline § |"));
  EXPECT_THAT(Page(kPage), HasSubstr("run `scripts/anchors` again"));
  EXPECT_THAT(Page(kScoreboard), HasSubstr("(of another version of the challenge)"));
}

}  // namespace
}  // namespace assay
