// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/unicode.h"
#include "evidence/json.h"
#include "report/board.h"
#include "report/markdown.h"
#include "report/markdown_checks.h"
#include "report/report_for_test.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Lines outside fenced blocks.
std::vector<std::string> LinesOutsideCode(const std::string& markdown) {
  std::vector<std::string> lines;
  bool in_code = false;
  for (const std::string& line : SplitLines(markdown)) {
    if (line.starts_with("```")) {
      in_code = !in_code;
    } else if (!in_code) {
      lines.push_back(line);
    }
  }
  EXPECT_FALSE(in_code) << "a fence is not closed";
  return lines;
}

TEST_F(ReportTest, TheSameCellsInAnyOrderGiveTheSameBytes) {
  const RenderedFiles files = RenderAll(cells, challenges);
  std::reverse(cells.begin(), cells.end());
  EXPECT_EQ(RenderAll(cells, challenges), files);
  EXPECT_EQ(files.size(), 14U);
  EXPECT_TRUE(files.contains("matchups/glm-5_vs_qwen3.6-27b.md"));
}

// By which what Assay wrote is told from what others keep in reports/.
TEST_F(ReportTest, EveryFileBeginsWithTheMark) {
  for (const auto& [path, content] : RenderAll(cells, challenges)) {
    EXPECT_THAT(content, ::testing::StartsWith(std::string(kReportMark))) << path;
  }
}

TEST_F(ReportTest, CellsThatWentThroughJsonGiveTheSameBytes) {
  const RenderedFiles files = RenderAll(cells, challenges);
  for (Evidence& cell : cells) {
    const Result<Evidence> read = EvidenceFromJson(EvidenceToJson(cell), "x.json");
    ASSERT_TRUE(read.has_value()) << ToString(read.error());
    cell = *read;
  }
  EXPECT_EQ(RenderAll(cells, challenges), files);
}

TEST_F(ReportTest, HostileTextNeverLeavesItsCell) {
  for (Evidence& cell : cells) {
    cell = HostileCell(std::move(cell));
  }
  for (const auto& [path, content] : RenderAll(cells, challenges)) {
    EXPECT_THAT(content, Not(HasSubstr("\x1b"))) << path;
    std::size_t columns = 0;
    for (const std::string& line : LinesOutsideCode(content)) {
      const std::string raw = RawPartOf(line);
      EXPECT_THAT(raw, Not(HasSubstr("<"))) << path;
      EXPECT_THAT(raw, Not(HasSubstr("@"))) << path;
      if (!line.starts_with("<details>")) {  // Markdown means nothing inside HTML.
        EXPECT_THAT(raw, Not(HasSubstr("[l]"))) << path;
        EXPECT_THAT(raw, Not(HasSubstr("*b*"))) << path;
      }
      EXPECT_THAT(line, Not(testing::StartsWith("# H"))) << path;
      if (!line.starts_with('|')) {
        columns = 0;
        continue;
      }
      columns = columns == 0 ? CellsOf(line) : columns;
      EXPECT_EQ(CellsOf(line), columns) << path << ": " << line;
    }
  }
}

/// The cells of a row; escaped bars are text.
std::vector<std::string> SplitRow(const std::string& row) {
  std::vector<std::string> columns;
  for (std::size_t i = 1; i < row.size(); ++i) {
    if (row[i - 1] == '|' && (i < 2 || row[i - 2] != '\\')) {
      columns.emplace_back();
    }
    if (!columns.empty()) {
      columns.back() += row[i];
    }
  }
  return columns;
}

/// As many characters as a reader sees: without escapes, and of a link its words.
std::size_t Shown_characters(const std::string& cell) {
  const std::string raw = RawPartOf(cell.substr(0, cell.rfind('|')));
  const std::size_t target = raw.find("](");
  const std::string words = raw.substr(0, target);
  return words.size() - static_cast<std::size_t>(std::ranges::count_if(words, ContinuesCharacter));
}

