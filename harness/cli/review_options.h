// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_REVIEW_OPTIONS_H_
#define ASSAY_CLI_REVIEW_OPTIONS_H_

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "cli/command_line.h"

namespace assay {

/// What CLI11 writes to while it parses `review …`.
struct RawReviewOptions {
  std::string reviewer;
  std::vector<std::string> challenges;
  std::vector<std::string> models;
  std::vector<std::string> files;
  std::string folder;
  bool wait = false;
};

/// Adds `new`, `check` and `collect` to `review`. `raw` outlives it.
void AddReviewCommands(CLI::App& review, RawReviewOptions& raw);

/// The options of the command below `review` that was given. `common` is without `when_held`.
[[nodiscard]] CommandOptions ToReviewCommand(const CLI::App& review, const RawReviewOptions& raw,
                                             CommonOptions common);

}  // namespace assay

#endif  // ASSAY_CLI_REVIEW_OPTIONS_H_
