// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SCORE_RANKING_H_
#define ASSAY_SCORE_RANKING_H_

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "score/scorecard.h"

namespace assay {

/// A place in the order of one challenge.
struct Placement {
  std::size_t card = 0;     ///< Index into the scorecards ranked.
  std::optional<int> rank;  ///< From 1; equal scores share one; none without a score.
  bool operator==(const Placement&) const = default;
};

/// Best first; see README.md. `cards` are all of one challenge.
[[nodiscard]] std::vector<Placement> RankChallenge(std::span<const Scorecard> cards);

/// A model over all challenges.
struct ModelStanding {
  std::string model;
  std::string model_name;
  bool reconstruction = false;
  std::optional<int> rank;
  std::optional<double> average;  ///< In tenths.
  bool provisional = false;       ///< A cell of it has no score, so it has no average and no rank.
  std::map<std::string, const Scorecard*> cells;  ///< By challenge; pointers into the input.
};

/// Best first; see README.md. `cards` are of any challenges and outlive the result.
[[nodiscard]] std::vector<ModelStanding> RankModels(std::span<const Scorecard> cards);

}  // namespace assay

#endif  // ASSAY_SCORE_RANKING_H_
