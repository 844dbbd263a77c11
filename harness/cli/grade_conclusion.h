// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_GRADE_CONCLUSION_H_
#define ASSAY_CLI_GRADE_CONCLUSION_H_

#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/command_line.h"
#include "cli/console.h"
#include "cli/grade_preparation.h"
#include "exec/executor.h"

namespace assay {

/// Why cells that were graded are not accepted.
using Reasons = std::map<CellId, std::string>;

/// The errors of a run: what stopped it, or the cells that failed by our fault.
[[nodiscard]] Errors ErrorsOf(const RunSummary& summary);

/// Of a run after which no reports are rendered, since it was interrupted or `errors` stand in the
/// way: says in `reports/CHANGES.md` what published numbers changed since `before`, which the next
/// run could no longer tell, and prints the evidence written and `errors`. Exit code of the run.
[[nodiscard]] int ConcludeWithoutReports(const Preparation& ready,
                                         const std::vector<Evidence>& before,
                                         const RunSummary& summary, const Reasons& reasons,
                                         Errors errors, OutputFormat format, Console& console);

/// Says in `reports/CHANGES.md` what published numbers changed since `before`, renders all reports
/// and prints the scoreboard, the files written and what went wrong. Exit code of the run.
[[nodiscard]] int Conclude(const Preparation& ready, const std::vector<Evidence>& before,
                           const RunSummary& summary, const Reasons& reasons, OutputFormat format,
                           Console& console);

/// The same where evidence went to --out: reports are of a repository, and wait for `assay merge`.
[[nodiscard]] int ConcludeOut(const Preparation& ready, const RunSummary& summary,
                              const Reasons& reasons, const GradeOptions& options,
                              Console& console);

}  // namespace assay

#endif  // ASSAY_CLI_GRADE_CONCLUSION_H_
