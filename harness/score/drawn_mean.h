// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SCORE_DRAWN_MEAN_H_
#define ASSAY_SCORE_DRAWN_MEAN_H_

#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "score/uncertainty.h"

/// Weighted means of scores that are drawn; of no use outside score.
namespace assay {

/// A score in each draw.
struct DrawnScore {
  double exact = 0;  ///< In each of them, where `drawn` is empty. NaN for none.
  /// NaN in a draw in which there is none.
  std::vector<double> drawn = {};

  [[nodiscard]] ScoreDraws draws() const {
    return drawn.empty() ? ScoreDraws(kDraws, static_cast<float>(exact))
                         : ScoreDraws(drawn.begin(), drawn.end());
  }
  [[nodiscard]] double half_width() const { return drawn.empty() ? 0 : HalfWidth(draws()); }
};

/// A weighted mean in each draw: what Weighing has for one draw, number by number in the same
/// order.
class DrawnMean {
 public:
  void Add(double weight, const DrawnScore& score) {
    const bool is_none = std::isnan(score.exact);
    if (weight == 0 || (is_none && score.drawn.empty())) {
      return;
    }
    if (sum_.drawn.empty() && !score.drawn.empty()) {
      sum_.drawn.assign(kDraws, sum_.exact);
    }
    if (is_none) {
      AddWhereThereIsOne(weight, score.drawn);
      return;
    }
    weight_ += weight;
    sum_.exact += weight * score.exact;
    for (std::size_t i = 0; i < sum_.drawn.size(); ++i) {
      sum_.drawn[i] += weight * (score.drawn.empty() ? score.exact : score.drawn[i]);
    }
  }

  [[nodiscard]] DrawnScore Take() && {
    sum_.exact /= weight_;  // 0/0, which is none, where nothing was added.
    for (std::size_t i = 0; i < sum_.drawn.size(); ++i) {
      sum_.drawn[i] /= weight_ + (weight_at_times_.empty() ? 0 : weight_at_times_[i]);
    }
    return std::move(sum_);
  }

 private:
  void AddWhereThereIsOne(double weight, std::span<const double> drawn) {
    weight_at_times_.resize(kDraws, 0.0);
    for (std::size_t i = 0; i < kDraws; ++i) {
      if (!std::isnan(drawn[i])) {
        weight_at_times_[i] += weight;
        sum_.drawn[i] += weight * drawn[i];
      }
    }
  }

  DrawnScore sum_;
  double weight_ = 0;                    ///< Of what is there in every draw.
  std::vector<double> weight_at_times_;  ///< By draw, of what is not; empty for none.
};

}  // namespace assay

#endif  // ASSAY_SCORE_DRAWN_MEAN_H_
