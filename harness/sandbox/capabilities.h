// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SANDBOX_CAPABILITIES_H_
#define ASSAY_SANDBOX_CAPABILITIES_H_

#include <string>
#include <vector>

#include "sandbox/level.h"

namespace assay {

/// One thing the sandbox is made of: whether this machine has it, found by trying.
struct Capability {
  std::string name;  ///< `bubblewrap`, `user namespaces`, `landlock`, …
  bool available = false;
  std::string detail;  ///< Version or ABI when available, else why not.
  std::string remedy;  ///< How to get it; empty when available.
};

struct SandboxCapabilities {
  std::vector<Capability> capabilities;
  SandboxLevel level = SandboxLevel::kNone;  ///< The strongest at which a program really ran.
  std::string next_level;                    ///< How to reach the next level; empty at full.
};

/// Tries each capability and each level on this machine (runs `true` inside). About 50 ms.
[[nodiscard]] SandboxCapabilities DetectCapabilities();

}  // namespace assay

#endif  // ASSAY_SANDBOX_CAPABILITIES_H_
