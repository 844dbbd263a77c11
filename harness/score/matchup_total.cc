// SPDX-License-Identifier: Apache-2.0
#include "score/matchup_total.h"

#include <cmath>

#include "score/weighing.h"

namespace assay {

MatchupTotal TotalOf(std::span<const Matchup> matchups) {
  MatchupTotal total;
  long long tenths_a = 0;
  long long tenths_b = 0;
  double squares = 0;
  std::size_t decided = 0;
  for (const Matchup& matchup : matchups) {
    const RowEdge winner = matchup.winner;
    if (winner != RowEdge::kA && winner != RowEdge::kB && winner != RowEdge::kSplit) {
      ++total.undecided;
      continue;
    }
    ++decided;
    total.points_a += winner == RowEdge::kA ? 1 : winner == RowEdge::kSplit ? 0.5 : 0;
    total.points_b += winner == RowEdge::kB ? 1 : winner == RowEdge::kSplit ? 0.5 : 0;
    tenths_a += TenthsOf(*matchup.a.overall);
    tenths_b += TenthsOf(*matchup.b.overall);
    squares += matchup.margin_uncertainty * matchup.margin_uncertainty;
  }
  if (decided == 0) {
    return total;
  }
  total.winner = total.points_a == total.points_b  ? RowEdge::kSplit
                 : total.points_a > total.points_b ? RowEdge::kA
                                                   : RowEdge::kB;
  total.mean_a = MeanOfTenths(tenths_a, decided);
  total.mean_b = MeanOfTenths(tenths_b, decided);
  // Of what is printed: who subtracts the means finds it.
  total.margin = RoundedToTenths(std::abs(*total.mean_a - *total.mean_b));
  total.margin_uncertainty = RoundedToTenths(std::sqrt(squares) / static_cast<double>(decided));
  return total;
}

}  // namespace assay
