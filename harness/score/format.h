// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SCORE_FORMAT_H_
#define ASSAY_SCORE_FORMAT_H_

#include <optional>
#include <string>

#include "score/ranking.h"
#include "score/value.h"

namespace assay {

/// A number in a rubric's format: `93.3 %`, `12`, `1.25x`, `5.04e-11`, `18.9 MB`, `0.25 s`. Not
/// escaped and independent of locale.
[[nodiscard]] std::string FormatNumber(ValueFormat format, double value);

/// A number of a criterion with its unit, in the unit's form: `12 files`, `1 file`; `1 of 2
/// passes`; `as handed in`, `not as handed in`.
[[nodiscard]] std::string FormatWithUnit(const Criterion& criterion, double value);

/// A value as a table shows it: number, unit and note or interval; `—` when not measured, or
/// `not implemented`; `failed` when failed. Holds hostile text.
[[nodiscard]] std::string FormatValue(const Criterion& criterion, const CriterionValue& value);

/// `88.4`, or `—` for none.
[[nodiscard]] std::string FormatScore(std::optional<double> score);

/// `88.4 ± 1.2`; `88.4` where the score is exact to a tenth.
[[nodiscard]] std::string FormatScore(std::optional<double> score,
                                      std::optional<double> uncertainty);

/// `1`, or `1-3`.
[[nodiscard]] std::string FormatRanks(const RankInterval& ranks);

}  // namespace assay

#endif  // ASSAY_SCORE_FORMAT_H_
