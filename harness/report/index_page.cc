// SPDX-License-Identifier: Apache-2.0
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

void AddPair(const ModelPair& pair, const Board& board, MarkdownTable& table) {
  const Markdown names =
      Markdown::Text(NameOf(board, pair.a) + " against " + NameOf(board, pair.b));
  const std::string matchup = MatchupPath(pair.a, pair.b);
  const std::string round = RoundPath(pair.a, pair.b);
  table.AddRow({Markdown::Link(Markdown::Text(matchup), matchup), names + ", row by row"});
  table.AddRow({Markdown::Link(Markdown::Text(round), round),
                names + ", by dimension, and where each is ahead"});
}

}  // namespace

Markdown IndexPage(const Board& board, const std::vector<OtherPage>& others) {
  MarkdownTable table({{.title = "File"}, {.title = "What it shows"}});
  table.AddRow({"[scoreboard.md](scoreboard.md)",
                "Who ranks where, under which conditions, and how to grade again"});
  table.AddRow({"[overall_summary.md](overall_summary.md)",
                "Who is ahead, round by round, what separates them, and the best of each"});
  table.AddRow({"[summary_matrix.md](summary_matrix.md)", "Who wins which challenge against whom"});
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
  for (const ModelPair& pair : board.pairs) {
    AddPair(pair, board, table);
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
         "The pages and `pictures/` are made from `evidence/` and `anchors/` by `assay report`, "
         "byte "
         "for byte; `assay report --check` says whether they still are. `scripts/grade` makes "
         "`evidence/` and the pages, `scripts/anchors` makes `anchors/`. `published/`, `reviews/` "
         "and `pairs.yaml` are written by people, `CHANGES.md` is kept by `assay grade`.\n\n" +
         table.Render();
}

}  // namespace assay
