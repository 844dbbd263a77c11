// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "report/pages.h"
#include "report/words.h"

namespace assay {
namespace {

std::string NameOf(const Board& board, std::string_view model) {
  return std::ranges::find(board.standings, model, &ModelStanding::model)->model_name;
}

Markdown FileLink(const std::string& path) { return Markdown::Link(Markdown::Text(path), path); }

Markdown Section(const Markdown& title, const MarkdownTable& table) {
  return table.empty() ? Markdown() : "\n## " + title + "\n\n" + table.Render();
}

MarkdownTable Overviews(const std::vector<OtherPage>& others) {
  MarkdownTable table({{.title = "File"}, {.title = "What it shows"}});
  table.AddRow({"[scoreboard.md](scoreboard.md)",
                "Who ranks where, under which conditions, and how to grade again"});
  table.AddRow({"[overall_summary.md](overall_summary.md)",
                "Who is ahead, round by round, what separates them, and the best of each"});
  table.AddRow({"[summary_matrix.md](summary_matrix.md)", "Who wins which challenge against whom"});
  for (const OtherPage& other : others) {
    table.AddRow({FileLink(other.path), Markdown::Text(other.shows)});
  }
  return table;
}

MarkdownTable ChallengePages(const Board& board) {
  MarkdownTable table({{.title = "Page"}, {.title = "What it shows"}});
  for (const ChallengeBoard& challenge : board.challenges) {
    table.AddRow({Markdown::Link(Markdown::Text(challenge.view->spec.title),
                                 "challenges/" + challenge.view->spec.id + ".md"),
                  "Every criterion, case, curve, time and mutant"});
  }
  return table;
}

MarkdownTable ModelPages(const Board& board) {
  MarkdownTable table({{.title = "Page"}, {.title = "What it shows"}});
  for (const ModelStanding& standing : board.standings) {
    table.AddRow({Markdown::Link(Markdown::Text(standing.model_name), ModelPath(standing.model)),
                  "What is strong, weak and wrong in what it handed in"});
  }
  return table;
}

MarkdownTable PairPages(const Board& board) {
  MarkdownTable table(
      {{.title = "Models"}, {.title = "Row by row"}, {.title = "By dimension, and who is ahead"}});
  for (const ModelPair& pair : board.pairs) {
    table.AddRow({Markdown::Text(NameOf(board, pair.a) + " against " + NameOf(board, pair.b)),
                  Markdown::Link("matchup", MatchupPath(pair.a, pair.b)),
                  Markdown::Link("round", RoundPath(pair.a, pair.b))});
  }
  return table;
}

/// A file a cell, folded: of many models it is the longest part by far.
Markdown EvidenceFiles(const Board& board) {
  MarkdownTable table({{.title = "Model"}, {.title = "Challenge"}, {.title = "File"}});
  for (const ChallengeBoard& challenge : board.challenges) {
    for (const Evidence* cell : challenge.cells) {
      table.AddRow({Markdown::Text(cell->model_name), Markdown::Text(challenge.view->spec.title),
                    FileLink("evidence/" + cell->challenge + "/" + cell->model + ".json")});
    }
  }
  return table.empty()
             ? Markdown()
             : "\n## Evidence\n\n" +
                   Markdown::Details("All that was measured, a file a cell", table.Render());
}

/// Who is first, of how many; nothing where no model has an average.
Markdown Conclusion(const Board& board) {
  const FirstRank first = FirstRankOf(board.standings);
  if (first.names.empty()) {
    return {};
  }
  return AreFirst(first) +
         Markdown::Text(fmt::format(" with {}, of {} in {}.", first.score,
                                    CountOf(board.standings.size(), "model"),
                                    CountOf(board.challenges.size(), "challenge"))) +
         "\n\n";
}

}  // namespace

Markdown IndexPage(const Board& board, const std::vector<OtherPage>& others) {
  return GeneratedNote() + "# Reports\n\n" + Conclusion(board) +
         "The pages and `pictures/` are made from `evidence/` and `anchors/` by `assay report`, "
         "byte for byte; `assay report --check` says whether they still are. `assay explain "
         "--help` says how any figure leads to its evidence.\n\n" +
         Overviews(others).Render() + Section("Challenges", ChallengePages(board)) +
         Section("Models", ModelPages(board)) + Section("Head to head", PairPages(board)) +
         EvidenceFiles(board) +
         "\n`scripts/grade` makes `evidence/` and the pages, `scripts/anchors` makes `anchors/`. "
         "`published/`, `reviews/` and `pairs.yaml` are written by people, `CHANGES.md` is kept by "
         "`assay grade`.\n";
}

}  // namespace assay
