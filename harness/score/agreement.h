// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SCORE_AGREEMENT_H_
#define ASSAY_SCORE_AGREEMENT_H_

#include <optional>
#include <vector>

namespace assay {

/// How far apart two values are, for Krippendorff's alpha.
enum class Difference {
  kNominal,   ///< The same, or not.
  kOrdinal,   ///< By how many values lie between them in the data: the scale has an order alone.
  kInterval,  ///< By their difference.
};

/// Krippendorff's alpha: 1 where all who judged a unit agree, 0 where they agree as chance would,
/// below 0 where they agree less. `units` holds for each unit the values that it was given, in any
/// order; units with fewer than two say nothing of agreement and are left out.
///
///   alpha = 1 - Do / De
///   Do = 1/n          * sum over units u of m_u values: 1/(m_u - 1) * sum over pairs i != j of
///   d(i, j) De = 1/(n(n - 1)) * sum over all pairs i != j of the n values: d(i, j)
///
/// with d the squared difference; for ordinal data (sum of n_g from g = c to k, less
/// (n_c + n_k) / 2)^2, n_g being how often the value g was given. From K. Krippendorff, "Computing
/// Krippendorff's Alpha-Reliability" (2011), and "Content Analysis" (2004), chapter 11.
///
/// Nothing where no unit has two values, or all values are the same: data without variation cannot
/// show that those who judge tell things apart.
[[nodiscard]] std::optional<double> KrippendorffAlpha(const std::vector<std::vector<double>>& units,
                                                      Difference difference);

/// How much a disagreement counts in Cohen's kappa.
enum class KappaWeights {
  kNone,    ///< Each the same: categories have no order.
  kLinear,  ///< By how many categories lie between the two.
};

/// Cohen's kappa of two judges: 1 where they always agree, 0 where as often as chance would have
/// them, below 0 where less. `table[i][j]` counts the things that the first put into category i and
/// the second into j; it is square, its numbers are not negative, and with linear weights its
/// categories are in order.
///
///   kappa = 1 - sum over i, j of w(i, j) * table[i][j] / n
///             / sum over i, j of w(i, j) * row i * column j / n^2
///
/// with w = 0 on the diagonal and elsewhere 1, or |i - j|. From J. Cohen, "A coefficient of
/// agreement for nominal scales" (1960), and "Weighted kappa" (1968).
///
/// Nothing where the table is empty or both judges know one category alone: chance agrees always.
[[nodiscard]] std::optional<double> CohenKappa(const std::vector<std::vector<double>>& table,
                                               KappaWeights weights);

/// The middle one, or the mean of the two in the middle. `values` holds at least one.
[[nodiscard]] double MedianOf(std::vector<double> values);

}  // namespace assay

#endif  // ASSAY_SCORE_AGREEMENT_H_
