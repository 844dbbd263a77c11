// SPDX-License-Identifier: Apache-2.0
#include "score/robustness.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "score/draws.h"
#include "score/on_all_cores.h"
#include "score/weighing.h"

namespace assay {
namespace {

/// In how many of so many tries each rank of a ranking was as printed.
struct Tally {
  std::vector<int> held;
  int order = 0;
  int tries = 0;
};

/// Whether the rank of a score, one more than the scores that are greater, is of the interval.
bool IsWithin(const RankInterval& ranks, double score, std::span<const double> best_first) {
  const auto best = static_cast<std::size_t>(ranks.best);
  const auto worst = static_cast<std::size_t>(ranks.worst);
  return (best == 1 || best_first[best - 2] > score) && best_first[worst - 1] <= score;
}

/// One ranking with its printed ranks. Equal scores share their ranks, in either order.
class Watched {
 public:
  Watched(std::string challenge, std::vector<double> printed)
      : challenge_(std::move(challenge)), printed_(std::move(printed)) {
    for (const double score : printed_) {
      const auto better = std::ranges::count_if(printed_, [&](double o) { return o > score; });
      const auto equal = std::ranges::count(printed_, score);
      ranks_.push_back(
          {.best = static_cast<int>(better) + 1, .worst = static_cast<int>(better + equal)});
    }
  }

  [[nodiscard]] const std::string& challenge() const { return challenge_; }
  [[nodiscard]] const std::vector<double>& printed() const { return printed_; }
  [[nodiscard]] int RankOf(std::size_t place) const { return ranks_[place].best; }

  /// Counts the ranks of `scores`; gives the places whose rank is another.
  std::vector<std::size_t> Count(std::span<const double> scores, Tally& tally) const {
    tally.held.resize(ranks_.size());
    ++tally.tries;
    std::vector<std::size_t> moved;
    std::vector<double> sorted(scores.begin(), scores.end());
    std::ranges::sort(sorted, std::greater<>());
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      if (IsWithin(ranks_[i], scores[i], sorted)) {
        ++tally.held[i];
      } else {
        moved.push_back(i);
      }
    }
    tally.order += moved.empty() ? 1 : 0;
    return moved;
  }

 private:
  std::string challenge_;
  std::vector<double> printed_;
  std::vector<RankInterval> ranks_;
};

/// A tally a seed, of one ranking.
using SeedTallies = std::vector<Tally>;

Held HeldIn(const SeedTallies& tallies, std::optional<std::size_t> place) {
  Held held{.least = 1, .most = 0};
  for (const Tally& tally : tallies) {
    const double share = tally.tries == 0
                             ? 1
                             : static_cast<double>(place ? tally.held[*place] : tally.order) /
                                   static_cast<double>(tally.tries);
    held.least = std::min(held.least, share);
    held.most = std::max(held.most, share);
  }
  return held;
}

/// The cells of a challenge that have a score.
struct Scored {
  const RankedChallenge* challenge;
  Weighing weighing;
  std::vector<std::size_t> cells;
  std::vector<std::vector<double>> rows;  ///< Scores of rows, one list a cell.

  explicit Scored(const RankedChallenge& of) : challenge(&of), weighing(of.view->rubric) {
    for (std::size_t cell = 0; cell < of.cards.size(); ++cell) {
      if (of.cards[cell].overall.has_value()) {
        cells.push_back(cell);
        rows.push_back(RowScores(of.cards[cell]));
      }
    }
  }

  [[nodiscard]] std::vector<double> Overall(const Weights& weights) const {
    std::vector<double> scores;
    scores.reserve(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const double score = weighing.Overall(weights, rows[i], challenge->cards[cells[i]].penalty);
      scores.push_back(std::isnan(score) ? 0 : score);
    }
    return scores;
  }

