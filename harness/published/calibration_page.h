// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_PUBLISHED_CALIBRATION_PAGE_H_
#define ASSAY_PUBLISHED_CALIBRATION_PAGE_H_

#include <string_view>
#include <vector>

#include "published/study.h"
#include "report/board.h"
#include "report/markdown.h"

namespace assay {

/// `calibration.md`, relative to `reports/`.
inline constexpr std::string_view kCalibrationPage = "calibration.md";

/// The published tables with what is measured beside them, how far the two agree, and why not.
/// Pure.
[[nodiscard]] Markdown CalibrationPage(const std::vector<PublishedStudy>& studies,
                                       const Board& board);

}  // namespace assay

#endif  // ASSAY_PUBLISHED_CALIBRATION_PAGE_H_
