// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GRADE_SUITE_PROCESSES_H_
#define ASSAY_GRADE_SUITE_PROCESSES_H_

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "evidence/json.h"
#include "grade/progress.h"
#include "grade/run_suite.h"

/// A suite makes one call at a time, and while it does, either the host works or the suite, which
/// reckons what is right: one processor is busy and the others wait. So half of the cases run in a
/// second process of the suite at the same time, with hosts of its own, and each has half of the
/// processors: of two, one each, on which its suite, hosts and emulated GPU work in turn, so that
/// no call takes longer for what the other process does. A suite that is mostly launches of an
/// emulated GPU, which would else have all processors, stays in one process.
///
/// Which cases run where is fixed, and no matter of time: hosts live from case to case, so a case
/// whose predecessors changed from run to run could end in another way each time. For the same
/// reason the two run one after the other, and not as one, where there is one processor.
namespace assay {

/// Runs the cases of `second_process` (ChallengeSpec) in a process of their own beside the others,
/// and joins what both say. Without any it is RunSuite. `run.arguments` choose no cases. Errors as
/// of RunSuite, of two the first process's; and of kind kJudge where one of `second_process` names
/// no case.
[[nodiscard]] Result<RunResults> RunSuiteInProcesses(const SuiteRun& run,
                                                     const std::vector<std::string>& second_process,
                                                     const std::filesystem::path& scratch,
                                                     ProgressSink& progress);

/// What two runs of other cases of one suite say together: cases in the order of their places, of
/// which each run has as many as cases, and none that the other has; metrics by their rules, where
/// `last` is that of the first; curves of both in the order of x, with the larger y of an x;
/// whatever is kept without repetitions, without.
[[nodiscard]] RunResults Joined(RunResults first, RunResults second);

}  // namespace assay

#endif  // ASSAY_GRADE_SUITE_PROCESSES_H_