/// However many models and however long their words.
TEST_F(ReportTest, TablesFitAScreen) {
  std::vector<Evidence> many;
  for (int i = 0; i < 30; ++i) {
    Evidence& cell = many.emplace_back(i % 3 == 0 ? HostileCell(cells[0]) : cells[1]);
    cell.model = "model-" + std::to_string(i);
  }
  constexpr std::size_t kWidestCell_characters = 140;  // A title, a sign and 110 of a submission.
  for (const auto& [path, content] : RenderAll(many, challenges)) {
    for (const std::string& line : LinesOutsideCode(content)) {
      if (!line.starts_with('|')) {
        continue;
      }
      EXPECT_LE(CellsOf(line) - 1, MarkdownTable::kMostColumns) << path << ": " << line;
      for (const std::string& cell : SplitRow(line)) {
        EXPECT_LE(Shown_characters(cell), kWidestCell_characters) << path << ": " << cell;
      }
    }
  }
}

/// 300 models would have 44,850 matchups.
TEST_F(ReportTest, FilesGrowAsModelsDo) {
  std::vector<Evidence> many;
  for (int i = 0; i < 40; ++i) {
    many.emplace_back(cells[0]).model = "model-" + std::to_string(i);
  }
  const RenderedFiles files = RenderAll(many, challenges, {}, {{.a = "model-5", .b = "model-30"}});
  // 39 neighbours and one pair that is asked for, twice; 40 models; five pages.
  EXPECT_EQ(files.size(), 40U * 2 + 40 + 5);
  EXPECT_TRUE(files.contains("matchups/model-30_vs_model-5.md"));
  // Who is best of a row is nothing that neighbours alone decide.
  EXPECT_THAT(files.at("challenges/layernorm_backward.md"), Not(HasSubstr("| Rows won |")));
  EXPECT_THAT(files.at("summary_matrix.md"), HasSubstr("`assay compare A B`"));
}

/// Winner, margin and what decides it are what a page about two models begins with.
TEST_F(ReportTest, EveryPageFitsAScreen) {
  const std::vector<Evidence> three = cells;
  for (std::size_t model = 3; model < 30; ++model) {
    Evidence& cell = cells.emplace_back(three[model % three.size()]);
    cell.model = fmt::format("model-{}", model);
    cell.model_name = fmt::format("Model {} of a maker with a long name", model);
    cell.verdict_detail = std::string(400, 'x');
  }
  const RenderedFiles files = RenderAll(cells, challenges);
  for (const auto& [path, page] : files) {
    EXPECT_THAT(LayoutFaults(page), IsEmpty()) << path;
  }
  const std::string& challenge = files.at("challenges/layernorm_backward.md");
  EXPECT_THAT(challenge, HasSubstr("the first 12 of 30 submissions"));
  // Each is a reconstruction, and marked.
  std::size_t columns = 0;
  for (const std::string& line : SplitLines(challenge)) {
    for (std::size_t at = line.find("†"); line.starts_with("| Criteria |") && at != line.npos;
         at = line.find("†", at + 1)) {
      ++columns;
    }
  }
  EXPECT_EQ(columns, 12U);
  EXPECT_THAT(
      LayoutFaults("# A\n\n| a | b | c | d | e | f | g |\n| " + std::string(111, 'x') + " |\n" +
                   std::string(30, '\n') + "## B\n"),
      ElementsAre("3: 7 columns", "4: a cell of 111 characters", "a first screen of 34 lines"));
}

TEST_F(ReportTest, AMatchupsFirstScreenSaysWhoWinsAndWhy) {
  const std::string page =
      RenderAll(cells, challenges).at("matchups/minimax-m2.7_vs_qwen3.6-27b.md");
  const std::string opening = page.substr(0, page.find("\n## "));
  EXPECT_THAT(opening,
              testing::ContainsRegex(R"(\*\*Qwen3\.6-27B wins 1-0\*\*, [0-9.]+ to [0-9.]+)"));
  EXPECT_THAT(opening, HasSubstr("What decides it"));
  EXPECT_THAT(opening, HasSubstr("Qwen3.6-27B +"));
  EXPECT_LE(std::ranges::count(opening, '\n'), 25);
}

TEST_F(ReportTest, ARoundSaysWhereEachIsAhead) {
  const std::string page = RenderAll(cells, challenges).at("rounds/minimax-m2.7_vs_qwen3.6-27b.md");
  EXPECT_THAT(page, HasSubstr("**Where Qwen3.6-27B is ahead**"));
  EXPECT_THAT(page, HasSubstr("| **Overall** |"));
  EXPECT_THAT(page, HasSubstr("(../matchups/minimax-m2.7_vs_qwen3.6-27b.md)"));
}

TEST_F(ReportTest, PathsHoldIdsAlone) {
  cells[0].model = "../../../tmp/x";
  for (const auto& [path, content] : RenderAll(cells, challenges)) {
    EXPECT_THAT(path, Not(HasSubstr("..")));
  }
}

