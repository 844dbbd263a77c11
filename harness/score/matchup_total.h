// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SCORE_MATCHUP_TOTAL_H_
#define ASSAY_SCORE_MATCHUP_TOTAL_H_

#include <optional>
#include <span>

#include "score/matchup.h"

namespace assay {

/// Two models over the challenges in which both have a cell.
struct MatchupTotal {
  double points_a = 0;  ///< One for each challenge won, half for a split one.
  double points_b = 0;
  int undecided = 0;  ///< Challenges without a winner, which give no points.
  /// By points; kUnresolved where no challenge has a winner.
  RowEdge winner = RowEdge::kUnresolved;
  /// Mean overall scores, in tenths, of the challenges with a winner; none where there is none.
  std::optional<double> mean_a = {};
  std::optional<double> mean_b = {};
  double margin = 0;              ///< Between the means.
  double margin_uncertainty = 0;  ///< 95 % of what it could have been; in tenths.
  bool operator==(const MatchupTotal&) const = default;
};

/// sum over decided matchups, margin m = |mean(a) - mean(b)|, its uncertainty
/// u = sqrt(sum u_i^2) / n for the n margins' own u_i: what was measured in one challenge says
/// nothing of what was in another. All are of the same two models in the same order, each of
/// another challenge.
[[nodiscard]] MatchupTotal TotalOf(std::span<const Matchup> matchups);

}  // namespace assay

#endif  // ASSAY_SCORE_MATCHUP_TOTAL_H_
