// SPDX-License-Identifier: Apache-2.0
#include "score/ranking.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <tuple>

namespace assay {
namespace {

/// Sorts `items` best first by `score_of` (none last) and then by `id_of`, which is unique.
template <class T, class ScoreOf, class IdOf>
void SortBest(std::vector<T>& items, ScoreOf score_of, IdOf id_of) {
  std::sort(items.begin(), items.end(), [&](const T& a, const T& b) {
    const auto key = [&](const T& item) {
      const std::optional<double> score = score_of(item);
      return std::make_tuple(!score.has_value(), -score.value_or(0));
    };
    return std::make_tuple(key(a), id_of(a)) < std::make_tuple(key(b), id_of(b));
  });
}

/// Ranks of sorted scores: 1, 1, 3; none without a score.
std::vector<std::optional<int>> Ranks(const std::vector<std::optional<double>>& scores) {
  std::vector<std::optional<int>> ranks;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (!scores[i].has_value()) {
      ranks.emplace_back();
    } else if (i > 0 && scores[i] == scores[i - 1]) {
      ranks.push_back(ranks.back());
    } else {
      ranks.emplace_back(static_cast<int>(i) + 1);
    }
  }
  return ranks;
}

/// The mean over `challenges`, those in which anybody has a score. None, and `provisional`, where
/// the model's cell in one of them has no score: the mean of the others could be above what it
/// would be.
void Average(const std::set<std::string>& challenges, ModelStanding& standing) {
  double sum = 0;
  for (const std::string& challenge : challenges) {
    const auto cell = standing.cells.find(challenge);
    if (cell == standing.cells.end()) {
      continue;  // Not entered: 0.
    }
    if (!cell->second->overall.has_value()) {
      standing.provisional = true;
      return;
    }
    sum += *cell->second->overall;
  }
  const bool has_score = std::ranges::any_of(
      standing.cells, [](const auto& cell) { return cell.second->overall.has_value(); });
  if (!has_score) {
    standing.provisional = true;
    return;
  }
  standing.average = std::round(sum / static_cast<double>(challenges.size()) * 10) / 10;
}

}  // namespace

std::vector<Placement> RankChallenge(std::span<const Scorecard> cards) {
  std::vector<Placement> placements(cards.size());
  for (std::size_t i = 0; i < cards.size(); ++i) {
    placements[i].card = i;
  }
  SortBest(
      placements, [&](const Placement& p) { return cards[p.card].overall; },
      [&](const Placement& p) { return cards[p.card].model; });
  std::vector<std::optional<double>> scores;
  scores.reserve(placements.size());
  for (const Placement& placement : placements) {
    scores.push_back(cards[placement.card].overall);
  }
  const auto ranks = Ranks(scores);
  for (std::size_t i = 0; i < placements.size(); ++i) {
    placements[i].rank = ranks[i];
  }
  return placements;
}

std::vector<ModelStanding> RankModels(std::span<const Scorecard> cards) {
  std::map<std::string, ModelStanding> by_model;
  std::set<std::string> challenges;
  for (const Scorecard& card : cards) {
    ModelStanding& standing = by_model[card.model];
    standing.model = card.model;
    standing.model_name = card.model_name;
    standing.reconstruction = card.reconstruction;
    standing.cells[card.challenge] = &card;
    if (card.overall.has_value()) {
      challenges.insert(card.challenge);
    }
  }
  std::vector<ModelStanding> standings;
  for (auto& [model, standing] : by_model) {
    Average(challenges, standing);
    standings.push_back(std::move(standing));
  }
  SortBest(
      standings, [](const ModelStanding& s) { return s.average; },
      [](const ModelStanding& s) { return s.model; });
  std::vector<std::optional<double>> scores;
  scores.reserve(standings.size());
  for (const ModelStanding& standing : standings) {
    scores.push_back(standing.average);
  }
  const auto ranks = Ranks(scores);
  for (std::size_t i = 0; i < standings.size(); ++i) {
    standings[i].rank = ranks[i];
  }
  return standings;
}

}  // namespace assay
