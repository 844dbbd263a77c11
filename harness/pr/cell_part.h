// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_PR_CELL_PART_H_
#define ASSAY_PR_CELL_PART_H_

#include <cstddef>
#include <string>
#include <vector>

#include "pr/assess.h"
#include "report/markdown.h"

namespace assay {

/// How much of each thing one page shows.
struct PageBounds {
  std::size_t page_bytes;
  std::size_t names;  ///< Of cases, files, paths.
  std::size_t findings;
  std::size_t rows;        ///< Of a rubric that moved.
  std::size_t open_cells;  ///< Rows of the table of cells that are not folded.
  std::size_t text_bytes;  ///< Of a compiler's output or a case's detail.
};

/// `a`, `b` and 3 more.
[[nodiscard]] Markdown Names(const std::vector<std::string>& names, std::size_t most);
/// `1 row`, `2 rows`.
[[nodiscard]] Markdown Counted(std::size_t count, const Markdown& one, const Markdown& several);
[[nodiscard]] Markdown CellName(const AssessedCell& assessed);

/// What a page says of one cell: its faults, its first failing case with the command that
/// reproduces it, what the compiler said, what moved against the base.
[[nodiscard]] Markdown CellPart(const AssessedCell& assessed, const PageBounds& bounds);

}  // namespace assay

#endif  // ASSAY_PR_CELL_PART_H_
