// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SCORE_WEIGHING_H_
#define ASSAY_SCORE_WEIGHING_H_

#include <cstddef>
#include <span>
#include <vector>

#include "score/scorecard.h"

namespace assay {

/// Which rows of a rubric count.
enum class RowsCounted {
  kAll,
  kWithoutAuthored,  ///< Without those that IsAuthored().
};

/// The weights of a rubric, in its order.
struct Weights {
  std::vector<double> criteria;
  std::vector<double> dimensions;
};

/// Scores of rows to scores of dimensions and overall by the rules of ScoreCell, for other weights
/// and other scores than a rubric and a cell have. A row without a score is NaN, and so is a mean
/// of none.
class Weighing {
 public:
  explicit Weighing(const Rubric& rubric);

  [[nodiscard]] const Weights& weights(RowsCounted rows = RowsCounted::kAll) const {
    return rows == RowsCounted::kAll ? all_ : without_authored_;
  }
  /// Of a dimension, in the order of the rubric.
  [[nodiscard]] std::span<const std::size_t> RowsOf(std::size_t dimension) const {
    return rows_[dimension];
  }
  [[nodiscard]] double Dimension(std::size_t dimension, const Weights& weights,
                                 std::span<const double> scores) const;
  /// Before rounding, less `penalty`, not below 0.
  [[nodiscard]] double Overall(const Weights& weights, std::span<const double> scores,
                               double penalty) const;

 private:
  std::vector<std::vector<std::size_t>> rows_;  ///< By dimension.
  Weights all_;
  Weights without_authored_;
};

/// The scores of a card's rows, in their order.
[[nodiscard]] std::vector<double> RowScores(const Scorecard& card);

/// As scores are printed: rounded to a tenth.
[[nodiscard]] double RoundedToTenths(double score);

/// A printed score in whole tenths: their sums are exact, so that equal means come out equal.
[[nodiscard]] long long TenthsOf(double score);
/// The mean of `count` scores whose sum is `tenths`, as scores are printed.
[[nodiscard]] double MeanOfTenths(long long tenths, std::size_t count);

}  // namespace assay

#endif  // ASSAY_SCORE_WEIGHING_H_
