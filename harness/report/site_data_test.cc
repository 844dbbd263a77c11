// SPDX-License-Identifier: Apache-2.0
#include "report/site_data.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "report/markdown.h"
#include "score/matchup.h"
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
  for (const char* const path : {"data/board.js", "data/challenges/layernorm_backward.js",
                                 "data/cells/layernorm_backward/glm-5.js", "data/models/glm-5.js",
                                 "data/pairs/qwen3.6-27b/glm-5.js"}) {
    EXPECT_THAT(files, Contains(Key(path)));
  }
  EXPECT_EQ(files.size(), 1U + 1U + 3U + 3U + 3U);
}

TEST_F(SiteData, EveryFileHandsOneTextToTheFunctionOfThePage) {
  for (const auto& [path, content] : Render()) {
    const std::string name = path.substr(5, path.size() - 8);
    EXPECT_THAT(content, testing::StartsWith(fmt::format("assaySiteData('{}','", name)));
    EXPECT_THAT(content, testing::EndsWith("')\n"));
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

TEST_F(SiteData, AModelHasWhatItsMarkdownPageHas) {
  Evidence& cell = cells[0];
  cell.verdict = Verdict::kWrongAnswer;
  cell.verdict_detail = "3 of 8 differ";
  const json model = Read("data/models/" + cell.model + ".js");
  ASSERT_EQ(model["challenges"].size(), 1U);
  const json& shown = model["challenges"][0];
  EXPECT_EQ(shown["id"], "layernorm_backward");
  EXPECT_EQ(
      shown["issues"][0],
      json({{"kind", "not_accepted"}, {"subject", "wrong_answer"}, {"detail", "3 of 8 differ"}}));
  const Board board = MakeBoard(cells, challenges);
  const std::string page = RenderAll(board, {}).at("models/" + cell.model + ".md");
  // Pages have points to one digit, and values with what means something in markdown escaped.
  const ChallengeView& challenge = challenges.at("layernorm_backward");
  for (const auto& [list, sign] : {std::pair{"strengths", "+"}, std::pair{"weaknesses", "-"}}) {
    ASSERT_FALSE(shown[list].empty()) << list;
    for (const json& row : shown[list]) {
      const Criterion& criterion = *std::ranges::find(
          challenge.rubric.criteria, row["criterion"].get<std::string>(), &Criterion::id);
      EXPECT_THAT(page,
                  HasSubstr(fmt::format("- **{}{:.1f}** ", sign, row["points"].get<double>()) +
                            Markdown::Text(criterion.title).text()));
      EXPECT_THAT(page, HasSubstr(": " + Markdown::Text(row["says"].get<std::string>()).text()));
    }
  }
  for (const char* const end : {"best", "worst"}) {
    const auto& dimension = *std::ranges::find(challenge.rubric.dimensions,
                                               shown[end]["id"].get<std::string>(), &Dimension::id);
    EXPECT_THAT(page, HasSubstr(fmt::format("{} ({:.1f})", dimension.title,
                                            shown[end]["score"].get<double>())));
  }
  EXPECT_NE(shown["best"], shown["worst"]);
  EXPECT_THAT(page, HasSubstr(Markdown::Text(model["rules"].get<std::string>()).text()));
}

TEST_F(SiteData, APairSaysWhoWinsEachRow) {
  const json pair = Read("data/pairs/qwen3.6-27b/glm-5.js");
  ASSERT_EQ(pair["matchups"].size(), 1U);
  EXPECT_EQ(pair["matchups"][0]["rows"].size(),
            challenges.at("layernorm_backward").rubric.criteria.size());
  EXPECT_TRUE(pair["matchups"][0]["rows"][0].contains("edge"));
  // Over one challenge the total is that challenge's.
  EXPECT_EQ(pair["total"]["margin"], pair["matchups"][0]["margin"]);
  EXPECT_EQ(pair["total"]["winner"], pair["matchups"][0]["winner"]);
  EXPECT_EQ(pair["total"]["undecided"], 0);
}

TEST_F(SiteData, ACellLeadsToTheSamplesOfItsTimesByRun) {
  const auto block = [](int run, std::vector<TimePair> pairs) {
    return TimeBlock{.pairs = std::move(pairs), .run = run};
  };
  WorkloadEvidence timed = synthetic::MakeWorkload("work/8", {2, 1, 3});
  // Of the first run 2 is the median of blocks, whose medians are 1, 2 and 3; of all pairs it is 3.
  timed.blocks = {block(1, {{70'000, 30'000}}), block(0, {{1000, 1000}}),
                  block(0, {{2000, 1000}, {1000, 1000}, {3000, 1000}}),
                  block(0, {{3000, 1000}, {9000, 1000}, {3000, 1000}})};
  cells[0].bench.workloads = {timed};
  cells[0].bench.controls = {synthetic::MakeWorkload("control", {1, 1, 1})};
  cells[0].bench.runs = {{.after = BenchMoment::kSuite}, {.after = BenchMoment::kOwnTests}};
  const json cell = Read("data/cells/layernorm_backward/" + cells[0].model + ".js");
  const json runs = json::parse(R"([
      {"run": 1, "after": "suite", "median": 2.0, "blocks": [[1.0], [2.0, 1.0, 3.0], [3.0, 9.0, 3.0]]},
      {"run": 2, "after": "own_tests", "median": 2.333, "blocks": [[2.333]]}])");
  EXPECT_EQ(cell["samples"]["workloads"], json({{{"workload", "work/8"}, {"runs", runs}}}));
  const json& of_control = cell["samples"]["controls"][0]["runs"];
  ASSERT_EQ(of_control.size(), 1U);  // Blocks of no run, as before schema 5.
  EXPECT_EQ(of_control[0]["run"], nullptr);
  EXPECT_EQ(of_control[0]["after"], nullptr);
  EXPECT_EQ(of_control[0]["blocks"].size(), 15U);
}

/// Models that differ in one row of times, in which the first and the last differ with p = 0.03:
/// resolved between the two alone, and not beside the neighbours of so many.
struct SiteOfMany : SiteData {
  explicit SiteOfMany(std::size_t count = kMostModelsPaired + 2) {
    Criterion row = synthetic::MakeCriterion("time", "speed", "bench_ratio(work)");
    row.kind = CriterionKind::kBench;
    row.edge = Edge::kLower;
    challenges = {{"sums", synthetic::MakeChallenge({row})}};
    cells.clear();
    for (std::size_t i = 0; i < count; ++i) {
      const double log_ratio = i == 0 ? 0.158 : 0;
      const RatioEstimate ratio = {std::exp(log_ratio), std::exp(log_ratio - 0.1),
                                   std::exp(log_ratio + 0.1)};
      Evidence& cell = cells.emplace_back(synthetic::MakeCell(fmt::format("m{:02}", i)));
      cell.bench.workloads = {synthetic::MakeWorkload("work/1", ratio)};
      cell.bench.controls = synthetic::MakeControls(0);
    }
  }
};

TEST_F(SiteOfMany, EveryPairHasTheEdgesThatCompareShows) {
  const json board = Read("data/board.js");
  EXPECT_EQ(board["pairs_are_all"], true);
  EXPECT_EQ(board["pairs"].size(), cells.size() * (cells.size() - 1) / 2);
  const auto files = Render();
  std::size_t not_in_reports = 0;
  for (const json& pair : board["pairs"]) {
    const std::string a = pair[0];
    const std::string b = pair[1];
    const json shown = json::parse(TextOf(files.at(fmt::format("data/pairs/{}/{}.js", a, b))));
    json compared = json::parse(*CompareJson(cells, challenges, a, b))["matchups"];
    for (json& matchup : compared) {
      matchup.erase("a");
      matchup.erase("b");
    }
    EXPECT_EQ(shown["matchups"], compared) << a << " and " << b;
    not_in_reports += shown["in_reports"] == false ? 1U : 0U;
  }
  EXPECT_EQ(not_in_reports, board["pairs"].size() - (cells.size() - 1));
}

TEST_F(SiteOfMany, APairIsCorrectedAmongThePairsOfReports) {
  const Board board = MakeBoard(cells, challenges);
  const auto made = FindOrMakeMatchup(board, board.challenges[0], "m00", "m02");
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->rows[0].reason, "the difference is within the noise");
  EXPECT_EQ(Compare(challenges.at("sums"), cells[0], cells[2]).rows[0].edge, RowEdge::kB);
  EXPECT_EQ(made->a.model, "m00");
  EXPECT_EQ(FindOrMakeMatchup(board, board.challenges[0], "m02", "m00")->a.model, "m02");
  EXPECT_EQ(FindOrMakeMatchup(board, board.challenges[0], "m02", "nobody"), std::nullopt);
  EXPECT_EQ(FindOrMakeMatchup(board, board.challenges[0], "m02", "m02"), std::nullopt);
}

struct SiteOfTooMany : SiteOfMany {
  SiteOfTooMany() : SiteOfMany(kMostModelsWithAllPairs + 1) {}
};

TEST_F(SiteOfTooMany, ItsPairsAreThoseOfReports) {
  const json board = Read("data/board.js");
  EXPECT_EQ(board["pairs_are_all"], false);
  EXPECT_EQ(board["most_models_with_all_pairs"], kMostModelsWithAllPairs);
  EXPECT_EQ(board["pairs"].size(), kMostModelsWithAllPairs);
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
    cell.verdict = Verdict::kWrongAnswer;
    cell.repair = Repair{.patch = "", .reason = "", .diagnostics = hostile};
  }
  for (const auto& [path, content] : Render()) {
    EXPECT_THAT(content, Not(HasSubstr("<"))) << path;
    for (const char* const hidden : {"\xE2\x80\xAE", "\xE2\x80\xA8"}) {
      EXPECT_THAT(content, Not(HasSubstr(hidden))) << path;
    }
    EXPECT_THAT(content, Not(HasSubstr("\xC2\x9B"))) << path;
    EXPECT_TRUE(content.ends_with("')\n"));
    EXPECT_THAT(content, testing::EndsWith("')\n"));
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