  [[nodiscard]] std::vector<double> Drawn(std::size_t draw) const {
    std::vector<double> scores;
    scores.reserve(cells.size());
    for (const std::size_t cell : cells) {
      scores.push_back(challenge->draws[cell].overall[draw]);
    }
    return scores;
  }
};

/// All rankings together: a change of scores in one challenge is one over all too.
class Rankings {
 public:
  Rankings(std::span<const RankedChallenge> challenges, std::span<const ModelStanding> standings) {
    for (const RankedChallenge& challenge : challenges) {
      const Scored& scored = scored_.emplace_back(challenge);
      std::vector<double> printed;
      printed.reserve(scored.cells.size());
      for (const std::size_t cell : scored.cells) {
        printed.push_back(*challenge.cards[cell].overall);
      }
      watched_.emplace_back(challenge.view->spec.id, std::move(printed));
    }
    AddOverAll(standings);
  }

  [[nodiscard]] const std::vector<Scored>& scored() const { return scored_; }
  [[nodiscard]] const std::vector<Watched>& watched() const { return watched_; }

  /// The sums over all challenges, in the order of the ranking.
  [[nodiscard]] std::vector<double> OverAll(const std::vector<std::vector<double>>& scores) const {
    std::vector<double> sums;
    sums.reserve(members_.size());
    for (const std::vector<std::optional<std::size_t>>& member : members_) {
      double sum = 0;
      for (std::size_t challenge = 0; challenge < member.size(); ++challenge) {
        sum += member[challenge] ? scores[challenge][*member[challenge]] : 0;
      }
      sums.push_back(sum);
    }
    return sums;
  }

  void Count(std::vector<std::vector<double>> scores, std::size_t seed,
             std::vector<SeedTallies>& tallies) const {
    if (is_over_all_) {
      scores.push_back(OverAll(scores));
    }
    for (std::size_t i = 0; i < watched_.size(); ++i) {
      (void)watched_[i].Count(scores[i], tallies[i][seed]);
    }
  }

  [[nodiscard]] const ModelStanding& Model(std::size_t place) const { return *models_[place]; }

 private:
  void AddOverAll(std::span<const ModelStanding> standings) {
    is_over_all_ = scored_.size() > 1;
    std::vector<double> printed;
    for (const ModelStanding& standing : standings) {
      if (!is_over_all_ || !standing.rank.has_value()) {
        continue;
      }
      std::vector<std::optional<std::size_t>>& member = members_.emplace_back();
      for (const Scored& scored : scored_) {
        const auto found = std::ranges::find_if(scored.cells, [&](std::size_t cell) {
          return scored.challenge->cards[cell].model == standing.model;
        });
        member.push_back(found == scored.cells.end() ? std::nullopt
                                                     : std::optional(static_cast<std::size_t>(
                                                           found - scored.cells.begin())));
      }
      models_.push_back(&standing);
      printed.push_back(*standing.average);
    }
    if (is_over_all_) {
      watched_.emplace_back("", std::move(printed));
    }
  }

  std::vector<Scored> scored_;
  std::vector<Watched> watched_;  ///< One a challenge; then over all, where there is more than one.
  bool is_over_all_ = false;
  std::vector<const ModelStanding*> models_;                      ///< Over all, in order.
  std::vector<std::vector<std::optional<std::size_t>>> members_;  ///< … their places by challenge.
};

/// A challenge's weights, each times a number between 0.5 and 1.5; draw after draw.
class WeightDraws {
 public:
  WeightDraws(int seed, const Scored& scored)
      : weights_(scored.weighing.weights()),
        stream_(seed, {scored.challenge->view->spec.id, "weights"}) {}

  Weights Next() {
    Weights drawn = weights_;
    for (std::vector<double>* weights : {&drawn.dimensions, &drawn.criteria}) {
      for (double& weight : *weights) {
        weight *= 0.5 + stream_.Uniform();
      }
    }
    return drawn;
  }

