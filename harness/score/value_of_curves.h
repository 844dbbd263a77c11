// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SCORE_VALUE_OF_CURVES_H_
#define ASSAY_SCORE_VALUE_OF_CURVES_H_

#include <string>
#include <vector>

#include "score/value.h"

namespace assay {

/// What an error counts as at least and at most: below the one lies no rounding of a double, beyond
/// the other nothing of the answer is left.
inline constexpr double kLeastError = 1e-17;
inline constexpr double kWorstError = 1;

/// The value of `curve(name, points)`: the mean over the points of log10 of the error, each within
/// [kLeastError, kWorstError]; NaN and what is below 0 count as the worst, as does each point that
/// is missing of so many: else who fails where it is hard would have the better curve.
[[nodiscard]] CriterionValue ValueOfCurve(const std::vector<std::string>& arguments,
                                          const SuiteEvidence& suite);

}  // namespace assay

#endif  // ASSAY_SCORE_VALUE_OF_CURVES_H_
