// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_PR_ARGUMENTS_H_
#define ASSAY_CLI_PR_ARGUMENTS_H_

#include <CLI/App.hpp>
#include <string>

#include "cli/command_line.h"

namespace assay {

/// What CLI11 writes to while it parses `pr …`, beside what other commands take too.
struct RawPr {
  std::string base;
  std::string head = "HEAD";
  std::string out;
  std::string gate = "correctness";
  std::string judge = "base";
  std::string only_model;
  bool one_model = false;
};

/// Adds the options that `pr` alone has.
void AddPrArguments(CLI::App& pr, RawPr& raw);

/// Those options. The others are left as they are.
[[nodiscard]] PrOptions ToPr(const RawPr& raw, const CommonOptions& common);

}  // namespace assay

#endif  // ASSAY_CLI_PR_ARGUMENTS_H_
