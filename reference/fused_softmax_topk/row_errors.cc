// SPDX-License-Identifier: Apache-2.0
#include "row_errors.h"

#include <cmath>
#include <cstdio>
#include <limits>

namespace assay::softmax_topk {
namespace {

constexpr long double kLeastCompared = 0x1p-100L;

}  // namespace

RowFit FitRow(std::span<const float> got, std::span<const long double> want,
              std::span<const double> own_errors) {
  RowFit fit{.least = 0, .most = std::numeric_limits<double>::infinity()};
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (!(want[i] >= kLeastCompared)) {  // Nor NaN.
      continue;
    }
    const auto factor = static_cast<double>(static_cast<long double>(got[i]) / want[i]);
    if (std::isnan(factor)) {  // Where a number is wanted it fits nothing.
      return {.least = factor, .most = factor, .least_at = i, .most_at = i};
    }
    const double within = 1 - own_errors[i];
    if (factor * within > fit.least) {
      fit.least = factor * within;
      fit.least_at = i;
    }
    if (factor / within < fit.most) {
      fit.most = factor / within;
      fit.most_at = i;
    }
  }
  return fit;
}

std::string Describe(const RowFit& fit) {
  char text[160];
  std::snprintf(
      text, sizeof text,
      "probability [%zu] is off by a factor of %.7f or more, [%zu] of %.7f or less: no one "
      "sum explains both",
      fit.least_at, fit.least, fit.most_at, fit.most);
  return text;
}

void RowErrors::Add(float got, long double want, DrawnError allowed) {
  if (std::isnan(want)) {
    return;
  }
  const auto error = static_cast<double>(static_cast<long double>(got) / want - 1);
  rows_ += 1;
  squares_ += error * error;
  squares_of_steady_ += allowed.steady * allowed.steady;
  squares_of_varied_ += allowed.varied * allowed.varied;
}

double RowErrors::Rms() const { return std::sqrt(squares_ / rows_); }

double RowErrors::Bound() const {
  return std::sqrt(squares_of_steady_ / rows_) +
         std::sqrt(squares_of_varied_ / rows_) * (1 + 8 / std::sqrt(rows_));
}

std::string Describe(const RowErrors& errors) {
  char text[120];
  std::snprintf(text, sizeof text,
                "the errors of rows' sums are %.3g (RMS, relative); of float sums they are %.3g at "
                "most",
                errors.Rms(), errors.Bound());
  return text;
}

}  // namespace assay::softmax_topk
