// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REPORT_JSON_PARTS_H_
#define ASSAY_REPORT_JSON_PARTS_H_

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>

#include "report/board.h"
#include "score/explain.h"

/// The pieces that JSON for programs (`--json`) and the data of the site are made of. Text of a
/// submission is in them as it came.
namespace assay {

/// A scorecard's scores, dimensions and marks, without its rows.
[[nodiscard]] nlohmann::json SummaryJson(const Scorecard& card);
/// The same with its rows.
[[nodiscard]] nlohmann::json ScorecardJson(const ChallengeView& challenge, const Scorecard& card);
/// SummaryJson of the cell of that index, with its place in the challenge's ranking.
[[nodiscard]] nlohmann::json RankedSummaryJson(const ChallengeBoard& challenge, std::size_t index);
/// A model over all challenges of `board`, which it is of.
[[nodiscard]] nlohmann::json StandingJson(const Board& board, const ModelStanding& standing);
/// What the failing cases are like; null where no signatures are kept.
[[nodiscard]] nlohmann::json DiagnosisJson(const std::optional<Diagnosis>& diagnosis,
                                           const ChallengeView& challenge, const Evidence& cell);
/// Who wins which row and by how much, without the two scorecards. `compared` is in a row that
/// other values decided than those of the scorecards.
[[nodiscard]] nlohmann::json OutcomeJson(const ChallengeView& challenge, const Matchup& matchup);
/// A cell's scorecard with the evidence behind each row, or behind the row of index `only` alone.
[[nodiscard]] nlohmann::json ExplanationJson(const Evidence& cell, const ChallengeView& challenge,
                                             const CellExplanation& explanation,
                                             std::optional<std::size_t> only = std::nullopt);

}  // namespace assay

#endif  // ASSAY_REPORT_JSON_PARTS_H_
