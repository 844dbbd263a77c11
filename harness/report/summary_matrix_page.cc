// SPDX-License-Identifier: Apache-2.0
#include "report/matchup_parts.h"
#include "report/pages.h"

namespace assay {

Markdown SummaryMatrixPage(const Board& board) {
  const MarkdownTable table = SummaryMatrix(board);
  return GeneratedNote() + "# Summary matrix\n\n" +
         (table.empty() ? Markdown("No two models have a challenge in common.\n")
                        : "Who wins each challenge of each matchup, and by how much. A challenge "
                          "won is a point; one whose margin lies inside its uncertainty is split, "
                          "half a point each.\n\n" +
                              table.Render()) +
         (board.pairs_shown == PairsShown::kAll
              ? Markdown()
              : Markdown("\nPairs are neighbours in rank, and those that `reports/pairs.yaml` "
                         "names. Any two: `assay compare A B`.\n"));
}

}  // namespace assay
