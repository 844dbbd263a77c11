// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SANDBOX_LEVEL_H_
#define ASSAY_SANDBOX_LEVEL_H_

#include <optional>
#include <string_view>

namespace assay {

/// How much a sandboxed program is kept from. Order is strength. README.md has the table.
enum class SandboxLevel {
  kNone,     ///< Limits only: no boundary at all.
  kReduced,  ///< Landlock, system call filter, limits.
  kFull,     ///< Namespaces (bubblewrap), system call filter, limits.
};

/// `none`, `reduced`, `full`: the words of the command line and of evidence.
[[nodiscard]] std::string_view ToString(SandboxLevel level);
[[nodiscard]] std::optional<SandboxLevel> SandboxLevelFromString(std::string_view text);

}  // namespace assay

#endif  // ASSAY_SANDBOX_LEVEL_H_
