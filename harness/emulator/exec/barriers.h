// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_EXEC_BARRIERS_H_
#define ASSAY_EMULATOR_EXEC_BARRIERS_H_

#include "emulator/core/warp.h"

namespace assay::gpu {

/// Lets those go on whose barrier has all the threads it waits for: without a count the threads
/// of the block that have not exited, else as many as the count says, warps counting as 32. Reports
/// (synccheck) threads of one block that wait for each other at different places, and threads that
/// exited while others wait. False: no barrier was complete.
[[nodiscard]] bool ReleaseBarriers(Block& block);

/// How many threads `lanes` of `warp` count as at a barrier: all that live count as 32.
[[nodiscard]] std::uint32_t CountedThreads(const Warp& warp, LaneMask lanes);

/// Reports a deadlock of `block`: where each of its warps waits.
void ReportDeadlock(Block& block);

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_EXEC_BARRIERS_H_
