// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLIENT_PROGRESS_LINE_H_
#define ASSAY_CLIENT_PROGRESS_LINE_H_

#include <string_view>

#include "base/error.h"
#include "client/results.h"
#include "client/run_flags.h"
#include "evidence/verdict.h"

namespace assay {

/// What the mains of suites and benches share: they are the only code of this layer that prints.

inline constexpr int kExitDone = 0;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitJudgeError = 3;

/// `@case <done> <total> <name> <verdict>` on stdout, and the detail, if any, on stderr.
void PrintProgress(int done, int total, std::string_view name, Verdict verdict,
                   std::string_view detail);

/// Prints a bad command line and returns its exit code.
[[nodiscard]] int ExitWithUsage(std::string_view program, const Error& error);

/// Writes the results to --assay_results, if given, and returns the exit code.
[[nodiscard]] int ExitWithResults(std::string_view program, const RunFlags& flags,
                                  const RunResults& results);

}  // namespace assay

#endif  // ASSAY_CLIENT_PROGRESS_LINE_H_
