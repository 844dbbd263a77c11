// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SCORE_ROBUSTNESS_H_
#define ASSAY_SCORE_ROBUSTNESS_H_

#include <span>
#include <string>
#include <vector>

#include "score/matchup.h"
#include "score/ranking.h"
#include "score/uncertainty.h"

namespace assay {

/// How often something holds, from 0 to 1: in the seed in which it does least, and most.
struct Held {
  double least = 1;
  double most = 1;
  bool operator==(const Held&) const = default;
};

/// What is changed to see whether ranks hold.
struct HeldUnder {
  Held weights;   ///< Each weight times a number between 0.5 and 1.5.
  Held redrawn;   ///< Cases, mutants and times drawn again.
  Held rows_out;  ///< Each scored row left out in its turn; no chance is in it.
  bool operator==(const HeldUnder&) const = default;
};

/// The rank of one model.
struct RankHeld {
  std::string model;
  std::string model_name;
  int rank = 0;
  HeldUnder held;
  bool operator==(const RankHeld&) const = default;
};

/// A row that changes a rank when it is left out.
struct DecidingRow {
  std::string challenge;
  std::string criterion;
  std::vector<std::string> models;  ///< Names of those whose rank it changes.
  bool operator==(const DecidingRow&) const = default;
};

/// One ranking: of a challenge, or over all.
struct RankingRobustness {
  std::string challenge;        ///< Empty over all.
  HeldUnder order;              ///< All ranks at once.
  std::vector<RankHeld> ranks;  ///< Best first; those without a score are left out.
  std::vector<DecidingRow> deciding;
  bool operator==(const RankingRobustness&) const = default;
};

/// How often a row tells two submissions apart.
struct RowDiscrimination {
  std::string challenge;
  std::string criterion;
  double weight = 0;
  int told_apart = 0;  ///< Pairs of cells in which the row has a winner.
  int pairs = 0;
  /// Of a row with weight that tells no two apart: what is seen of why, and what the rubric gives
  /// as its reason. Empty for all others.
  std::string why_equal = {};
  bool operator==(const RowDiscrimination&) const = default;
};

struct Robustness {
  int weight_draws = 0;
  std::vector<RankingRobustness> rankings;  ///< Over all first, where there are two or more.
  std::vector<RowDiscrimination> rows;      ///< All but text rows, in the order of the rubrics.
  bool operator==(const Robustness&) const = default;
};

/// One challenge with all that was computed of its cells, which are in the order of their ranking.
struct RankedChallenge {
  const ChallengeView* view = nullptr;
  std::span<const Scorecard> cards;
  std::span<const CellDraws> draws;
  std::span<const Matchup> matchups;
};

/// So many draws of weights, in equal blocks of kSeeds seeds.
inline constexpr int kWeightDraws = 2000;

/// README.md has the definition. `standings` are RankModels of the challenges' cards;
/// `weight_draws` is at least kSeeds.
[[nodiscard]] Robustness MeasureRobustness(std::span<const RankedChallenge> challenges,
                                           std::span<const ModelStanding> standings,
                                           int weight_draws = kWeightDraws);

}  // namespace assay

#endif  // ASSAY_SCORE_ROBUSTNESS_H_
