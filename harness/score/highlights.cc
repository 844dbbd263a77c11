// SPDX-License-Identifier: Apache-2.0
#include "score/highlights.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

namespace assay {
namespace {

/// Criteria have the order of the rubric in every card.
const CriterionScore& RowOf(const Scorecard& card, std::size_t criterion) {
  return card.criteria[criterion];
}

/// Criteria of a rubric lie in its order.
template <class Row>
void SortByPoints(std::vector<Row>& rows) {
  std::erase_if(rows, [](const Row& row) { return row.points < kLeastHighlight_points; });
  std::ranges::sort(rows, {}, [](const Row& row) { return std::pair(-row.points, row.criterion); });
}

std::optional<SeparatingRow> SeparationIn(const Criterion& criterion, std::size_t index,
                                          std::span<const Scorecard> cards) {
  SeparatingRow found{.criterion = &criterion};
  double share = 0;
  int scored = 0;
  for (std::size_t i = 0; i < cards.size(); ++i) {
    const CriterionScore& row = RowOf(cards[i], index);
    if (!row.score) {
      continue;
    }
    if (scored == 0) {
      found.best = found.worst = i;
    }
    if (*row.score > *RowOf(cards[found.best], index).score) {
      found.best = i;
    }
    if (*row.score < *RowOf(cards[found.worst], index).score) {
      found.worst = i;
    }
    share += row.share;
    ++scored;
  }
  if (scored < 2) {
    return std::nullopt;
  }
  found.points = share / scored *
                 (*RowOf(cards[found.best], index).score - *RowOf(cards[found.worst], index).score);
  return found;
}

/// The row of the dimension by which `best` is furthest ahead of any other.
const Criterion* ReasonFor(const ChallengeView& challenge, std::string_view dimension,
                           std::span<const Scorecard> cards, std::size_t best) {
  const Criterion* because = nullptr;
  double most = 0;
  const std::vector<Criterion>& criteria = challenge.rubric.criteria;
  for (std::size_t i = 0; i < criteria.size(); ++i) {
    const CriterionScore& own = RowOf(cards[best], i);
    if (criteria[i].dimension != dimension || !own.score) {
      continue;
    }
    for (const Scorecard& other : cards) {
      const std::optional<double> score = RowOf(other, i).score;
      const double lead = score ? own.share * (*own.score - *score) : 0;
      if (lead > most) {
        most = lead;
        because = &criteria[i];
      }
    }
  }
  return because;
}

bool IsAsGood(const DimensionScore& other, const DimensionScore& best) {
  return other.score && *best.score - *other.score <=
                            std::hypot(best.uncertainty.value_or(0), other.uncertainty.value_or(0));
}

}  // namespace

std::vector<Highlight> Weaknesses(const ChallengeView& challenge, const Scorecard& card) {
  std::vector<Highlight> rows;
  const std::vector<Criterion>& criteria = challenge.rubric.criteria;
  for (std::size_t i = 0; i < criteria.size(); ++i) {
    const CriterionScore& row = RowOf(card, i);
    rows.push_back({.criterion = &criteria[i], .row = &row, .points = row.points_lost});
  }
  SortByPoints(rows);
  return rows;
}

RowTotals::RowTotals(std::span<const Scorecard> cards) : cards_(cards.size()) {
  for (const Scorecard& card : cards) {
    rows_.resize(card.criteria.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (const std::optional<double> score = RowOf(card, i).score) {
        rows_[i].score += *score;
        ++rows_[i].scored;
      }
    }
  }
}

std::optional<double> RowTotals::MeanOfOthers(const Scorecard& card, std::size_t criterion) const {
  const std::optional<double> own = RowOf(card, criterion).score;
  const Total& total = rows_[criterion];
  const int others = total.scored - (own ? 1 : 0);
  return others == 0 ? std::nullopt
                     : std::optional(static_cast<double>(total.score - own.value_or(0)) / others);
}

std::vector<Highlight> Strengths(const ChallengeView& challenge, const Scorecard& card,
                                 const RowTotals& totals) {
  std::vector<Highlight> rows;
  const std::vector<Criterion>& criteria = challenge.rubric.criteria;
  for (std::size_t i = 0; i < criteria.size(); ++i) {
    const CriterionScore& row = RowOf(card, i);
    const std::optional<double> others = totals.IsAlone() ? 0 : totals.MeanOfOthers(card, i);
    if (row.score.value_or(0) >= kLeastStrength && others) {
      rows.push_back(
          {.criterion = &criteria[i], .row = &row, .points = row.share * (*row.score - *others)});
    }
  }
  SortByPoints(rows);
  return rows;
}

std::vector<SeparatingRow> SeparatingRows(const ChallengeView& challenge,
                                          std::span<const Scorecard> cards) {
  std::vector<SeparatingRow> rows;
  const std::vector<Criterion>& criteria = challenge.rubric.criteria;
  for (std::size_t i = 0; i < criteria.size(); ++i) {
    if (const auto row = SeparationIn(criteria[i], i, cards)) {
      rows.push_back(*row);
    }
  }
  SortByPoints(rows);
  return rows;
}

std::vector<BestInDimension> BestOfEach(const ChallengeView& challenge,
                                        std::span<const Scorecard> cards) {
  std::vector<BestInDimension> all;
  for (std::size_t d = 0; d < challenge.rubric.dimensions.size(); ++d) {
    const auto score = [&](const Scorecard& card) { return card.dimensions[d].score.value_or(-1); };
    const auto best = std::ranges::max_element(cards, {}, score);
    if (best == cards.end() || !best->dimensions[d].score) {
      continue;
    }
    BestInDimension one{.dimension = &challenge.rubric.dimensions[d],
                        .best = static_cast<std::size_t>(best - cards.begin()),
                        .as_good = {},
                        .because = nullptr};
    for (std::size_t i = 0; i < cards.size(); ++i) {
      if (i != one.best && IsAsGood(cards[i].dimensions[d], best->dimensions[d])) {
        one.as_good.push_back(i);
      }
    }
    one.because = ReasonFor(challenge, one.dimension->id, cards, one.best);
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace assay
