// SPDX-License-Identifier: Apache-2.0
#include "score/correlation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace assay {
namespace {

double Mean(std::span<const PairOfScores> pairs, double PairOfScores::* side) {
  double sum = 0;
  for (const PairOfScores& pair : pairs) {
    sum += pair.*side;
  }
  return sum / static_cast<double>(pairs.size());
}

/// Puts mid-ranks in the place of numbers.
void Rank(std::vector<PairOfScores>& pairs, double PairOfScores::* side) {
  std::vector<double> sorted;
  sorted.reserve(pairs.size());
  for (const PairOfScores& pair : pairs) {
    sorted.push_back(pair.*side);
  }
  std::ranges::sort(sorted);
  for (PairOfScores& pair : pairs) {
    const auto equal = std::ranges::equal_range(sorted, pair.*side);
    const auto below = static_cast<double>(equal.begin() - sorted.begin());
    pair.*side = below + (static_cast<double>(equal.size()) + 1) / 2;
  }
}

int Order(double from, double to) { return (from < to ? 1 : 0) - (to < from ? 1 : 0); }

}  // namespace

std::optional<double> PearsonR(std::span<const PairOfScores> pairs) {
  if (pairs.size() < 2) {
    return std::nullopt;
  }
  const double first_mean = Mean(pairs, &PairOfScores::first);
  const double second_mean = Mean(pairs, &PairOfScores::second);
  double products = 0;
  double first_squares = 0;
  double second_squares = 0;
  for (const PairOfScores& pair : pairs) {
    const double first = pair.first - first_mean;
    const double second = pair.second - second_mean;
    products += first * second;
    first_squares += first * first;
    second_squares += second * second;
  }
  if (first_squares <= 0 || second_squares <= 0) {
    return std::nullopt;
  }
  return products / std::sqrt(first_squares * second_squares);
}

std::optional<double> SpearmanRho(std::span<const PairOfScores> pairs) {
  std::vector<PairOfScores> ranks(pairs.begin(), pairs.end());
  Rank(ranks, &PairOfScores::first);
  Rank(ranks, &PairOfScores::second);
  return PearsonR(ranks);
}

std::optional<double> KendallTauB(std::span<const PairOfScores> pairs) {
  double balance = 0;
  double first_ordered = 0;
  double second_ordered = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    for (std::size_t j = i + 1; j < pairs.size(); ++j) {
      const int first = Order(pairs[i].first, pairs[j].first);
      const int second = Order(pairs[i].second, pairs[j].second);
      balance += first * second;
      first_ordered += std::abs(first);
      second_ordered += std::abs(second);
    }
  }
  if (first_ordered <= 0 || second_ordered <= 0) {
    return std::nullopt;
  }
  return balance / std::sqrt(first_ordered * second_ordered);
}

}  // namespace assay
