// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_OPS_COPY_GROUPS_H_
#define ASSAY_EMULATOR_OPS_COPY_GROUPS_H_

#include <array>
#include <cstdint>

#include "emulator/core/step.h"

namespace assay::gpu {

/// The groups into which each lane of a warp gathers its copies, counted from 0. cp.async and
/// cp.async.bulk have their own.
struct CopyGroups {
  std::array<std::uint32_t, kWarpSize> open{};  ///< What each lane issues now belongs to it.

  /// .commit_group: those of `lanes` are closed.
  void Commit(LaneMask lanes) {
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      open[lane] += (lanes >> lane) & 1U;
    }
  }
  /// .wait_group: whether `group` of `lane` is none of its `groups_left` youngest closed ones.
  [[nodiscard]] bool IsWaitedFor(std::uint32_t lane, std::uint32_t group,
                                 std::uint32_t groups_left) const {
    return open[lane] - group > groups_left;
  }
};

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_OPS_COPY_GROUPS_H_
