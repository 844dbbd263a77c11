// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_PR_CELL_TABLE_H_
#define ASSAY_PR_CELL_TABLE_H_

#include "pr/assess.h"
#include "pr/cell_part.h"
#include "report/markdown.h"

namespace assay {

/// One row a cell, the first of them open, as many as fit into half of the page.
[[nodiscard]] Markdown CellTable(const Assessment& assessment, const PageBounds& bounds);

/// `Against the base: 2 no longer accepted, 1 newly accepted, 3 new, 1 removed.`, of several cells.
/// Nothing of one.
[[nodiscard]] Markdown WhatChanged(const Assessment& assessment);

}  // namespace assay

#endif  // ASSAY_PR_CELL_TABLE_H_
