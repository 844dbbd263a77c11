// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SCORE_UNCERTAINTY_H_
#define ASSAY_SCORE_UNCERTAINTY_H_

#include <cstddef>
#include <span>
#include <vector>

#include "score/scorecard.h"

namespace assay {

/// What scores could have been is drawn so many times: a block of draws for each seed, one after
/// the other.
inline constexpr int kSeeds = 5;
inline constexpr int kDrawsPerSeed = 400;
inline constexpr int kDraws = kSeeds * kDrawsPerSeed;

/// What one score could have been, kDraws times and not rounded; empty where there is no score.
using ScoreDraws = std::vector<float>;

/// What the overall scores of a cell could have been. Draw i of two cells of a challenge is of the
/// same cases and mutants.
struct CellDraws {
  ScoreDraws overall;
  ScoreDraws without_authored;
};

/// Both in the order of the cells.
struct ScoredCells {
  std::vector<Scorecard> cards;
  std::vector<CellDraws> draws;
};

/// Scores `cells`, which are all of one challenge; their cards say how sure they are and what they
/// are without authored rows. README.md has the definition. Each cell is diagnosed once.
[[nodiscard]] ScoredCells ScoreCells(const ChallengeView& challenge,
                                     std::span<const Evidence* const> cells);

/// The card of one cell alone.
[[nodiscard]] Scorecard ScoreWithUncertainty(const ChallengeView& challenge, const Evidence& cell);

/// Half of the interval that holds 95 %: 1.96 standard deviations. 0 for none.
[[nodiscard]] double HalfWidth(std::span<const float> draws);

/// That of the difference of two scores, draw by draw. Where one has no draws, it is exact.
[[nodiscard]] double HalfWidthOfDifference(std::span<const float> a, std::span<const float> b);

/// The sum of squared distances from their mean, of so many draws, whose half width is
/// `half_width`.
[[nodiscard]] double SquaresWithin(double half_width, std::size_t draws);

}  // namespace assay

#endif  // ASSAY_SCORE_UNCERTAINTY_H_
