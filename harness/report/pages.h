// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REPORT_PAGES_H_
#define ASSAY_REPORT_PAGES_H_

#include <string_view>
#include <vector>

#include "report/board.h"
#include "report/markdown.h"
#include "report/report.h"

/// The generated files, one function each. Links in them are relative to their place in `reports/`.
namespace assay {

/// `scoreboard.md`.
[[nodiscard]] Markdown ScoreboardPage(const Board& board);

/// `overall_summary.md`: who is ahead, what separates them, the best of each.
[[nodiscard]] Markdown SummaryPage(const Board& board);

/// `models/<model>.md`: what is strong, weak and wrong in one model's submissions. `standing` is
/// one of the board's.
[[nodiscard]] Markdown ModelPage(const Board& board, const ModelStanding& standing);

/// `challenges/<challenge>.md`.
[[nodiscard]] Markdown ChallengePage(const ChallengeBoard& challenge);

/// `matchups/<a>_vs_<b>.md`: every challenge that both entered.
[[nodiscard]] Markdown MatchupPage(const Board& board, std::string_view a, std::string_view b);

/// `rounds/<a>_vs_<b>.md`: the same two by dimension, and where each is ahead.
[[nodiscard]] Markdown RoundPage(const Board& board, std::string_view a, std::string_view b);

/// `summary_matrix.md`: who wins each challenge of each matchup.
[[nodiscard]] Markdown SummaryMatrixPage(const Board& board);

/// `README.md`: what each file is, `others` too, and how to make them again.
[[nodiscard]] Markdown IndexPage(const Board& board, const std::vector<OtherPage>& others);

}  // namespace assay

#endif  // ASSAY_REPORT_PAGES_H_
