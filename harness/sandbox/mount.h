// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SANDBOX_MOUNT_H_
#define ASSAY_SANDBOX_MOUNT_H_

#include <filesystem>
#include <vector>

#include "sandbox/level.h"

namespace assay {

enum class Access {
  kReadOnly,
  kReadWrite,
  kHidden,  ///< Not to be seen, though a mount before it shows it: at level full an empty folder.
};

/// A file or folder of ours that the sandboxed program may see. A symbolic link is recreated as a
/// link, not followed, so that /lib -> usr/lib looks inside as it does outside.
struct Mount {
  std::filesystem::path outside;
  std::filesystem::path inside;  ///< Absolute.
  Access access = Access::kReadOnly;
  bool operator==(const Mount&) const = default;
};

/// Where the sandboxed program sees `mount`: `inside` at level full; `outside` at the levels
/// without a mount namespace. Build argv and environment from this, and they are right at every
/// level.
[[nodiscard]] std::filesystem::path SeenPath(SandboxLevel level, const Mount& mount);

/// What a dynamically linked program needs to start: the loader, its cache and the shared
/// libraries. Only what exists on this machine; all read-only. Hidden is the folder of an installed
/// Assay among them, where oracles, baselines and mutants lie.
[[nodiscard]] std::vector<Mount> RuntimeMounts();

/// What compilers and linters need: RuntimeMounts, /usr/bin, /usr/include, /usr/libexec,
/// /usr/share/perl*, /etc/alternatives, and /usr/local/cuda* where present. All read-only.
[[nodiscard]] std::vector<Mount> ToolchainMounts();

}  // namespace assay

#endif  // ASSAY_SANDBOX_MOUNT_H_
