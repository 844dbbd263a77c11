// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_PR_CELLS_H_
#define ASSAY_CLI_PR_CELLS_H_

#include <vector>

#include "cli/commands.h"
#include "cli/pr_roots.h"
#include "evidence/evidence.h"
#include "pr/change.h"

namespace assay {

/// A change before it is graded.
struct FoundChange {
  Change change;
  std::vector<Evidence> before;  ///< All that the base has and that can be read.
};

/// Which cells `git` touches, and how. A cell is graded where what it hands in differs from the
/// base's (a README is no part of that), where its files are at fault now, or where what judges it
/// differs and its challenge's files (suite, oracle, baseline) are among that. Where only the
/// harness differs for it, it is graded with the change's judge, and named with the base's.
///
/// Takes evidence of the base that cannot be read, and of all these cells, out of `roots.graded`:
/// what is there of them after grading came of the change.
[[nodiscard]] Result<FoundChange> FindCells(const GitChange& git, const PrRoots& roots,
                                            const PrOptions& options, const GradeServices& services,
                                            const Installation& installation);

/// The cells of `change` that can be graded, as `grade` takes them.
[[nodiscard]] std::vector<std::string> CellsToGrade(const Change& change);

}  // namespace assay

#endif  // ASSAY_CLI_PR_CELLS_H_
