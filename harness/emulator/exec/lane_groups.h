// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_EXEC_LANE_GROUPS_H_
#define ASSAY_EMULATOR_EXEC_LANE_GROUPS_H_

#include <cstdint>

#include "emulator/core/warp.h"

namespace assay::gpu {

/// Basic blocks that a warp may run before others get a turn, and lanes of a warp before the others
/// of it: many, so that loops with different trip counts stay together.
inline constexpr std::uint32_t kTurn = 1U << 14;

/// Takes out of Warp::groups the group that runs next: of those that can go on, the one lowest in
/// the program, with all others at its place. Lanes that gave up their turn are taken only where
/// there are no others. False: all groups wait.
[[nodiscard]] bool PickGroup(Warp& warp, LaneGroup& chosen);

/// Puts the lanes that ran last back into Warp::groups, as Warp::stop tells.
void ParkActiveLanes(Warp& warp);

/// For a block none of whose warps can go on: lanes of one that wait in vain for others of their
/// warp go on without them, with a finding (kInvalidMask). False: no lanes wait for such.
[[nodiscard]] bool GiveUpLanes(Block& block);

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_EXEC_LANE_GROUPS_H_
