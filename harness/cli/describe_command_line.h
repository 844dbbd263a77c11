// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_DESCRIBE_COMMAND_LINE_H_
#define ASSAY_CLI_DESCRIBE_COMMAND_LINE_H_

#include <CLI/App.hpp>

#include "cli/command_description.h"

namespace assay {

/// A parser's commands and options as plain values; commands without a group are not shown.
[[nodiscard]] CommandDescription DescribeApp(const CLI::App& app);

}  // namespace assay

#endif  // ASSAY_CLI_DESCRIBE_COMMAND_LINE_H_