TEST_F(ReportTest, IndexListsPagesThatOthersRender) {
  const std::string index =
      RenderAll(cells, challenges, {{.path = "published.md", .shows = "What others | say"}})
          .at("README.md");
  EXPECT_THAT(index, HasSubstr("| [published.md](published.md) | What others \\| say |\n"));
}

TEST_F(ReportTest, NothingGradedStillRenders) {
  const RenderedFiles files = RenderAll({}, challenges);
  EXPECT_EQ(files.size(), 4U);
  EXPECT_THAT(files.at("scoreboard.md"), HasSubstr("0 models"));
  EXPECT_THAT(files.at("overall_summary.md"), HasSubstr("Nothing is graded."));
}

TEST_F(ReportTest, SummarySaysWhoIsAheadAndNamesNobodyWithoutAScore) {
  std::string summary = RenderAll(cells, challenges).at("overall_summary.md");
  EXPECT_THAT(summary, HasSubstr(" is first of "));
  for (Evidence& cell : cells) {
    cell.verdict = Verdict::kJudgeError;
  }
  summary = RenderAll(cells, challenges).at("overall_summary.md");
  EXPECT_THAT(summary, Not(HasSubstr(" is first of ")));
  EXPECT_THAT(summary, HasSubstr("no model has a score"));
}

TEST_F(ReportTest, SummaryOfAnAcceptedCellSaysWhatFailsWithoutGating) {
  std::string summary = RenderAll(cells, challenges).at("overall_summary.md");
  EXPECT_THAT(summary, HasSubstr("| nothing fails |"));
  CaseEvidence& first = cells[2].suite.cases[0];
  first.verdict = Verdict::kWrongAnswer;
  first.gates = false;
  summary = RenderAll(cells, challenges).at("overall_summary.md");
  EXPECT_THAT(summary, Not(HasSubstr("nothing fails")));
  EXPECT_THAT(summary, HasSubstr("| 1 case that does not gate |"));
}

// As one name in code letters they were `naive_variance?or?loses_offset`.
TEST_F(ReportTest, MutantsThatAreLikeEachOtherAreNamedOneByOne) {
  Signatures signatures = synthetic::LayerNormSignatures();
  signatures.mutants["loses_offset"] = signatures.mutants["naive_variance"];
  challenges.begin()->second.signatures = signatures;
  const RenderedFiles files = RenderAll(cells, challenges);
  for (const char* path :
       {"overall_summary.md", "models/glm-5.md", "challenges/layernorm_backward.md"}) {
    EXPECT_THAT(files.at(path), testing::ContainsRegex("`(loses_offset|naive_variance)` or `"))
        << path;
    EXPECT_THAT(files.at(path), Not(HasSubstr("?or?"))) << path;
  }
}

TEST_F(ReportTest, EachModelHasAPageThatTheIndexAndTheSummaryLink) {
  const RenderedFiles files = RenderAll(cells, challenges);
  for (const Evidence& cell : cells) {
    const std::string path = "models/" + cell.model + ".md";
    ASSERT_TRUE(files.contains(path));
    EXPECT_THAT(files.at("README.md"), HasSubstr("(" + path + ")"));
    EXPECT_THAT(files.at("overall_summary.md"), HasSubstr("(" + path + ")"));
  }
}