 private:
  Weights weights_;
  Draws stream_;
};

/// The tallies of one seed; those of several can be counted at once.
void CountWeights(const Rankings& rankings, int draws, std::size_t seed,
                  std::vector<SeedTallies>& tallies) {
  std::vector<WeightDraws> streams;
  streams.reserve(rankings.scored().size());
  for (const Scored& scored : rankings.scored()) {
    streams.emplace_back(static_cast<int>(seed) + 1, scored);
  }
  for (int draw = 0; draw < draws / kSeeds; ++draw) {
    std::vector<std::vector<double>> scores;
    scores.reserve(streams.size());
    for (std::size_t i = 0; i < streams.size(); ++i) {
      scores.push_back(rankings.scored()[i].Overall(streams[i].Next()));
    }
    rankings.Count(std::move(scores), seed, tallies);
  }
}

void CountRedrawn(const Rankings& rankings, std::size_t seed, std::vector<SeedTallies>& tallies) {
  for (std::size_t draw = 0; draw < kDrawsPerSeed; ++draw) {
    std::vector<std::vector<double>> scores;
    scores.reserve(rankings.scored().size());
    for (const Scored& scored : rankings.scored()) {
      scores.push_back(scored.Drawn(seed * kDrawsPerSeed + draw));
    }
    rankings.Count(std::move(scores), seed, tallies);
  }
}

/// The weights of the rubric without one row; nothing where it scores no cell.
std::optional<Weights> WithoutRow(const Scored& scored, std::size_t row) {
  const bool counts = scored.weighing.weights().criteria[row] > 0 &&
                      std::ranges::any_of(scored.rows, [row](const std::vector<double>& scores) {
                        return !std::isnan(scores[row]);
                      });
  if (!counts) {
    return std::nullopt;
  }
  Weights weights = scored.weighing.weights();
  weights.criteria[row] = 0;
  return weights;
}

/// Leaves out each row in its turn; gives those that change a rank, ranking by ranking.
std::vector<std::vector<DecidingRow>> CountRowsOut(const Rankings& rankings,
                                                   std::vector<SeedTallies>& tallies) {
  const std::size_t challenges = rankings.scored().size();
  std::vector<std::vector<DecidingRow>> deciding(rankings.watched().size());
  std::vector<std::vector<double>> whole;
  for (const Scored& scored : rankings.scored()) {
    whole.push_back(scored.Overall(scored.weighing.weights()));
  }
  for (std::size_t challenge = 0; challenge < challenges; ++challenge) {
    const Scored& scored = rankings.scored()[challenge];
    const std::vector<Criterion>& criteria = scored.challenge->view->rubric.criteria;
    for (std::size_t row = 0; row < criteria.size(); ++row) {
      const auto weights = WithoutRow(scored, row);
      if (!weights) {
        continue;
      }
      std::vector<std::vector<double>> scores = whole;
      scores[challenge] = scored.Overall(*weights);
      const auto count = [&](std::size_t ranking, std::span<const double> of, auto name) {
        DecidingRow one{.challenge = scored.challenge->view->spec.id,
                        .criterion = criteria[row].id,
                        .models = {}};
        for (const std::size_t place : rankings.watched()[ranking].Count(of, tallies[ranking][0])) {
          one.models.push_back(name(place));
        }
        if (!one.models.empty()) {
          deciding[ranking].push_back(std::move(one));
        }
      };
      count(challenge, scores[challenge], [&](std::size_t place) {
        return scored.challenge->cards[scored.cells[place]].model_name;
      });
      if (rankings.watched().size() > challenges) {
        count(challenges, rankings.OverAll(scores),
              [&](std::size_t place) { return rankings.Model(place).model_name; });
      }
    }
  }
  return deciding;
}

constexpr double kWhole = 100;  // The score of a row that loses nothing.

/// What is seen of a row that tells no two cells apart.
std::string SeenOf(std::size_t row, const RankedChallenge& challenge) {
  std::vector<double> scores;
  for (const Scorecard& card : challenge.cards) {
    if (card.criteria[row].score.has_value()) {
      scores.push_back(*card.criteria[row].score);
    }
  }
  if (scores.size() < 2) {
    return fmt::format("scored in {} of {}", scores.size(), challenge.cards.size());
  }
  const auto [least, most] = std::ranges::minmax(scores);
  if (least == most) {
    return least == kWhole ? "all have it whole" : "equal in all";
  }
  return challenge.view->rubric.criteria[row].kind == CriterionKind::kBench ? "within noise"
                                                                            : "nearly equal";
}

std::string WhyEqual(std::size_t row, const RankedChallenge& challenge) {
  const Criterion& criterion = challenge.view->rubric.criteria[row];
  std::vector<std::string> why = {SeenOf(row, challenge)};
  const auto bugs = std::ranges::count_if(
      challenge.view->homes, [&](const auto& home) { return home.second == criterion.id; });
  if (bugs > 0) {
    why.push_back(fmt::format("home of {} planted bug{}", bugs, bugs == 1 ? "" : "s"));
  }
  if (!criterion.reason.empty()) {
    why.push_back(criterion.reason);
  }
  return Join(why, "; ");
}

void AddDiscrimination(const RankedChallenge& challenge, std::vector<RowDiscrimination>& rows) {
  const std::vector<Criterion>& criteria = challenge.view->rubric.criteria;
  for (std::size_t row = 0; row < criteria.size(); ++row) {
    if (criteria[row].edge == Edge::kText || criteria[row].kind == CriterionKind::kReview) {
      continue;
    }
    RowDiscrimination& one =
        rows.emplace_back(RowDiscrimination{.challenge = challenge.view->spec.id,
                                            .criterion = criteria[row].id,
                                            .weight = criteria[row].weight,
                                            .told_apart = 0,
                                            .pairs = static_cast<int>(challenge.matchups.size())});
    for (const Matchup& matchup : challenge.matchups) {
      const RowEdge edge = matchup.rows[row].edge;
      one.told_apart += edge == RowEdge::kA || edge == RowEdge::kB ? 1 : 0;
    }
    if (one.told_apart == 0 && one.pairs > 0 && one.weight > 0) {
      one.why_equal = WhyEqual(row, challenge);
    }
  }
}

}  // namespace

