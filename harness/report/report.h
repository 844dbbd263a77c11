// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REPORT_REPORT_H_
#define ASSAY_REPORT_REPORT_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "evidence/evidence.h"
#include "score/challenge_view.h"

namespace assay {

/// Files below `reports/` by relative path with `/`: `scoreboard.md`,
/// `challenges/<challenge>.md`, `matchups/<a>_vs_<b>.md`, `README.md`.
using RenderedFiles = std::map<std::string, std::string>;

/// Every report of `cells`, in any order: equal input gives equal bytes. At most one cell for each
/// (challenge, model). A cell of a challenge that is not in `challenges` is left out, and the
/// scoreboard names it.
[[nodiscard]] RenderedFiles RenderAll(const std::vector<Evidence>& cells,
                                      const Challenges& challenges);

/// The matchup of two models over all challenges that both entered, as markdown. A model without
/// any cell is an error of kind kConfiguration. Statistics run over all `cells`, as in RenderAll.
[[nodiscard]] Result<std::string> RenderCompare(const std::vector<Evidence>& cells,
                                                const Challenges& challenges,
                                                std::string_view model_a, std::string_view model_b);

/// From each point lost by one cell to the evidence behind it, as plain text for a terminal. With
/// `criterion`, that one alone and all its evidence; an unknown one is an error of kind
/// kConfiguration that lists those there are.
[[nodiscard]] Result<std::string> RenderExplain(const Evidence& cell,
                                                const ChallengeView& challenge,
                                                std::optional<std::string_view> criterion);

/// The scores of all cells on a terminal: one line a cell, ranked, challenge by challenge.
[[nodiscard]] std::string RenderScoreboardText(const std::vector<Evidence>& cells,
                                               const Challenges& challenges);

/// The same for programs (`--json`): indented JSON with sorted keys and a final line break.
[[nodiscard]] std::string ScoreboardJson(const std::vector<Evidence>& cells,
                                         const Challenges& challenges);
[[nodiscard]] Result<std::string> CompareJson(const std::vector<Evidence>& cells,
                                              const Challenges& challenges,
                                              std::string_view model_a, std::string_view model_b);
[[nodiscard]] Result<std::string> ExplainJson(const Evidence& cell, const ChallengeView& challenge,
                                              std::optional<std::string_view> criterion);

}  // namespace assay

#endif  // ASSAY_REPORT_REPORT_H_
