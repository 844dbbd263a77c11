// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SCORE_LEADS_H_
#define ASSAY_SCORE_LEADS_H_

#include <cstddef>
#include <span>
#include <vector>

#include "score/ranking.h"

namespace assay {

/// Says what IsSurelyBetter says, of many pairs of the same contenders and so quickly that all near
/// pairs of a thousand can be asked for. Draws are kept once, in single precision and less their
/// mean; a sum of squares that comes too near the limit for that is left to IsSurelyBetter.
class Leads {
 public:
  /// `contenders` all have a score, and draws of one length or none. They outlive this.
  explicit Leads(std::span<const Contender> contenders);

  /// Whether the lead of one over another is beyond its uncertainty; by their indices.
  [[nodiscard]] bool IsSure(std::size_t better, std::size_t worse) const;

 private:
  std::span<const Contender> contenders_;
  std::size_t draws_ = 0;         ///< Of each.
  std::size_t padded_ = 0;        ///< The same in whole chunks: what is kept of each.
  std::vector<double> reach_;     ///< No score is further than this from what it could have been.
  std::vector<float> from_mean_;  ///< Draws less their mean, one contender after the other.
};

}  // namespace assay

#endif  // ASSAY_SCORE_LEADS_H_
