// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_PUBLISHED_CALIBRATION_TEXT_H_
#define ASSAY_PUBLISHED_CALIBRATION_TEXT_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "published/study.h"
#include "report/board.h"

namespace assay {

/// What the figures of calibration.md come from, as plain text for a terminal: every row with both
/// edges and the counts that kappa is made of, then every pair of scores that the correlations are
/// of, then the means of factors and of the hybrid. With `row` the rows of that name (or that is
/// part of it, whatever its case), with the values behind them and the commands that lead on; none
/// is an error of kind kConfiguration.
[[nodiscard]] Result<std::string> ExplainCalibration(const std::vector<PublishedStudy>& studies,
                                                     const Board& board,
                                                     std::optional<std::string_view> row);

}  // namespace assay

#endif  // ASSAY_PUBLISHED_CALIBRATION_TEXT_H_
