// SPDX-License-Identifier: Apache-2.0
#include "score/agreement.h"

#include <algorithm>
#include <cstddef>
#include <map>

namespace assay {
namespace {

/// How often each value was given.
using Frequencies = std::map<double, double>;

/// As the ordinal difference counts: the values from `a` to `b`, those two half.
double RanksBetween(double a, double b, const Frequencies& given) {
  const auto [low, high] = std::minmax(a, b);
  double ranks = 0;
  for (auto one = given.find(low); one != given.end() && one->first <= high; ++one) {
    const bool is_an_end = one->first == low || one->first == high;
    ranks += is_an_end ? one->second / 2 : one->second;
  }
  return a == b ? 0 : ranks;
}

double SquaredDifference(double a, double b, Difference difference, const Frequencies& given) {
  double apart = 0;
  switch (difference) {
    case Difference::kNominal:
      apart = a == b ? 0 : 1;
      break;
    case Difference::kOrdinal:
      apart = RanksBetween(a, b, given);
      break;
    case Difference::kInterval:
      apart = a - b;
      break;
  }
  return apart * apart;
}

}  // namespace

std::optional<double> KrippendorffAlpha(const std::vector<std::vector<double>>& units,
                                        Difference difference) {
  Frequencies given;
  double values = 0;
  for (const std::vector<double>& unit : units) {
    for (const double value : unit) {
      given[value] += unit.size() < 2 ? 0 : 1;
      values += unit.size() < 2 ? 0 : 1;
    }
  }
  double observed = 0;
  for (const std::vector<double>& unit : units) {
    // A value is no different from itself, so that pairs i = j add nothing.
    for (const double a : unit) {
      for (const double b : unit) {
        observed += unit.size() < 2 ? 0
                                    : SquaredDifference(a, b, difference, given) /
                                          static_cast<double>(unit.size() - 1);
      }
    }
  }
  double expected = 0;
  for (const auto& [a, times_a] : given) {
    for (const auto& [b, times_b] : given) {
      expected += times_a * times_b * SquaredDifference(a, b, difference, given);
    }
  }
  if (expected <= 0) {
    return std::nullopt;
  }
  return 1 - observed * (values - 1) / expected;
}

std::optional<double> CohenKappa(const std::vector<std::vector<double>>& table,
                                 KappaWeights weights) {
  const std::size_t categories = table.size();
  std::vector<double> rows(categories);
  std::vector<double> columns(categories);
  double all = 0;
  for (std::size_t i = 0; i < categories; ++i) {
    for (std::size_t j = 0; j < categories; ++j) {
      rows[i] += table[i][j];
      columns[j] += table[i][j];
      all += table[i][j];
    }
  }
  double observed = 0;
  double expected = 0;
  for (std::size_t i = 0; i < categories; ++i) {
    for (std::size_t j = 0; j < categories; ++j) {
      const auto steps = static_cast<double>(std::max(i, j) - std::min(i, j));
      const double weight = weights == KappaWeights::kLinear ? steps : std::min(steps, 1.0);
      observed += weight * table[i][j];
      expected += weight * rows[i] * columns[j];
    }
  }
  if (expected <= 0) {
    return std::nullopt;
  }
  return 1 - observed * all / expected;
}

double MedianOf(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace assay