Robustness MeasureRobustness(std::span<const RankedChallenge> challenges,
                             std::span<const ModelStanding> standings, int weight_draws) {
  const Rankings rankings(challenges, standings);
  const std::size_t count = rankings.watched().size();
  std::vector<SeedTallies> weights(count, SeedTallies(kSeeds));
  std::vector<SeedTallies> redrawn(count, SeedTallies(kSeeds));
  std::vector<SeedTallies> rows_out(count, SeedTallies(1));
  std::vector<std::vector<DecidingRow>> deciding;
  constexpr std::size_t kEach = kSeeds;
  OnAllCores(2 * kEach + 1, [&](std::size_t i) {
    if (i < kEach) {
      CountWeights(rankings, weight_draws, i, weights);
    } else if (i < 2 * kEach) {
      CountRedrawn(rankings, i - kEach, redrawn);
    } else {
      deciding = CountRowsOut(rankings, rows_out);
    }
  });

  Robustness robustness{.weight_draws = weight_draws, .rankings = {}, .rows = {}};
  for (std::size_t i = 0; i < count; ++i) {
    const auto held = [&](std::optional<std::size_t> place) {
      return HeldUnder{.weights = HeldIn(weights[i], place),
                       .redrawn = HeldIn(redrawn[i], place),
                       .rows_out = HeldIn(rows_out[i], place)};
    };
    const Watched& watched = rankings.watched()[i];
    RankingRobustness one{.challenge = watched.challenge(),
                          .order = held(std::nullopt),
                          .ranks = {},
                          .deciding = std::move(deciding[i])};
    for (std::size_t place = 0; place < watched.printed().size(); ++place) {
      const bool over_all = i >= challenges.size();
      const Scorecard* const card =
          over_all ? nullptr : &challenges[i].cards[rankings.scored()[i].cells[place]];
      one.ranks.push_back(
          {.model = over_all ? rankings.Model(place).model : card->model,
           .model_name = over_all ? rankings.Model(place).model_name : card->model_name,
           .rank = watched.RankOf(place),
           .held = held(place)});
    }
    robustness.rankings.push_back(std::move(one));
  }
  if (count > challenges.size()) {  // Over all first.
    std::ranges::rotate(robustness.rankings, robustness.rankings.end() - 1);
  }
  for (const RankedChallenge& challenge : challenges) {
    AddDiscrimination(challenge, robustness.rows);
  }
  return robustness;
}

}  // namespace assay
