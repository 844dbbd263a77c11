// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_MANUAL_PAGE_H_
#define ASSAY_CLI_MANUAL_PAGE_H_

#include <string>
#include <string_view>

#include "cli/command_description.h"

namespace assay {

/// assay(1) for troff, in the macros of man(7): what --help says of `program` and of each command.
[[nodiscard]] std::string ManualPage(const CommandDescription& program, std::string_view version);

}  // namespace assay

#endif  // ASSAY_CLI_MANUAL_PAGE_H_
