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

/// The middle one, or the mean of the two in the middle. `values` holds at least one.
[[nodiscard]] double MedianOf(std::vector<double> values);

}  // namespace assay

#endif  // ASSAY_SCORE_AGREEMENT_H_
