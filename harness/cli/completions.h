// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_COMPLETIONS_H_
#define ASSAY_CLI_COMPLETIONS_H_

#include <string>

#include "cli/command_description.h"

namespace assay {

enum class Shell { kBash, kZsh, kFish };

/// The script with which `shell` completes the commands, options and values of `program`. Values
/// that are no list are files.
[[nodiscard]] std::string CompletionScript(Shell shell, const CommandDescription& program);

}  // namespace assay

#endif  // ASSAY_CLI_COMPLETIONS_H_
