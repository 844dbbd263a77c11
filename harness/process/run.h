// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_PROCESS_RUN_H_
#define ASSAY_PROCESS_RUN_H_

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "process/subprocess.h"

namespace assay {

/// A trusted program to run to its end: our own suites, git, cloc on our files. Code that a
/// submission brought runs in the sandbox instead.
struct Command {
  std::vector<std::string> argv;  ///< argv[0] is searched in PATH unless it holds a slash.
  std::optional<std::vector<std::string>> environment;  ///< `NAME=value`; nothing: ours.
  std::filesystem::path working_directory;              ///< Empty: ours.
  std::string input;                                    ///< Standard input.
  std::chrono::nanoseconds time_limit = std::chrono::hours(1);
  std::size_t output_limit_bytes = std::size_t{16} << 20;  ///< Each of output and errors.
  /// Called with each piece of standard output as it arrives, for progress.
  std::function<void(std::string_view)> on_output;
};

struct CommandResult {
  ProcessExit exit;
  bool timed_out = false;         ///< Killed at the time limit.
  bool output_truncated = false;  ///< What came after the output limit was read and dropped.
  std::string output;
  std::string errors;
  std::chrono::nanoseconds wall_time{0};

  /// Whether it ended by itself, in time, with exit code 0.
  [[nodiscard]] bool Succeeded() const {
    return !timed_out && exit.kind == ProcessExit::Kind::kExited && exit.code_or_signal == 0;
  }
};

/// Runs `command` and waits for it. A program that is missing or cannot start is an error (kind
/// kJudge) that names it; any way of ending is a result. When the process is asked to stop
/// (interrupt.h) the program is killed and the error of CheckInterrupt is returned.
[[nodiscard]] Result<CommandResult> RunToCompletion(const Command& command);

}  // namespace assay

#endif  // ASSAY_PROCESS_RUN_H_
