// SPDX-License-Identifier: Apache-2.0
#include "report/site_data.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "score/synthetic.h"

namespace assay {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::HasSubstr;
using testing::Key;
using testing::Not;

/// The string literal in `script` as a browser reads it.
std::string TextOf(const std::string& script) {
  std::string text;
  for (std::size_t i = script.find(",'") + 2; i < script.size() && script[i] != '\''; ++i) {
    if (script[i] != '\\') {
      text += script[i];
    } else if (script.compare(i, 6, "\\u003c") == 0) {
      text += '<';
      i += 5;
    } else {
      text += script[++i];
    }
  }
  return text;
}

struct SiteData : testing::Test {
  Challenges challenges = {{"layernorm_backward", synthetic::LayerNormChallenge()}};
  std::vector<Evidence> cells = synthetic::LayerNormCells();

  [[nodiscard]] std::map<std::string, std::string> Render() const {
    std::map<std::string, std::string> files;
    const Status status =
        RenderSiteData(MakeBoard(cells, challenges),
                       [&](const std::string& path, const std::string& content) -> Status {
                         files[path] = content;
                         return {};
                       });
    EXPECT_TRUE(status.has_value());
    return files;
  }
  [[nodiscard]] json Read(const std::string& path) const {
    return json::parse(TextOf(Render().at(path)));
  }
};

TEST_F(SiteData, HasTheBoardEachCellEachPairAndThePicturesOfEachChallenge) {
  const auto files = Render();
  for (const char* const path :
       {"data/board.js", "data/challenges/layernorm_backward.js",
        "data/cells/layernorm_backward/glm-5.js", "data/pairs/qwen3.6-27b/glm-5.js"}) {
    EXPECT_THAT(files, Contains(Key(path)));
  }
  EXPECT_EQ(files.size(), 1U + 1U + 3U + 3U);
}

TEST_F(SiteData, EveryFileHandsOneTextToTheFunctionOfThePage) {
  for (const auto& [path, content] : Render()) {
    const std::string name = path.substr(5, path.size() - 8);
    EXPECT_THAT(content, testing::StartsWith(fmt::format("assaySiteData('{}','", name)));
    EXPECT_TRUE(json::accept(TextOf(content))) << path;
  }
}

TEST_F(SiteData, ABoardHasScoresWithTheirUncertaintyAndNoRows) {
  const json board = Read("data/board.js");
  ASSERT_EQ(board["standings"].size(), 3U);
  EXPECT_EQ(board["standings"][0]["model"], "qwen3.6-27b");
  const json& cell = board["challenges"][0]["cells"][0];
  EXPECT_TRUE(cell["overall"].is_number());
  EXPECT_TRUE(cell["uncertainty"].is_number());
  EXPECT_FALSE(cell.contains("criteria"));
}

TEST_F(SiteData, ACellLeadsToItsCases) {
  const json cell = Read("data/cells/layernorm_backward/glm-5.js");
  EXPECT_EQ(cell["criteria"].size(), challenges.at("layernorm_backward").rubric.criteria.size());
  EXPECT_EQ(cell["evidence"]["suite"]["cases"].size(), cells[0].suite.cases.size());
  EXPECT_EQ(cell["evidence"]["environment"]["seed"], cells[0].environment.seed);
}

TEST_F(SiteData, APairSaysWhoWinsEachRow) {
  const json pair = Read("data/pairs/qwen3.6-27b/glm-5.js");
  ASSERT_EQ(pair["matchups"].size(), 1U);
  EXPECT_EQ(pair["matchups"][0]["rows"].size(),
            challenges.at("layernorm_backward").rubric.criteria.size());
  EXPECT_TRUE(pair["matchups"][0]["rows"][0].contains("edge"));
}

/// Whatever a submission says, a file is one call with one string, and no text reorders or hides.
TEST_F(SiteData, NoTextOfASubmissionEndsItsStringOrReordersALine) {
  const std::string hostile =
      "');alert(1)//</script><img src=x "
      "onerror=alert(1)>\\\xE2\x80\xAE\xE2\x80\xA8\xC2\x9B\n\x1b[2J";
  for (Evidence& cell : cells) {
    cell.model_name = hostile;
    cell.verdict_detail = hostile;
    cell.suite.cases[0].name = hostile;
    cell.suite.cases[0].detail = hostile;
    cell.suite.curves[hostile] = {{1, 2}};
    cell.release.diagnostics = hostile;
  }
  for (const auto& [path, content] : Render()) {
    EXPECT_THAT(content, Not(HasSubstr("<"))) << path;
    for (const char* const hidden : {"\xE2\x80\xAE", "\xE2\x80\xA8"}) {
      EXPECT_THAT(content, Not(HasSubstr(hidden))) << path;
    }
    EXPECT_THAT(content, Not(HasSubstr("\xC2\x9B"))) << path;
    EXPECT_TRUE(content.ends_with("')\n"));
    EXPECT_TRUE(json::accept(TextOf(content))) << path;
    const std::size_t end = content.size() - 3;
    for (std::size_t i = content.find(",'") + 2; i < end; ++i) {
      if (content[i] == '\\') {
        ++i;
      } else {
        EXPECT_NE(content[i], '\'') << path << " at " << i;
      }
    }
  }
}

TEST_F(SiteData, ALongTextIsCut) {
  cells[0].model_name = std::string(10'000, 'n');
  cells[0].suite.cases[0].detail = std::string(100'000, 'd');
  const json cell = Read("data/cells/layernorm_backward/" + cells[0].model + ".js");
  EXPECT_LE(cell["model_name"].get<std::string>().size(), kLongestSiteName_bytes + 3);
  EXPECT_LE(cell["evidence"]["suite"]["cases"][0]["detail"].get<std::string>().size(),
            kLongestSiteText_bytes + 3);
}

TEST_F(SiteData, AnErrorOfTheSinkEndsIt) {
  int calls = 0;
  const Status status = RenderSiteData(
      MakeBoard(cells, challenges), [&](const std::string&, const std::string&) -> Status {
        ++calls;
        return std::unexpected(Error{
            .kind = ErrorKind::kJudge, .where = "disk", .cause = "full", .remedy = "free some"});
      });
  EXPECT_FALSE(status.has_value());
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace assay
