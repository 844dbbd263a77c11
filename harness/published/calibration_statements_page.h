// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_PUBLISHED_CALIBRATION_STATEMENTS_PAGE_H_
#define ASSAY_PUBLISHED_CALIBRATION_STATEMENTS_PAGE_H_

#include "published/study.h"
#include "report/board.h"
#include "report/markdown.h"

namespace assay {

/// The part of calibration.md that is about words: patterns, the hybrid, strengths and weaknesses,
/// each sentence with what is measured of it. Each table where the study has one. Pure.
[[nodiscard]] Markdown CalibrationStatements(const PublishedStudy& study, const Board& board);

}  // namespace assay

#endif  // ASSAY_PUBLISHED_CALIBRATION_STATEMENTS_PAGE_H_