TEST_F(ReportTest, ManyLongFailuresStayBelowTheLimit) {
  for (Evidence& cell : cells) {
    cell.release.diagnostics = std::string(1'000'000, 'd');
    cell.sanitized.verdict = Verdict::kCompileError;
    cell.sanitized.diagnostics = std::string(1'000'000, 's');
    cell.sanitizer_findings.assign(5000, std::string(5000, 'f'));
    cell.suite.device_findings.assign(5000,
                                      {.checker = "racecheck", .text = std::string(5000, 'g')});
    cell.suite.launches.assign(
        5000, synthetic::MakeLaunch(std::string(5000, 'l'), std::string(5000, 'k')));
    cell.suite.cases.assign(
        2000, synthetic::MakeCase(std::string(500, 'n'), {"edge"}, Verdict::kTimeLimit,
                                  std::string(10'000, 'x')));
  }
  for (const auto& [path, content] : RenderAll(cells, challenges)) {
    EXPECT_LT(content.size(), 200'000U) << path;
  }
}

// With three edge cases and two mutants, 6.5 points are chance.
TEST_F(ReportTest, AMarginInsideItsUncertaintyIsSplit) {
  const RenderedFiles files = RenderAll(cells, challenges);
  EXPECT_THAT(files.at("scoreboard.md"), HasSubstr("| split 0.5-0.5 |"));
  EXPECT_THAT(files.at("scoreboard.md"),
              HasSubstr("| 1-2 | **Qwen3.6-27B** † | **69.2\u00a0±\u00a0"));
  EXPECT_THAT(files.at("matchups/glm-5_vs_qwen3.6-27b.md"), HasSubstr("**Winner: split**"));
  EXPECT_THAT(*RenderExplain(cells[2], challenges.begin()->second, std::nullopt),
              HasSubstr("overall 69.2 ± "));
}

TEST_F(ReportTest, AuthoredRowsAreMarkedInEveryTableOfAReconstruction) {
  for (const auto& [path, content] : RenderAll(cells, challenges)) {
    for (const std::string& line : SplitLines(content)) {
      for (const char* title : {"| Memory analysis", "| Own tests: mutants killed",
                                "| **Tests/Benchmarks", "| Tests/Benchmarks", "| Derivations"}) {
        EXPECT_THAT(line,
                    testing::AnyOf(Not(HasSubstr(title)), HasSubstr(std::string(title) + " ‡")))
            << path;
      }
      EXPECT_THAT(line, Not(HasSubstr("Throughput ‡"))) << path;
    }
  }
  const std::string page = RenderAll(cells, challenges).at("challenges/layernorm_backward.md");
  EXPECT_THAT(page, HasSubstr("\n‡ Authored: "));
  EXPECT_THAT(page, HasSubstr("## Own tests ‡\n"));
}

TEST_F(ReportTest, EachRankingIsPrintedWithAndWithoutAuthoredRows) {
  const RenderedFiles files = RenderAll(cells, challenges);
  for (const char* path : {"scoreboard.md", "challenges/layernorm_backward.md"}) {
    EXPECT_THAT(files.at(path), HasSubstr("| Without ‡ |")) << path;
    EXPECT_THAT(files.at(path),
                testing::ContainsRegex("\\| [0-9.]+\u00a0±\u00a0[0-9.]+ \\(rank 1-2\\) \\|"))
        << path;
  }
}

TEST_F(ReportTest, WhereNothingIsAReconstructionNoRowIsMarked) {
  for (Evidence& cell : cells) {
    cell.reconstruction = false;
  }
  for (const auto& [path, content] : RenderAll(cells, challenges)) {
    EXPECT_THAT(content, Not(HasSubstr("‡"))) << path;
  }
}

TEST_F(ReportTest, TheScoreboardSaysHowWellItsRanksHold) {
  const std::string board = RenderAll(cells, challenges).at("scoreboard.md");
  EXPECT_THAT(board, HasSubstr("\n## Robustness\n"));
  EXPECT_THAT(board, HasSubstr("Scored rows that tell no two of these submissions apart"));
  const auto document = nlohmann::json::parse(RobustnessJson(cells, challenges, 100));
  EXPECT_EQ(document["rankings"][0]["ranks"][0]["model"], "qwen3.6-27b");
}

TEST_F(ReportTest, WhatDoesNotBuildShowsItsFirstErrorWithItsPlace) {
  cells[0].verdict = cells[0].release.verdict = Verdict::kCompileError;
  cells[0].verdict_detail.clear();
  cells[0].release.diagnostics = "In file included from a.cu:1:\na.cuh(9): error: no such name\n";
  const std::string board = RenderAll(cells, challenges).at("scoreboard.md");
  EXPECT_THAT(board, HasSubstr("- GLM-5, compile\\_error: a.cuh(9): error: no such name\n"));
  EXPECT_THAT(board, HasSubstr("- MiniMax-M2.7, does not build as handed in: layernorm.cc:12: "
                               "error: 'topp' was not declared; repaired: one name is misspelt\n"
                               "- MiniMax-M2.7, wrong\\_answer: "));
}

TEST(SummaryPage, AllThatRankEqualAreFirst) {
  TwoChallenges two;
  for (Evidence& cell : two.cells) {
    cell.suite.metrics["x"] = 0.5;
  }
  const RenderedFiles files = RenderAll(two.cells, two.challenges);
  EXPECT_THAT(files.at("overall_summary.md"),
              HasSubstr("**a, b** are first of 2 models with 50.0."));
  EXPECT_THAT(files.at("overall_summary.md"), Not(HasSubstr("points ahead")));
  EXPECT_THAT(files.at("README.md"),
              HasSubstr("**a, b** are first with 50.0, of 2 models in 2 challenges."));
  EXPECT_THAT(files.at("scoreboard.md"), HasSubstr("**a, b** are first with 50.0. 2 models"));
  EXPECT_THAT(files.at("challenges/sums.md"), HasSubstr("**a, b** are first of 2 with 50.0; "));
  EXPECT_THAT(files.at("summary_matrix.md"), HasSubstr("**a, b** are first over all.\n"));
}

TEST(SummaryPage, NobodyIsFirstWhereEachLacksAScore) {
  TwoChallenges two;
  two.cells[0].verdict = two.cells[3].verdict = Verdict::kJudgeError;
  const RenderedFiles files = RenderAll(two.cells, two.challenges);
  EXPECT_THAT(files.at("overall_summary.md"),
              HasSubstr("Of 2 models none has an average, since each lacks a score."));
  EXPECT_THAT(files.at("summary_matrix.md"), Not(HasSubstr("first over all")));
}

TEST(RoundPage, AnAverageSaysThatItIsOfWhatIsDecided) {
  TwoChallenges two;
  EXPECT_THAT(RenderAll(two.cells, two.challenges).at("rounds/a_vs_b.md"),
              Not(HasSubstr("of the decided")));
  two.cells[2].verdict = Verdict::kJudgeError;
  EXPECT_THAT(RenderAll(two.cells, two.challenges).at("overall_summary.md"),
              HasSubstr("| **Average** of the decided | **90.0** | **10.0** |"));
}

/// Of more models than are compared two by two.
TEST(ChallengePage, ARowThatOneAloneHasOrThatAllFailedIsNoTie) {
  const Challenges challenges = {
      {"sums", synthetic::MakeChallenge({synthetic::MakeCriterion("x", "d", "metric(x)"),
                                         synthetic::MakeCriterion("y", "d", "metric(y)")})}};
  std::vector<Evidence> cells;
  for (std::size_t i = 0; i <= kMostModelsPaired; ++i) {
    cells.push_back(synthetic::MakeCell(fmt::format("m{}", i)));
  }
  cells[0].suite.metrics = {{"x", 1}};
  const std::string alone = RenderAll(cells, challenges).at("challenges/sums.md");
  EXPECT_THAT(alone, Not(HasSubstr("| Tie |")));
  for (Evidence& cell : cells) {
    cell.suite.metrics.clear();
    cell.suite.cases = {synthetic::MakeCase("A", {}, Verdict::kWrongAnswer)};
  }
  const std::string failed = RenderAll(cells, challenges).at("challenges/sums.md");
  EXPECT_THAT(failed, Not(HasSubstr("| Tie |")));
  for (Evidence& cell : cells) {
    cell.suite.metrics = {{"x", 1}};
  }
  EXPECT_THAT(RenderAll(cells, challenges).at("challenges/sums.md"), HasSubstr("| Tie |"));
}

/// Each is best at its own largest size; what decides is what both have at one.
TEST(MatchupPage, WhatDecidesIsShownAtTheSizeAtWhichItWasCompared) {
  auto criterion = synthetic::MakeCriterion("x", "d", "metric(x)");
  criterion.value = {.function = ValueFunction::kAtLargest, .arguments = {"x", "logits"}};
  const Challenges challenges = {{"c", synthetic::MakeChallenge({criterion})}};
  std::vector<Evidence> cells = {synthetic::MakeCell("a"), synthetic::MakeCell("b")};
  for (Evidence& cell : cells) {
    cell.challenge = "c";
    cell.suite.cases = {synthetic::MakeCase("A", {}, Verdict::kAccepted)};
  }
  cells[0].suite.curves["x"] = {{10, 0.25}, {1000, 0.9}};
  cells[1].suite.curves["x"] = {{10, 0.75}};
  const std::string page = RenderAll(cells, challenges).at("matchups/a_vs_b.md");
  const std::string decides = page.substr(page.find("What decides it"));
  EXPECT_THAT(decides.substr(0, decides.find("## ")), Not(HasSubstr("1000")));
}

}  // namespace
}  // namespace assay
