// SPDX-License-Identifier: Apache-2.0
#include "score/weighing.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

}  // namespace

Weighing::Weighing(const Rubric& rubric) : rows_(rubric.dimensions.size()) {
  for (std::size_t row = 0; row < rubric.criteria.size(); ++row) {
    const Criterion& criterion = rubric.criteria[row];
    const auto dimension =
        std::ranges::find(rubric.dimensions, criterion.dimension, &assay::Dimension::id);
    if (dimension != rubric.dimensions.end()) {
      rows_[static_cast<std::size_t>(dimension - rubric.dimensions.begin())].push_back(row);
    }
    all_.criteria.push_back(criterion.weight);
    without_authored_.criteria.push_back(IsAuthored(criterion.kind) ? 0 : criterion.weight);
  }
  for (const assay::Dimension& dimension : rubric.dimensions) {
    all_.dimensions.push_back(dimension.weight);
  }
  without_authored_.dimensions = all_.dimensions;
}

double Weighing::Dimension(std::size_t dimension, const Weights& weights,
                           std::span<const double> scores) const {
  double sum = 0;
  double weight = 0;
  for (const std::size_t row : rows_[dimension]) {
    if (!std::isnan(scores[row])) {
      sum += weights.criteria[row] * scores[row];
      weight += weights.criteria[row];
    }
  }
  return weight > 0 ? sum / weight : kNone;
}

double Weighing::Overall(const Weights& weights, std::span<const double> scores,
                         double penalty) const {
  double sum = 0;
  double weight = 0;
  for (std::size_t dimension = 0; dimension < rows_.size(); ++dimension) {
    const double mean = Dimension(dimension, weights, scores);
    if (!std::isnan(mean)) {
      sum += weights.dimensions[dimension] * mean;
      weight += weights.dimensions[dimension];
    }
  }
  return weight > 0 ? std::max(0.0, sum / weight - penalty) : kNone;
}

std::vector<double> RowScores(const Scorecard& card) {
  std::vector<double> scores;
  scores.reserve(card.criteria.size());
  for (const CriterionScore& row : card.criteria) {
    scores.push_back(row.score.value_or(kNone));
  }
  return scores;
}

double RoundedToTenths(double score) { return std::round(score * 10) / 10; }

long long TenthsOf(double score) { return std::llround(score * 10); }

double MeanOfTenths(long long tenths, std::size_t count) {
  return std::round(static_cast<double>(tenths) / static_cast<double>(count)) / 10;
}

}  // namespace assay
