// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REPORT_EXPLAIN_H_
#define ASSAY_REPORT_EXPLAIN_H_

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "report/board.h"

/// What `assay explain` says of figures that more than one cell makes, as plain text and as JSON;
/// each names the command that leads on. What the board has not is an error of kind kConfiguration.
/// Of one cell: RenderExplain.
namespace assay {

/// A model's average and rank, out of its cells.
[[nodiscard]] Result<std::string> ExplainModel(const Board& board, std::string_view model);
[[nodiscard]] Result<std::string> ExplainModelJson(const Board& board, std::string_view model);

/// A challenge's ranking, anchors and the rows that separate its cells; with `criterion` that row
/// of every cell.
[[nodiscard]] Result<std::string> ExplainChallenge(const Board& board, std::string_view challenge,
                                                   std::optional<std::string_view> criterion);
[[nodiscard]] Result<std::string> ExplainChallengeJson(const Board& board,
                                                       std::string_view challenge,
                                                       std::optional<std::string_view> criterion);

/// The points and the margin between two models, down to the points of each row that decides them.
/// The two are one of the board's pairs.
[[nodiscard]] Result<std::string> ExplainPair(const Board& board, std::string_view a,
                                              std::string_view b);

}  // namespace assay

#endif  // ASSAY_REPORT_EXPLAIN_H_
