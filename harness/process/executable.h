// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_PROCESS_EXECUTABLE_H_
#define ASSAY_PROCESS_EXECUTABLE_H_

#include <filesystem>
#include <optional>
#include <string>

namespace assay {

/// The absolute path of the program `name`: itself when it holds a slash, else the first
/// executable regular file of that name in the directories of PATH. Nothing when there is none.
[[nodiscard]] std::optional<std::filesystem::path> FindExecutable(const std::string& name);

}  // namespace assay

#endif  // ASSAY_PROCESS_EXECUTABLE_H_
