// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_TRY_COMMAND_LINE_H_
#define ASSAY_CLI_TRY_COMMAND_LINE_H_

#include <CLI/App.hpp>
#include <optional>
#include <string>

#include "cli/command_line.h"

namespace assay {

/// What CLI11 writes to while it reads the command line of `assay try`.
struct RawTryOptions {
  std::string directory;
  std::optional<std::string> challenge;
  std::optional<std::string> case_pattern;
  std::optional<std::string> seed;
  std::optional<std::string> sandbox;
  bool watch = false;
};

/// Gives `command`, which is `try`, its options. Both must outlive parsing.
void AddTryOptions(CLI::App& command, RawTryOptions& raw);

[[nodiscard]] TryOptions ToTryOptions(const RawTryOptions& raw, CommonOptions common);

}  // namespace assay

#endif  // ASSAY_CLI_TRY_COMMAND_LINE_H_
