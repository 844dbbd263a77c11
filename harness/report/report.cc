// SPDX-License-Identifier: Apache-2.0
#include "report/report.h"

#include <algorithm>

#include "report/board.h"
#include "report/lookup.h"
#include "report/pages.h"
#include "report/words.h"

namespace assay {

RenderedFiles RenderAll(const std::vector<Evidence>& cells, const Challenges& challenges,
                        const std::vector<OtherPage>& others) {
  const Board board = MakeBoard(cells, challenges);
  RenderedFiles files = {{"scoreboard.md", ScoreboardPage(board).text()},
                         {"overall_summary.md", SummaryPage(board).text()},
                         {"README.md", IndexPage(board, others).text()}};
  for (const ModelStanding& standing : board.standings) {
    files[ModelPath(standing.model)] = ModelPage(board, standing).text();
  }
  for (const ChallengeBoard& challenge : board.challenges) {
    files["challenges/" + challenge.view->spec.id + ".md"] = ChallengePage(challenge).text();
    for (const Matchup& matchup : challenge.matchups) {
      const auto [a, b] = std::minmax(matchup.a.model, matchup.b.model);
      std::string& file = files[MatchupPath(a, b)];
      if (file.empty()) {  // Two models that met before meet on the same page.
        file = MatchupPage(board, a, b).text();
      }
    }
  }
  return files;
}

Result<std::string> RenderCompare(const std::vector<Evidence>& cells, const Challenges& challenges,
                                  std::string_view model_a, std::string_view model_b) {
  ASSAY_RETURN_IF_ERROR(CheckModels(cells, model_a, model_b));
  return MatchupPage(MakeBoard(cells, challenges), model_a, model_b).text();
}

}  // namespace assay
