// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SANDBOX_LANDLOCK_H_
#define ASSAY_SANDBOX_LANDLOCK_H_

#include <vector>

#include "base/error.h"
#include "base/unique_fd.h"
#include "sandbox/mount.h"

namespace assay {

/// The kernel's Landlock ABI; 0 when it has none or it is off.
[[nodiscard]] int LandlockAbi();

/// The first ABI that keeps signals and abstract sockets inside.
inline constexpr int kLandlockScopeAbi = 6;

/// A ruleset under which only `mounts` (their outside paths) can be opened, with their access, and,
/// as far as the kernel's ABI goes, no TCP, no device ioctl and no signal to processes outside.
/// Error of kind kSandbox without Landlock; of kind kJudge when a mount cannot be opened, since a
/// rule left out in silence would be a different sandbox.
[[nodiscard]] Result<UniqueFd> MakeLandlockRuleset(const std::vector<Mount>& mounts);

}  // namespace assay

#endif  // ASSAY_SANDBOX_LANDLOCK_H_
