// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SCORE_CORRELATION_H_
#define ASSAY_SCORE_CORRELATION_H_

#include <optional>
#include <span>

namespace assay {

/// One thing with two numbers.
struct PairOfScores {
  double first = 0;
  double second = 0;
};

/// How far two series go together, from -1 to 1. Numbers are finite; each function is nothing where
/// there are fewer than two pairs, or one of the series does not vary.

/// Pearson's r: the covariance over the product of both standard deviations.
[[nodiscard]] std::optional<double> PearsonR(std::span<const PairOfScores> pairs);

/// Spearman's rho: PearsonR of the ranks; equal numbers have the mean of their ranks.
[[nodiscard]] std::optional<double> SpearmanRho(std::span<const PairOfScores> pairs);

/// Kendall's tau b: (C - D) / sqrt((C + D + T1) (C + D + T2)), where of all pairs of things C are
/// in the same order in both series, D in opposite orders, T1 equal in the first alone and T2 in
/// the second alone. M. G. Kendall, "The treatment of ties in ranking problems" (1945).
[[nodiscard]] std::optional<double> KendallTauB(std::span<const PairOfScores> pairs);

}  // namespace assay

#endif  // ASSAY_SCORE_CORRELATION_H_
