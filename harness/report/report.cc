// SPDX-License-Identifier: Apache-2.0
#include "report/report.h"

#include <algorithm>

#include "report/board.h"
#include "report/lookup.h"
#include "report/pages.h"
#include "report/words.h"

namespace assay {

RenderedFiles RenderAll(const std::vector<Evidence>& cells, const Challenges& challenges,
                        const std::vector<OtherPage>& others, const std::vector<ModelPair>& asked) {
  return RenderAll(MakeBoard(cells, challenges, asked), others);
}

RenderedFiles RenderAll(const Board& board, const std::vector<OtherPage>& others) {
  RenderedFiles files = {{"scoreboard.md", ScoreboardPage(board).text()},
                         {"overall_summary.md", SummaryPage(board).text()},
                         {"summary_matrix.md", SummaryMatrixPage(board).text()},
                         {"README.md", IndexPage(board, others).text()}};
  for (const ModelStanding& standing : board.standings) {
    files[ModelPath(standing.model)] = ModelPage(board, standing).text();
  }
  for (const ChallengeBoard& challenge : board.challenges) {
    files["challenges/" + challenge.view->spec.id + ".md"] = ChallengePage(challenge).text();
  }
  for (const ModelPair& pair : board.pairs) {
    const auto [a, b] = std::minmax(pair.a, pair.b);
    files[MatchupPath(a, b)] = MatchupPage(board, a, b).text();
    files[RoundPath(a, b)] = RoundPage(board, a, b).text();
  }
  return files;
}

Result<std::string> RenderCompare(const std::vector<Evidence>& cells, const Challenges& challenges,
                                  std::string_view model_a, std::string_view model_b) {
  ASSAY_RETURN_IF_ERROR(CheckModels(cells, model_a, model_b));
  const std::vector<ModelPair> asked = {{.a = std::string(model_a), .b = std::string(model_b)}};
  return MatchupPage(MakeBoard(cells, challenges, asked), model_a, model_b).text();
}

}  // namespace assay
