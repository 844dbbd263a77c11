// SPDX-License-Identifier: Apache-2.0
#include "score/ranking.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "score/leads.h"

namespace assay {
namespace {

std::optional<double> ScoreFor(const Scorecard& card, RowsCounted rows) {
  return rows == RowsCounted::kAll ? card.overall : card.without_authored.score;
}

std::span<const float> DrawsFor(std::span<const CellDraws> draws, std::size_t card,
                                RowsCounted rows) {
  if (draws.empty()) {
    return {};
  }
  return rows == RowsCounted::kAll ? draws[card].overall : draws[card].without_authored;
}

/// Ranks of sorted scores: 1, 1, 3; none without a score.
void SetRanks(std::span<const Contender> contenders, std::vector<RankedPlace>& placements) {
  for (std::size_t i = 0; i < placements.size(); ++i) {
    const auto& score = contenders[placements[i].index].score;
    if (!score.has_value()) {
      return;
    }
    placements[i].rank = i > 0 && score == contenders[placements[i - 1].index].score
                             ? placements[i - 1].rank
                             : static_cast<int>(i) + 1;
  }
}

/// `placements` are those that have a rank, best first.
void SetIntervals(std::span<const Contender> contenders, std::span<RankedPlace> placements) {
  std::vector<Contender> ranked;
  ranked.reserve(placements.size());
  for (RankedPlace& placement : placements) {
    placement.interval = {.best = 1, .worst = static_cast<int>(placements.size())};
    ranked.push_back(contenders[placement.index]);
  }
  const Leads leads(ranked);
  for (std::size_t i = 0; i < placements.size(); ++i) {
    for (std::size_t j = i + 1; j < placements.size(); ++j) {
      if (leads.IsSure(i, j)) {
        --placements[i].interval->worst;
        ++placements[j].interval->best;
      }
    }
  }
}

/// A rank that is not sure has no medal.
Medal MedalOf(const RankInterval& interval) {
  if (interval.best != interval.worst) {
    return Medal::kNone;
  }
  switch (interval.best) {
    case 1:
      return Medal::kGold;
    case 2:
      return Medal::kSilver;
    case 3:
      return Medal::kBronze;
    default:
      return Medal::kNone;
  }
}

/// A model's cells of the challenges that count, as their scores are summed up.
struct Sum {
  long long tenths = 0;
  ScoreDraws draws;
  std::size_t scored = 0;  ///< Cells.
};

void AddDraws(std::span<const float> draws, double score, ScoreDraws& sums) {
  if (sums.empty()) {
    sums.resize(kDraws);
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    sums[i] += draws.empty() ? static_cast<float>(score) : draws[i];
  }
}

/// The mean over `challenges`, those in which anybody has a score. None, and `provisional`, where
/// the model's cell in one of them has no score: the mean of the others could be above what it
/// would be.
void SetAverage(const std::set<std::string>& challenges, Sum sum, ModelStanding& standing) {
  const auto entered = static_cast<std::size_t>(std::ranges::count_if(
      standing.cells, [&](const auto& cell) { return challenges.contains(cell.first); }));
  if (sum.scored == 0 || sum.scored < entered) {
    standing.provisional = true;
    return;
  }
  for (float& draw : sum.draws) {
    draw /= static_cast<float>(challenges.size());
  }
  standing.average = MeanOfTenths(sum.tenths, challenges.size());
  standing.uncertainty = RoundedToTenths(HalfWidth(sum.draws));
  standing.draws = std::move(sum.draws);
}

/// Sorts best first and gives ranks and medals.
std::vector<ModelStanding> Ranked(std::vector<ModelStanding> standings,
                                  const std::set<std::string>& challenges) {
  std::vector<Contender> contenders;
  contenders.reserve(standings.size());
  for (const ModelStanding& standing : standings) {
    contenders.push_back(
        {.id = standing.model, .score = standing.average, .draws = standing.draws});
  }
  std::vector<ModelStanding> ranked;
  for (const RankedPlace& placement : Rank(contenders)) {
    ModelStanding& standing = ranked.emplace_back(std::move(standings[placement.index]));
    standing.rank = placement.rank;
    standing.interval = placement.interval;
    const bool entered_all = std::ranges::all_of(
        challenges, [&](const std::string& id) { return standing.cells.contains(id); });
    standing.medal = entered_all ? placement.medal : Medal::kNone;
  }
  return ranked;
}

}  // namespace

bool IsSurelyBetter(const Contender& a, const Contender& b) {
  const double lead = *a.score - *b.score;
  return lead > 0 && lead > HalfWidthOfDifference(a.draws, b.draws);
}

std::vector<RankedPlace> Rank(std::span<const Contender> contenders) {
  std::vector<RankedPlace> placements(contenders.size());
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    placements[i].index = i;
  }
  std::ranges::sort(placements, {}, [&](const RankedPlace& placement) {
    const Contender& contender = contenders[placement.index];
    return std::tuple(!contender.score.has_value(), -contender.score.value_or(0), contender.id);
  });
  SetRanks(contenders, placements);
  const auto ranked = std::ranges::count_if(
      placements, [](const RankedPlace& placement) { return placement.rank.has_value(); });
  SetIntervals(contenders, std::span(placements).first(static_cast<std::size_t>(ranked)));
  for (RankedPlace& placement : placements) {
    placement.medal = placement.interval ? MedalOf(*placement.interval) : Medal::kNone;
  }
  return placements;
}

std::vector<RankedPlace> RankChallenge(std::span<const Scorecard> cards,
                                       std::span<const CellDraws> draws, RowsCounted rows) {
  std::vector<Contender> contenders;
  contenders.reserve(cards.size());
  for (std::size_t i = 0; i < cards.size(); ++i) {
    contenders.push_back({.id = cards[i].model,
                          .score = ScoreFor(cards[i], rows),
                          .draws = DrawsFor(draws, i, rows)});
  }
  return Rank(contenders);
}

std::vector<ModelStanding> RankModels(std::span<const Scorecard> cards,
                                      std::span<const CellDraws> draws, RowsCounted rows,
                                      const std::set<std::string>& lacking) {
  std::map<std::string, ModelStanding> by_model;
  std::map<std::string, Sum> sums;
  std::set<std::string> challenges;
  for (std::size_t i = 0; i < cards.size(); ++i) {
    const Scorecard& card = cards[i];
    ModelStanding& standing = by_model[card.model];
    standing.model = card.model;
    standing.model_name = card.model_name;
    standing.reconstruction = card.reconstruction;
    standing.cells[card.challenge] = &card;
    if (const auto score = ScoreFor(card, rows)) {
      challenges.insert(card.challenge);
      Sum& sum = sums[card.model];
      sum.tenths += TenthsOf(*score);
      ++sum.scored;
      AddDraws(DrawsFor(draws, i, rows), *score, sum.draws);
    }
  }
  std::vector<ModelStanding> standings;
  standings.reserve(by_model.size());
  for (auto& [model, standing] : by_model) {
    if (lacking.contains(model)) {
      standing.provisional = true;
    } else {
      SetAverage(challenges, std::move(sums[model]), standing);
    }
    standings.push_back(std::move(standing));
  }
  return Ranked(std::move(standings), challenges);
}

}  // namespace assay
