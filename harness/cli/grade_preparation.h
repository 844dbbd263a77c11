// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_GRADE_PREPARATION_H_
#define ASSAY_CLI_GRADE_PREPARATION_H_

#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/error.h"
#include "cli/commands.h"
#include "exec/executor.h"
#include "sandbox/level.h"
#include "spec/repository.h"

namespace assay {

/// All that a run of `grade` has found out before it grades.
struct Preparation {
  Workplace place;
  std::filesystem::path out;  ///< Below it evidence is written: the repository, or --out.
  Repository repository;
  SandboxLevel level = SandboxLevel::kFull;
  std::uint64_t seed = 0;
  std::vector<PlannedCell> plan;
  Obstacle obstacle = Obstacle::kNothing;  ///< What keeps the sandbox from level full.
};

/// Chooses and plans the cells, and makes sure that they can be graded. `out` is where their
/// evidence goes.
[[nodiscard]] Checked<Preparation> Prepare(const GradeOptions& options,
                                           const GradeServices& services, const Workplace& place,
                                           const std::filesystem::path& out, Console& console);

/// Whether this machine can grade the cells of the plan that are to be graded: has room, and
/// compiles what compiled elsewhere. That it does not must never look like a submission's fault.
[[nodiscard]] Errors CheckMachine(const GradeOptions& options, const GradeServices& services,
                                  const Preparation& ready, Console& console);

}  // namespace assay

#endif  // ASSAY_CLI_GRADE_PREPARATION_H_
