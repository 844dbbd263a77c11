// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GRADE_RUN_SUITE_H_
#define ASSAY_GRADE_RUN_SUITE_H_

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "build/toolchain.h"
#include "evidence/json.h"
#include "grade/progress.h"
#include "sandbox/level.h"
#include "spec/challenge_spec.h"

namespace assay {

/// One run of a challenge's suite or bench against one host executable.
struct SuiteRun {
  std::filesystem::path program;   ///< The suite, or the bench.
  std::filesystem::path host;      ///< What is graded.
  std::filesystem::path baseline;  ///< The baseline's host: what is graded is compared with it.
  ChallengeLimits limits;
  SandboxLevel level = SandboxLevel::kFull;
  BuildFlavor flavor = BuildFlavor::kRelease;
  std::uint64_t seed = 0;
  std::vector<std::string> arguments;  ///< Further ones, such as --gtest_filter.
  /// The whole run must end within it: our own watchdog over the suite, twice what hosts may take
  /// in a run (RunFlags::run_limit). Passing it is our failure, never the submission's.
  std::chrono::nanoseconds time_limit = std::chrono::minutes(30);
};

/// Runs it as a process of its own and reads the results it wrote into a new file in `scratch`.
/// Its lines `@case <done> <total> <name> <verdict>` become calls of `progress`. A program that
/// dies, does not end in time, writes no results or says that it failed is an error of kind kJudge
/// that shows the end of what it printed; verdicts on the host are in the results.
[[nodiscard]] Result<RunResults> RunSuite(const SuiteRun& run, const std::filesystem::path& scratch,
                                          ProgressSink& progress);

/// Reads a progress line; nothing when `line` is none. `name` points into `line`.
struct CaseProgress {
  int done = 0;
  int total = 0;
  std::string_view name;
  bool operator==(const CaseProgress&) const = default;
};
[[nodiscard]] std::optional<CaseProgress> ParseCaseProgress(std::string_view line);

}  // namespace assay

#endif  // ASSAY_GRADE_RUN_SUITE_H_
