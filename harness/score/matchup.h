// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SCORE_MATCHUP_H_
#define ASSAY_SCORE_MATCHUP_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "score/scorecard.h"
#include "score/uncertainty.h"
#include "score/value_of_metrics.h"

namespace assay {

/// Who wins a row, or a matchup. README.md says when.
enum class RowEdge {
  kA,
  kB,
  kTie,    ///< Of a row.
  kSplit,  ///< Of a matchup: the margin is inside its uncertainty, half a point each.
  kUnresolved,
  kNone
};
/// `A`, `B`, `tie`, `split`, `unresolved`, `none`.
[[nodiscard]] std::string_view ToString(RowEdge edge);

struct MatchupRow {
  std::string criterion;
  RowEdge edge = RowEdge::kNone;
  std::string reason;  ///< Why it is unresolved or none; else empty.
  /// What the edge was decided by where that is not the values of the two scorecards.
  std::optional<ComparedValues> compared = {};
  bool operator==(const MatchupRow&) const = default;
};

/// Two cells of one challenge side by side.
struct Matchup {
  Scorecard a;
  Scorecard b;
  std::vector<MatchupRow> rows;  ///< One a criterion, in the order of the rubric.
  int won_a = 0;
  int won_b = 0;
  int tied = 0;
  int unresolved = 0;
  /// kA, kB or kSplit by overall score; kUnresolved when a cell has no score or the cells were
  /// graded against different versions of the challenge.
  RowEdge winner = RowEdge::kUnresolved;
  double margin = 0;              ///< Between the overall scores; 0 where it is unresolved.
  double margin_uncertainty = 0;  ///< 95 % of what the margin could have been; in tenths.
  std::string reason;             ///< Why there is no winner; else empty.
  bool operator==(const Matchup&) const = default;
};

/// Two cells by index, the first before the second.
using CellPair = std::pair<std::size_t, std::size_t>;
/// (0,1), (0,2), …, (1,2), ….
[[nodiscard]] std::vector<CellPair> AllPairs(std::size_t cells);

/// Those of `pairs`, in their order; `cells` are all of one challenge. All pairs that are shown at
/// once, because Holm's procedure for rows of time runs over all of them. `cards` and `draws` are
/// those of the cells.
[[nodiscard]] std::vector<Matchup> CompareAll(const ChallengeView& challenge,
                                              std::span<const Evidence* const> cells,
                                              std::span<const Scorecard> cards,
                                              std::span<const CellDraws> draws,
                                              std::span<const CellPair> pairs);

/// What CompareAll has of `wanted`, which are some of `pairs`, without making the others.
[[nodiscard]] std::vector<Matchup> CompareSome(const ChallengeView& challenge,
                                               std::span<const Evidence* const> cells,
                                               std::span<const Scorecard> cards,
                                               std::span<const CellDraws> draws,
                                               std::span<const CellPair> pairs,
                                               std::span<const CellPair> wanted);

/// Two cells alone.
[[nodiscard]] Matchup Compare(const ChallengeView& challenge, const Evidence& a, const Evidence& b);

}  // namespace assay

#endif  // ASSAY_SCORE_MATCHUP_H_
