// SPDX-License-Identifier: Apache-2.0
#include "client/progress_line.h"

#include <fmt/format.h>

#include <cstdio>

namespace assay {

void PrintProgress(int done, int total, std::string_view name, Verdict verdict,
                   std::string_view detail) {
  fmt::print("@case {} {} {} {}\n", done, total, name, ToString(verdict));
  std::fflush(stdout);
  if (!detail.empty()) {
    fmt::print(stderr, "{}: {}: {}\n", name, ToString(verdict), detail);
  }
}

int ExitWithUsage(std::string_view program, const Error& error) {
  fmt::print(stderr, "{}: {}\n", program, ToString(error));
  return kExitUsage;
}

int ExitWithResults(std::string_view program, const RunFlags& flags, const RunResults& results) {
  if (!flags.results.empty()) {
    if (const Status written = WriteResults(results, flags.results); !written) {
      fmt::print(stderr, "{}: {}\n", program, ToString(written.error()));
      return kExitJudgeError;
    }
  }
  if (!results.judge_error.empty()) {
    fmt::print(stderr, "{}: judge error: {}\n", program, results.judge_error);
    return kExitJudgeError;
  }
  return kExitDone;
}

}  // namespace assay
