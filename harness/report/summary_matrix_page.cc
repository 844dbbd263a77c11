// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "report/matchup_parts.h"
#include "report/pages.h"
#include "report/words.h"

namespace assay {
namespace {

/// `**Qwen3.6-27B**, first over all, wins 2 of its 2 matchups here.` Of several that rank equal
/// their names; nothing where no model has a rank.
Markdown MatrixConclusion(const Board& board) {
  const FirstRank first_rank = FirstRankOf(board.standings);
  if (first_rank.names.empty()) {
    return {};
  }
  if (first_rank.names.size() > 1) {
    return AreFirst(first_rank) + " over all.\n\n";
  }
  const ModelStanding& first = board.standings.front();
  int matchups = 0;
  int won = 0;
  for (const ModelPair& pair : board.pairs) {
    if (pair.a == first.model || pair.b == first.model) {
      ++matchups;
      const MatchupTotal total = TotalOf(SidesOf(board, pair.a, pair.b));
      won += total.winner == (pair.a == first.model ? RowEdge::kA : RowEdge::kB);
    }
  }
  return Markdown::Bold(Markdown::Text(first.model_name)) +
         Markdown::Text(
             fmt::format(", first over all, wins {} of its {} matchups here.", won, matchups)) +
         "\n\n";
}

}  // namespace

Markdown SummaryMatrixPage(const Board& board) {
  const MarkdownTable table = SummaryMatrix(board);
  return GeneratedNote() + "# Summary matrix\n\n" +
         (table.empty()
              ? Markdown("No two models have a challenge in common.\n")
              : MatrixConclusion(board) +
                    "Who wins each challenge of each matchup, and by how much. A challenge "
                    "won is a point; one whose margin lies inside its uncertainty is split, "
                    "half a point each.\n\n## Matchups\n\n" +
                    table.Render()) +
         (board.pairs_shown == PairsShown::kAll
              ? Markdown()
              : Markdown("\nPairs are neighbours in rank, and those that `reports/pairs.yaml` "
                         "names. Any two: `assay compare A B`.\n"));
}

}  // namespace assay
