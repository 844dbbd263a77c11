// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REPORT_ROBUSTNESS_VIEWS_H_
#define ASSAY_REPORT_ROBUSTNESS_VIEWS_H_

#include <string>
#include <string_view>

#include "report/board.h"
#include "report/markdown.h"
#include "score/robustness.h"

namespace assay {

/// `Over all`, or the challenge's title.
[[nodiscard]] std::string TitleOfRanking(const Board& board, const RankingRobustness& ranking);

/// Percent of a share that holds, from the seed in which it does least to that in which it does
/// most: `100 %`, `97-99 %`. Rounded down, so that 100 % means always.
[[nodiscard]] std::string HeldText(const Held& held);

/// The title of a row of the rubric.
[[nodiscard]] std::string RowTitle(const Board& board, std::string_view challenge,
                                   std::string_view criterion);

/// The scoreboard's section, with its heading; empty when there is nothing to rank.
[[nodiscard]] Markdown RobustnessSection(const Board& board);

}  // namespace assay

#endif  // ASSAY_REPORT_ROBUSTNESS_VIEWS_H_
