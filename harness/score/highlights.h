// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SCORE_HIGHLIGHTS_H_
#define ASSAY_SCORE_HIGHLIGHTS_H_

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "score/challenge_view.h"
#include "score/scorecard.h"

/// What stands out in scorecards, by rules that hold for every submission. Points are of the
/// overall score; rows without a score stand out in nothing. Results point into what they were made
/// from.
namespace assay {

/// What stands out is at least this.
inline constexpr double kLeastHighlight_points = 0.5;
/// The least score of a strength.
inline constexpr double kLeastStrength = 90;

/// A row of one scorecard.
struct Highlight {
  const Criterion* criterion = nullptr;
  const CriterionScore* row = nullptr;
  double points = 0;
};

/// Rows by points lost, the most first; equal ones in the rubric's order.
[[nodiscard]] std::vector<Highlight> Weaknesses(const ChallengeView& challenge,
                                                const Scorecard& card);

/// What the cards of a challenge, one a model, have in each row together.
class RowTotals {
 public:
  RowTotals() = default;
  explicit RowTotals(std::span<const Scorecard> cards);

  /// Whether there is no other card.
  [[nodiscard]] bool IsAlone() const { return cards_ <= 1; }
  /// The mean score of the others in a row; nothing where none of them has one. `card` is one of
  /// the cards.
  [[nodiscard]] std::optional<double> MeanOfOthers(const Scorecard& card,
                                                   std::size_t criterion) const;

 private:
  /// Of scores in double precision: long, so that one may be taken off again.
  struct Total {
    long double score = 0;
    int scored = 0;
  };
  std::size_t cards_ = 0;
  std::vector<Total> rows_;
};

/// Rows of at least kLeastStrength by share * (score - mean score of the others), the most first. A
/// card that is alone has the rows that earn the most: share * score.
[[nodiscard]] std::vector<Highlight> Strengths(const ChallengeView& challenge,
                                               const Scorecard& card, const RowTotals& totals);

/// A row in which the cards of a challenge differ.
struct SeparatingRow {
  const Criterion* criterion = nullptr;
  std::size_t best = 0;  ///< Into the cards; of equal ones the first.
  std::size_t worst = 0;
  double points = 0;  ///< Mean share * (best score - worst score).
};

/// Widest first; equal ones in the rubric's order.
[[nodiscard]] std::vector<SeparatingRow> SeparatingRows(const ChallengeView& challenge,
                                                        std::span<const Scorecard> cards);

/// From whom to take a dimension.
struct BestInDimension {
  const Dimension* dimension = nullptr;
  std::size_t best = 0;  ///< Into the cards; of equal ones the first.
  /// Those that are as good: no further behind than both uncertainties, as of independent errors.
  std::vector<std::size_t> as_good;
  /// Of the dimension's rows the one in which the best is ahead of somebody by the most points;
  /// null where it is ahead in none.
  const Criterion* because = nullptr;
};

/// In the rubric's order; without dimensions in which no card has a score.
[[nodiscard]] std::vector<BestInDimension> BestOfEach(const ChallengeView& challenge,
                                                      std::span<const Scorecard> cards);

}  // namespace assay

#endif  // ASSAY_SCORE_HIGHLIGHTS_H_
