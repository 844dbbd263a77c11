// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_EXEC_LAUNCH_H_
#define ASSAY_EMULATOR_EXEC_LAUNCH_H_

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/core/warp.h"
#include "emulator/exec/scheduler.h"
#include "emulator/memory/memory_checker.h"

namespace assay::gpu {

/// How many blocks a grid has: fewer than 2^32, as launches are checked to be.
[[nodiscard]] inline std::uint64_t BlocksOf(const std::array<std::uint32_t, 3>& grid) {
  return std::uint64_t{grid[0]} * grid[1] * grid[2];
}

/// All that was counted and found while a launch ran, over all cores.
struct LaunchResult {
  LaunchFault fault;
  std::vector<FindingRecord> findings;
  std::vector<Printed> printed;          ///< In schedule order.
  std::vector<AccessCounters> accesses;  ///< By instruction.
  std::vector<BlockCount> blocks;        ///< By basic block.
  std::vector<std::uint64_t> divergent;  ///< By instruction.
  LaunchCounters traffic;                ///< Compulsory and L2 bytes alone.
  std::uint64_t emulation_time_ns = 0;   ///< Wall time.
};

/// Runs `launch` on up to `workers` cores, one for each of `checkers` (null ones: checks off). A
/// program that is order-sensitive, or all of whose blocks have to be resident, runs on one. The
/// result is the same for any number of them; of a launch that faults, what is found up to the
/// block that faulted, counted by the first block that found it, and no counters. Who stops it
/// (DeviceOptions::stop) gets all that was found.
[[nodiscard]] LaunchResult RunLaunch(const Launch& launch,
                                     const std::vector<std::unique_ptr<MemoryChecker>>& checkers,
                                     std::uint64_t window, Residency residency);

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_EXEC_LAUNCH_H_
