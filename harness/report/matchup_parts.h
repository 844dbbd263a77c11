// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REPORT_MATCHUP_PARTS_H_
#define ASSAY_REPORT_MATCHUP_PARTS_H_

#include <optional>
#include <string_view>
#include <vector>

#include "report/board.h"
#include "report/markdown.h"
#include "report/words.h"
#include "score/matchup_total.h"

/// What pages about two models share.
namespace assay {

/// Both sides in one challenge, with all that pages show of them.
struct Sides {
  const ChallengeBoard* challenge = nullptr;
  Matchup matchup;
  const Evidence* a = nullptr;
  const Evidence* b = nullptr;
};

/// One for each challenge that both entered; empty where there is none.
[[nodiscard]] std::vector<Sides> SidesOf(const Board& board, std::string_view a,
                                         std::string_view b);
[[nodiscard]] MatchupTotal TotalOf(const std::vector<Sides>& sides);

[[nodiscard]] AuthoredRows AuthoredOf(const Sides& sides);
/// `-3.2`, `0.0`, `—`.
[[nodiscard]] Markdown Difference(std::optional<double> a, std::optional<double> b);
/// The overall score with its uncertainty.
[[nodiscard]] Markdown OverallCell(const Scorecard& card);
/// What a card holds in a row.
[[nodiscard]] Markdown ValueCell(const Criterion& criterion, const Scorecard& card);
/// The same for a line of a list.
[[nodiscard]] Markdown ValueOnLine(const Criterion& criterion, const Scorecard& card);

/// `**Qwen3.6-27B wins 2.5-0.5**, 89.8 to 73.5 on average, margin +16.3 ± 2.1`, without a full
/// stop. `sides` is not empty.
[[nodiscard]] Markdown TotalLine(const std::vector<Sides>& sides);
/// Who wins a challenge and why, a line: `**Winner: GLM-5**, 76.0 ± 2.0 to 67.9 ± 2.0, margin …`.
[[nodiscard]] Markdown WinnerLine(const Sides& sides);
/// `**Qwen3.6-27B** 2.5-0.5`. `sides` is not empty.
[[nodiscard]] Markdown WinnerWithPoints(const std::vector<Sides>& sides);
/// Challenge by challenge, and on average: scores, winner, margin. `sides` is not empty.
[[nodiscard]] Markdown RoundTable(const std::vector<Sides>& sides);

/// Each of the board's pairs: who wins, over all and in each challenge.
[[nodiscard]] MarkdownTable SummaryMatrix(const Board& board);

}  // namespace assay

#endif  // ASSAY_REPORT_MATCHUP_PARTS_H_
