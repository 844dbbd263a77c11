// SPDX-License-Identifier: Apache-2.0
#include "report/pages.h"
#include "report/words.h"

namespace assay {
namespace {

void AddPair(const ModelStanding& a, const ModelStanding& b, const Board& board,
             MarkdownTable& table) {
  for (const ChallengeBoard& challenge : board.challenges) {
    if (FindMatchup(challenge, a.model, b.model)) {
      const std::string path = MatchupPath(a.model, b.model);
      table.AddRow({Markdown::Link(Markdown::Text(path), path),
                    Markdown::Text(a.model_name) + " against " + Markdown::Text(b.model_name) +
                        ", row by row"});
      return;
    }
  }
}

}  // namespace

Markdown IndexPage(const Board& board, const std::vector<OtherPage>& others) {
  MarkdownTable table({{.title = "File"}, {.title = "What it shows"}});
  table.AddRow({"[scoreboard.md](scoreboard.md)",
                "Who ranks where, under which conditions, and how to grade again"});
  table.AddRow({"[overall_summary.md](overall_summary.md)",
                "Who is ahead, task by task, what separates them, and the best of each"});
  for (const ModelStanding& standing : board.standings) {
    const std::string path = ModelPath(standing.model);
    table.AddRow({Markdown::Link(Markdown::Text(path), path),
                  "What is strong, weak and wrong in what " + Markdown::Text(standing.model_name) +
                      " handed in"});
  }
  for (const ChallengeBoard& challenge : board.challenges) {
    const std::string path = "challenges/" + challenge.view->spec.id + ".md";
    table.AddRow({Markdown::Link(Markdown::Text(path), path),
                  "Every criterion, case, curve, time and mutant of " +
                      Markdown::Text(challenge.view->spec.title)});
  }
  for (std::size_t i = 0; i < board.standings.size(); ++i) {
    for (std::size_t j = i + 1; j < board.standings.size(); ++j) {
      AddPair(board.standings[i], board.standings[j], board, table);
    }
  }
  for (const OtherPage& other : others) {
    table.AddRow(
        {Markdown::Link(Markdown::Text(other.path), other.path), Markdown::Text(other.shows)});
  }
  for (const ChallengeBoard& challenge : board.challenges) {
    for (const Evidence* cell : challenge.cells) {
      const std::string path = "evidence/" + cell->challenge + "/" + cell->model + ".json";
      table.AddRow({Markdown::Link(Markdown::Text(path), path),
                    "All that was measured on " + Markdown::Text(cell->model_name) + ", " +
                        Markdown::Text(challenge.view->spec.title)});
    }
  }
  return GeneratedNote() +
         "# Reports\n\n"
         "Everything here but `evidence/` is made from `evidence/` by `assay report`, byte for "
         "byte; `assay report --check` says whether it still is. `scripts/grade` makes both.\n\n" +
         table.Render();
}

}  // namespace assay
