// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SCORE_RANKING_H_
#define ASSAY_SCORE_RANKING_H_

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "score/scorecard.h"
#include "score/uncertainty.h"
#include "score/weighing.h"

namespace assay {

/// The ranks that a score may have within the uncertainty: from 1 + those that are surely better to
/// all but those that are surely worse.
struct RankInterval {
  int best = 0;
  int worst = 0;
  bool operator==(const RankInterval&) const = default;
};

enum class Medal { kNone, kGold, kSilver, kBronze };

/// What is ranked.
struct Contender {
  std::string id;
  std::optional<double> score;
  std::span<const float> draws;  ///< Of the score; empty where it is exact.
};

/// A place in an order.
struct RankedPlace {
  std::size_t index = 0;    ///< Into what was ranked.
  std::optional<int> rank;  ///< From 1; equal scores share one; none without a score.
  std::optional<RankInterval> interval = std::nullopt;  ///< Where there is a rank.
  Medal medal = Medal::kNone;
  bool operator==(const RankedPlace&) const = default;
};

/// Whether the lead of `a` over `b` is beyond its uncertainty. Both have a score.
[[nodiscard]] bool IsSurelyBetter(const Contender& a, const Contender& b);

/// Best first; see README.md.
[[nodiscard]] std::vector<RankedPlace> Rank(std::span<const Contender> contenders);

/// Cards of one challenge, with their draws, one a card or none at all.
[[nodiscard]] std::vector<RankedPlace> RankChallenge(std::span<const Scorecard> cards,
                                                     std::span<const CellDraws> draws,
                                                     RowsCounted rows = RowsCounted::kAll);

/// A model over all challenges.
struct ModelStanding {
  std::string model;
  std::string model_name;
  bool reconstruction = false;
  std::optional<int> rank;
  std::optional<RankInterval> interval = std::nullopt;
  Medal medal = Medal::kNone;                        ///< Wants a score in every challenge.
  std::optional<double> average;                     ///< In tenths.
  std::optional<double> uncertainty = std::nullopt;  ///< Of `average`; in tenths.
  bool provisional = false;  ///< A cell of it has no score, so it has no average and no rank.
  std::map<std::string, const Scorecard*> cells;  ///< By challenge; pointers into the input.
  ScoreDraws draws = {};                          ///< Of `average`.
};

/// Best first; see README.md. `cards` are of any challenges and outlive the result; `draws` are
/// one a card, or none at all. Models of `lacking` have a cell more, which has no card: they are
/// provisional.
[[nodiscard]] std::vector<ModelStanding> RankModels(std::span<const Scorecard> cards,
                                                    std::span<const CellDraws> draws,
                                                    RowsCounted rows = RowsCounted::kAll,
                                                    const std::set<std::string>& lacking = {});

}  // namespace assay

#endif  // ASSAY_SCORE_RANKING_H_
