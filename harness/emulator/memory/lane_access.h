// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_MEMORY_LANE_ACCESS_H_
#define ASSAY_EMULATOR_MEMORY_LANE_ACCESS_H_

#include <cstdint>

#include "emulator/core/warp.h"
#include "emulator/ptx/opcode.h"

namespace assay::gpu {

/// Reads or writes memory for the lanes of `lanes`, with every check and counter, for
/// instructions that are not ld, st or atom: ldmatrix, wmma.load, cp.async, vprintf's strings.
/// Lane l's `size_bytes` bytes are at values + l * size_bytes. `addresses` are generic, or offsets
/// into the named space. False: the launch is over (return nullptr).
[[nodiscard]] bool ReadLanes(Warp& warp, const Step* step, ptx::Space space, LaneMask lanes,
                             const std::uint64_t* addresses, std::uint32_t size_bytes,
                             void* values);
[[nodiscard]] bool WriteLanes(Warp& warp, const Step* step, ptx::Space space, LaneMask lanes,
                              const std::uint64_t* addresses, std::uint32_t size_bytes,
                              const void* values);

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_MEMORY_LANE_ACCESS_H_
