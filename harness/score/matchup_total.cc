// SPDX-License-Identifier: Apache-2.0
#include "score/matchup_total.h"

#include <cmath>

#include "score/weighing.h"

namespace assay {

MatchupTotal TotalOf(std::span<const Matchup> matchups) {
  MatchupTotal total;
  double sum_a = 0;
  double sum_b = 0;
  double squares = 0;
  int decided = 0;
  for (const Matchup& matchup : matchups) {
    const RowEdge winner = matchup.winner;
    if (winner != RowEdge::kA && winner != RowEdge::kB && winner != RowEdge::kSplit) {
      ++total.undecided;
      continue;
    }
    ++decided;
    total.points_a += winner == RowEdge::kA ? 1 : winner == RowEdge::kSplit ? 0.5 : 0;
    total.points_b += winner == RowEdge::kB ? 1 : winner == RowEdge::kSplit ? 0.5 : 0;
    sum_a += *matchup.a.overall;
    sum_b += *matchup.b.overall;
    squares += matchup.margin_uncertainty * matchup.margin_uncertainty;
  }
  if (decided == 0) {
    return total;
  }
  total.winner = total.points_a == total.points_b  ? RowEdge::kSplit
                 : total.points_a > total.points_b ? RowEdge::kA
                                                   : RowEdge::kB;
  total.mean_a = RoundedToTenths(sum_a / decided);
  total.mean_b = RoundedToTenths(sum_b / decided);
  total.margin = RoundedToTenths(std::abs(sum_a - sum_b) / decided);
  total.margin_uncertainty = RoundedToTenths(std::sqrt(squares) / decided);
  return total;
}

}  // namespace assay
