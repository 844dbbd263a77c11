// SPDX-License-Identifier: Apache-2.0
// What the sources of access.h share, and nobody else includes.
#ifndef ASSAY_EMULATOR_MEMORY_ACCESS_LANES_H_
#define ASSAY_EMULATOR_MEMORY_ACCESS_LANES_H_

#include <bit>
#include <cstdint>
#include <string>

#include "emulator/core/finding_log.h"
#include "emulator/memory/access.h"

namespace assay::gpu {

/// Calls `function` with each lane, in ascending order.
template <class Function>
void ForEachLane(LaneMask lanes, Function function) {
  for (; lanes != 0; lanes &= lanes - 1) {
    function(static_cast<std::uint32_t>(std::countr_zero(lanes)));
  }
}

/// Where byte `offset` of a lane's local memory is in Warp::local, which has the lanes' 4-byte
/// words in turn.
inline std::uint64_t LocalByte(std::uint64_t offset, std::uint32_t lane) {
  return ((offset >> 2) * kWarpSize + lane) * 4 + (offset & 3U);
}

/// A finding about what `lane` does.
void ReportLane(const MemoryAccess& access, FindingKind kind, std::uint32_t lane,
                Severity severity = Severity::kError, std::string note = {});

/// CheckContents for local memory: reads look whether their bytes were written, writes mark them.
void CheckLocalContents(const MemoryAccess& access);

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_MEMORY_ACCESS_LANES_H_
