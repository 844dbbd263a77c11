// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SANDBOX_BUBBLEWRAP_H_
#define ASSAY_SANDBOX_BUBBLEWRAP_H_

#include <filesystem>
#include <string>
#include <vector>

#include "sandbox/request.h"

namespace assay {

/// Where the launcher is inside the namespace.
inline constexpr const char* kInitInside = "/.sandbox_init";
/// Size of the private /tmp that a tool gets.
inline constexpr long kTemporary_bytes = 512L << 20;

/// The command that runs `init` (outside path of the launcher) in namespaces of its own that hold
/// `request.mounts` and nothing else of this machine. The launcher's arguments follow it.
[[nodiscard]] std::vector<std::string> BubblewrapCommand(const std::filesystem::path& bubblewrap,
                                                         const std::filesystem::path& init,
                                                         const SandboxRequest& request);

}  // namespace assay

#endif  // ASSAY_SANDBOX_BUBBLEWRAP_H_
