// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_SUBMISSION_OPTIONS_H_
#define ASSAY_CLI_SUBMISSION_OPTIONS_H_

#include <CLI/App.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_line.h"

namespace assay {

/// What CLI11 writes to while it parses `new`, `collect`, `rm` and `deploy`.
struct RawSubmissionOptions {
  std::string model;  ///< Of rm: `MODEL[/CHALLENGE]`.
  std::vector<std::string> challenges;
  std::string answer;
  std::string as;
  std::string to;
  bool yes = false;
  bool wait = false;
};

/// Adds the commands that make and remove submissions to `app`. `raw` outlives it.
void AddSubmissionCommands(CLI::App& app, RawSubmissionOptions& raw);

/// The options of the command `name`, or nothing when it is none of these. `common` is without
/// `when_held`.
[[nodiscard]] std::optional<CommandOptions> ToSubmissionCommand(std::string_view name,
                                                                const RawSubmissionOptions& raw,
                                                                CommonOptions common);

}  // namespace assay

#endif  // ASSAY_CLI_SUBMISSION_OPTIONS_H_
