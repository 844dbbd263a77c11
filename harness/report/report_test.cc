// SPDX-License-Identifier: Apache-2.0
#include "report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "evidence/json.h"
#include "report/markdown.h"
#include "report/markdown_checks.h"
#include "score/synthetic.h"

namespace assay {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kHostile = "x|y`z`</summary><img src=a>\n\n# H [l](u) @you *b* \x1b[2J";

/// Every text that could come from a submission.
Evidence HostileCell(Evidence cell) {
  const std::string text(kHostile);
  cell.model_name = text;
  cell.verdict_detail = text;
  cell.environment.compiler = text;
  cell.environment.machine.cpu_model = text;
  cell.environment.sandbox_level = text;
  cell.release.verdict = Verdict::kAccepted;
  cell.sanitized.verdict = Verdict::kCompileError;
  cell.sanitized.diagnostics = "```\n" + text + "\n```";
  cell.repair = Repair{.patch = text, .reason = text, .diagnostics = "~~~\n```\n" + text};
  cell.verdict = Verdict::kWrongAnswer;
  for (CaseEvidence& one : cell.suite.cases) {
    one.name += text;
    one.detail = text;
    one.tags.push_back(text);
    one.verdict = Verdict::kWrongAnswer;
  }
  cell.suite.curves[text] = {{1, 2}};
  cell.sanitizer_findings = {text};
  cell.suite.launches = {synthetic::MakeLaunch(text, text)};
  cell.suite.launches[0].gpu = text;
  cell.suite.device_findings = {{.checker = text, .text = text}};
  cell.suite.device_lacks = {text};
  cell.bench.workloads[0].name = text;
  cell.bench.workloads[1].detail = text;
  cell.own_tests.mutants_killed = {text};
  cell.own_tests.detail = text;
  cell.answers[0].answered = text;
  cell.answers[0].right = false;
  cell.claims[0].claim = text;
  return cell;
}

struct ReportTest : testing::Test {
  Challenges challenges = {{"layernorm_backward", synthetic::LayerNormChallenge()}};
  std::vector<Evidence> cells = synthetic::LayerNormCells();
};

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
  return static_cast<std::size_t>(std::ranges::count_if(
      words, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
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

TEST_F(ReportTest, HostileTextNeverReachesTheTerminal) {
  const Evidence cell = HostileCell(cells[0]);
  const auto explanation = RenderExplain(cell, challenges.begin()->second, std::nullopt);
  ASSERT_TRUE(explanation.has_value());
  EXPECT_THAT(*explanation, Not(HasSubstr("\x1b")));
  EXPECT_THAT(RenderScoreboardText({cell}, challenges), Not(HasSubstr("\x1b")));
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

TEST_F(ReportTest, CompareKeepsTheOrderAskedFor) {
  const auto text = RenderCompare(cells, challenges, "qwen3.6-27b", "minimax-m2.7");
  ASSERT_TRUE(text.has_value());
  EXPECT_THAT(*text, HasSubstr("# Qwen3.6-27B vs MiniMax-M2.7"));
  EXPECT_THAT(*text, HasSubstr("**Winner: Qwen3.6-27B**"));
}

// With three edge cases and two mutants, 6.5 points are chance.
TEST_F(ReportTest, AMarginInsideItsUncertaintyIsSplit) {
  const RenderedFiles files = RenderAll(cells, challenges);
  EXPECT_THAT(files.at("scoreboard.md"), HasSubstr("| split 0.5-0.5 |"));
  EXPECT_THAT(files.at("scoreboard.md"), HasSubstr("| 1-2 | **Qwen3.6-27B** † | **69.2 ± "));
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
    EXPECT_THAT(files.at(path), testing::ContainsRegex(R"(\| [0-9.]+ ± [0-9.]+ \(rank 1-2\) \|)"))
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

TEST_F(ReportTest, ShortestFailingCallsAreShownWhole) {
  std::string calls = "create(batch 2)";
  while (calls.size() < 1000) {
    calls += " append(s0) fork(s0->s1) attend(s1)";
  }
  cells[0].suite.cases[4].verdict = Verdict::kWrongAnswer;
  cells[0].suite.cases[4].detail = "out[5] got 1, want 2";
  cells[0].suite.cases[4].reproduction = calls;
  const std::string page = RenderAll(cells, challenges).at("challenges/layernorm_backward.md");
  EXPECT_THAT(page, HasSubstr("The shortest calls found that fail:\n\n- **Edge.HugeOffset**: " +
                              EscapeMarkdown(calls + ": out[5] got 1, want 2")));
  const auto text = RenderExplain(cells[0], challenges.begin()->second, "edge_cases");
  ASSERT_TRUE(text.has_value());
  EXPECT_THAT(*text, HasSubstr("; shortest calls that fail: " + calls));
}

TEST_F(ReportTest, WrongAnswersStandBesideTheOracles) {
  ASSERT_FALSE(cells[1].answers.empty());
  cells[1].answers[0].answered = "7";
  cells[1].answers[0].right = false;
  const std::string page = RenderAll(cells, challenges).at("challenges/layernorm_backward.md");
  EXPECT_THAT(page, HasSubstr("| FLOPs of backward | 8 FLOP | "));
  EXPECT_THAT(page, HasSubstr("| wrong: 7 |"));
}

TEST_F(ReportTest, SkippedCasesAreCountedByTheirReason) {
  for (const std::size_t i : {0U, 1U, 2U}) {
    cells[0].suite.cases[i].verdict = Verdict::kSkipped;
    cells[0].suite.cases[i].detail = i == 1 ? "no CUDA" : "f64 is not implemented";
  }
  const std::string page = RenderAll(cells, challenges).at("challenges/layernorm_backward.md");
  EXPECT_THAT(page, HasSubstr("Skipped, and so not passed:\n\n- 2 cases: f64 is not implemented\n"
                              "- 1 case: no CUDA\n"));
}

TEST_F(ReportTest, ABugThatCostsOnceIsSaidToCostInItsHome) {
  ChallengeView& challenge = challenges.begin()->second;
  challenge.signatures = synthetic::LayerNormSignatures();
  for (int i = 0; i < 8; ++i) {
    const std::string name = "Gradient.OfColumn" + std::to_string(i);
    challenge.signatures->mutants["swapped"].cases[name] = {{Verdict::kWrongAnswer, 3}};
    cells[2].suite.cases.push_back(
        synthetic::MakeCase(name, {"gradient"}, Verdict::kWrongAnswer, "dx[0] is off"));
  }
  challenge.homes = {{"swapped", "gradient_correctness"}};
  const Criterion& home = *FindCriterion(challenge.rubric, "gradient_correctness");
  const std::string costs = "; costs in " + home.title + ", elsewhere as if refused\n";
  EXPECT_THAT(RenderAll(cells, challenges).at("challenges/layernorm_backward.md"),
              AllOf(HasSubstr("- fails like `swapped` (strong"), HasSubstr(costs)));
  EXPECT_THAT(*RenderExplain(cells[2], challenge, std::nullopt),
              AllOf(HasSubstr("  fails like swapped (strong"), HasSubstr(costs)));
  const auto json = nlohmann::json::parse(*ExplainJson(cells[2], challenge, std::nullopt));
  EXPECT_EQ(json["diagnosis"]["fails_like"][0]["costs_in"], "gradient_correctness");
}

TEST_F(ReportTest, FailuresAreSaidToBeLikeKnownBugsWhereTheirSignaturesAreKept) {
  const auto page = [&] {
    return RenderAll(cells, challenges).at("challenges/layernorm_backward.md");
  };
  EXPECT_THAT(page(), HasSubstr("**GLM-5**, 1 case failing: no signatures of mutants are kept."));
  const auto plain = RenderExplain(cells[0], challenges.begin()->second, std::nullopt);
  EXPECT_THAT(*plain, HasSubstr("1 case failing; no signatures of mutants are kept"));
  challenges.begin()->second.signatures = synthetic::LayerNormSignatures();
  EXPECT_THAT(page(), HasSubstr("- fails like `naive_variance` (likely, 0.80: 1 case for, none "
                                "against)\n"));
  EXPECT_THAT(page(), HasSubstr("- 1 case like no known bug\n"));  // MiniMax's Edge.RowOfOne.
  EXPECT_THAT(page(), Not(HasSubstr("**Qwen3.6-27B**, ")));
  const auto json =
      nlohmann::json::parse(*ExplainJson(cells[0], challenges.begin()->second, std::nullopt));
  EXPECT_EQ(json["diagnosis"]["fails_like"][0]["mutants"][0], "naive_variance");
  EXPECT_EQ(json["diagnosis"]["fails_like"][0]["certainty"], "likely");
}

TEST_F(ReportTest, CudaIsShownWithItsDeviceAndItsModelledTimesAreSaidToBeModelled) {
  const RenderedFiles files = RenderAll(cells, challenges);
  const std::string& page = files.at("challenges/layernorm_backward.md");
  EXPECT_THAT(page, HasSubstr("<summary>Qwen3.6-27B: 1 kernel launch on an emulated NVIDIA "
                              "A100-SXM4-80GB</summary>"));
  EXPECT_THAT(page, HasSubstr("**MiniMax-M2.7**, found by the emulated GPU's checkers:\n\n"
                              "- racecheck: read after write at layernorm.cu:71"));
  EXPECT_THAT(page, HasSubstr("| Modelled time |"));
  EXPECT_THAT(files.at("scoreboard.md"),
              HasSubstr("CUDA was graded on an emulated NVIDIA A100-SXM4-80GB: "));
  for (Evidence& cell : cells) {
    cell.suite.launches.clear();
    cell.suite.device_findings.clear();
    cell.suite.device_lacks.clear();
  }
  for (const auto& [path, content] : RenderAll(cells, challenges)) {
    EXPECT_THAT(content, Not(HasSubstr("emulated"))) << path;
  }
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
