// SPDX-License-Identifier: Apache-2.0
// The checks and counters of one memory instruction of a warp, for any addresses. Handlers have
// quicker ways for the common layouts (ops/memory_access.h) and come here for the rest; both give
// the same findings and counts.
#ifndef ASSAY_EMULATOR_MEMORY_ACCESS_H_
#define ASSAY_EMULATOR_MEMORY_ACCESS_H_

#include <cstddef>
#include <cstdint>

#include "emulator/core/warp.h"
#include "emulator/memory/memory_checker.h"
#include "emulator/memory/sector_shadow.h"
#include "emulator/ptx/opcode.h"

namespace assay::gpu {

/// Global: `addresses` are device addresses. Shared, local: offsets into the space.
struct MemoryAccess {
  Warp* warp = nullptr;
  const Step* step = nullptr;
  LaneMask lanes = 0;
  const std::uint64_t* addresses = nullptr;  ///< By lane.
  std::uint32_t size_bytes = 0;              ///< Of one lane: 1, 2, 4, 8 or 16.
  MemorySpace space = MemorySpace::kGlobal;
  TouchKind kind = TouchKind::kRead;
  const std::byte* values = nullptr;  ///< kWrite: lane l's at l * size_bytes; or null: not known.
};

/// Finds what is misaligned or out of bounds. False: the launch is over; else all of it may be
/// performed, findings or not.
[[nodiscard]] bool CheckBounds(const MemoryAccess& access);

/// What a reader of a report calls it.
[[nodiscard]] AccessKind AccessOf(TouchKind kind);

struct RequestCount {
  std::uint32_t count = 0;  ///< Sectors (global, local) or wavefronts (shared).
  std::uint32_t ideal = 0;
};
[[nodiscard]] RequestCount CountRequest(const MemoryAccess& access);
/// Adds a request to the instruction's counters.
void AddRequest(const MemoryAccess& access, RequestCount count);

/// initcheck, racecheck, traffic; marks what is written. After CheckBounds, before the access is
/// performed. Nothing when checks are off.
void CheckContents(const MemoryAccess& access);
// Its parts, for global memory:
void CheckWritten(const MemoryAccess& access);  ///< initcheck of a read.
void MarkWritten(const MemoryAccess& access);
void TouchSectors(const MemoryAccess& access);  ///< Races between blocks, compulsory traffic.
void TraceSectors(const MemoryAccess& access);  ///< For the L2.

/// Makes room in BlockShadow::trace.
void FlushTrace(Warp& warp);

/// Where lane `lane`'s bytes are on the host. Local: only up to the end of a 4-byte word.
[[nodiscard]] std::byte* HostAddress(const MemoryAccess& access, std::uint32_t lane,
                                     std::uint32_t byte = 0);

/// All of it, of one kind and in any space; generic addresses of one warp may lie in several. Reads
/// go to `values`, writes come from it: lane l's at l * size_bytes. False: the launch is over.
[[nodiscard]] bool PerformLanes(Warp& warp, const Step* step, ptx::Space space, LaneMask lanes,
                                const std::uint64_t* addresses, std::uint32_t size_bytes,
                                TouchKind kind, std::byte* values);

/// One lane of an atomic: may read and write `size_bytes` at `at`.
using AtomicLane = void (*)(std::byte* at, std::uint32_t lane, void* context);
/// Like PerformLanes, for atomics; `perform` is called in order of lanes.
[[nodiscard]] bool PerformAtomic(Warp& warp, const Step* step, ptx::Space space, LaneMask lanes,
                                 const std::uint64_t* addresses, std::uint32_t size_bytes,
                                 AtomicLane perform, void* context);

/// A fence at gpu or system scope by the warp's block.
void NoteFence(Warp& warp);
/// A fence at any scope: it orders what the warp does in shared memory.
void NoteFenceOfBlock(Warp& warp);

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_MEMORY_ACCESS_H_
