// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_BUILD_RUN_SANDBOXED_H_
#define ASSAY_BUILD_RUN_SANDBOXED_H_

#include <string>
#include <vector>

#include "base/error.h"
#include "sandbox/sandboxed_process.h"

namespace assay {

/// How one sandboxed run ended, and what it printed (hostile text).
struct SandboxedRun {
  ExitStatus status;
  std::string output;
  double seconds = 0;

  [[nodiscard]] bool succeeded() const {
    return status.kind == ExitStatus::Kind::kExited && status.code_or_signal == 0;
  }
};

/// Runs `requests` to their ends, at most `parallel` (at least 1) at a time, and gives the results
/// in the same order. How a program ends is a result; a sandbox that cannot start one is an Error,
/// and so is an interruption. Blocks; any thread.
[[nodiscard]] Result<std::vector<SandboxedRun>> RunSandboxed(
    SandboxLevel level, const std::vector<SandboxRequest>& requests, int parallel);

}  // namespace assay

#endif  // ASSAY_BUILD_RUN_SANDBOXED_H_
