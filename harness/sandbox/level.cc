// SPDX-License-Identifier: Apache-2.0
#include "sandbox/level.h"

namespace assay {

std::string_view ToString(SandboxLevel level) {
  switch (level) {
    case SandboxLevel::kNone:
      return "none";
    case SandboxLevel::kReduced:
      return "reduced";
    case SandboxLevel::kFull:
      return "full";
  }
  return "none";
}

std::optional<SandboxLevel> SandboxLevelFromString(std::string_view text) {
  for (const SandboxLevel level :
       {SandboxLevel::kNone, SandboxLevel::kReduced, SandboxLevel::kFull}) {
    if (text == ToString(level)) {
      return level;
    }
  }
  return std::nullopt;
}

}  // namespace assay
