// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SANDBOX_CAPABILITIES_H_
#define ASSAY_SANDBOX_CAPABILITIES_H_

#include <map>
#include <string>
#include <vector>

#include "sandbox/cgroup.h"
#include "sandbox/level.h"
#include "sandbox/obstacle.h"

namespace assay {

/// One thing the sandbox is made of: whether this machine has it, found by trying.
struct Capability {
  std::string name;  ///< `bubblewrap`, `user namespaces`, `landlock`, …
  bool available = false;
  std::string detail;                      ///< Version or ABI when available, else why not.
  std::string remedy;                      ///< How to get it; empty when available.
  Obstacle obstacle = Obstacle::kNothing;  ///< Why it is missing, where that decides the level.
};

struct SandboxCapabilities {
  std::vector<Capability> capabilities;
  SandboxLevel level = SandboxLevel::kNone;  ///< The strongest at which a program really ran.
  Obstacle obstacle = Obstacle::kNothing;    ///< What keeps it from level full.
  std::string next_level;  ///< Why it is not at full, and the command; empty at full.
};

/// What was tried on a machine, before anything is concluded from it.
struct SandboxTrials {
  std::string bubblewrap_version;  ///< Empty: there is no bwrap.
  NamespaceTrial namespaces;
  NamespaceSettings settings;
  int seccomp_error = 0;   ///< errno; 0: it has filters that kill.
  int landlock_abi = 0;    ///< 0: none.
  int landlock_error = 0;  ///< errno where there is none.
  CgroupSupport cgroups;
  /// Why no program ran at a level; empty where one did.
  std::map<SandboxLevel, std::string> levels;
};

/// What those trials say. A level counts only when a program ran at it.
[[nodiscard]] SandboxCapabilities Conclude(const SandboxTrials& trials);

/// Tries each capability and each level on this machine (runs `true` inside). About 50 ms.
[[nodiscard]] SandboxCapabilities DetectCapabilities();

}  // namespace assay

#endif  // ASSAY_SANDBOX_CAPABILITIES_H_
