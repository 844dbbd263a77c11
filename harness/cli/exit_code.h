// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_EXIT_CODE_H_
#define ASSAY_CLI_EXIT_CODE_H_

#include <string_view>

#include "base/error.h"

namespace assay {

/// How `assay` ends. Scripts and CI rely on the numbers: never renumber.
enum class ExitCode {
  kDone = 0,           ///< Done. A submission that is wrong is a result, not a failure of Assay.
  kGateFailed = 1,     ///< `--check` found a difference, `report` evidence that does not hold,
                       ///< `--require-…` or the gate of `pr` did not hold, `try` saw a failure.
  kConfiguration = 2,  ///< Usage, a file at fault, no compiler, a full disk, another run at work.
  kJudgeError = 3,     ///< Assay or its machine failed: on a cell, twice, or at a baseline.
  kSandbox = 4,        ///< The sandbox is below the level asked for.
};
// A run stopped by a signal ends with 128 + its number, as shells report it: 130 after Ctrl-C.

/// The paragraph of `--help`.
inline constexpr std::string_view kExitCodeHelp =
    "Exit codes:\n"
    "  0  done; a submission that is wrong is a result\n"
    "  1  a gate failed (report --check, signatures --check, pr, grade\n"
    "     --require-accepted, --require-signed), try saw a failure, or\n"
    "     report evidence that does not hold\n"
    "  2  usage or configuration: a file at fault, no compiler, a full disk\n"
    "  3  judge_error: Assay or its machine failed, on a cell twice, or does\n"
    "     not compile a baseline\n"
    "  4  the sandbox is below the required level\n"
    "  130, 143  stopped by Ctrl-C or by SIGTERM; run again to go on";

[[nodiscard]] constexpr ExitCode ExitCodeOf(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kConfiguration:
      return ExitCode::kConfiguration;
    case ErrorKind::kSandbox:
      return ExitCode::kSandbox;
    case ErrorKind::kJudge:
      break;
  }
  return ExitCode::kJudgeError;
}

}  // namespace assay

#endif  // ASSAY_CLI_EXIT_CODE_H_
