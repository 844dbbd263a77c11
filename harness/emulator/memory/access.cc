// SPDX-License-Identifier: Apache-2.0
// Theory of operation
//
//   bounds (access_bounds.cc) ► counts (access_counts.cc) ► contents (below) ► the bytes themselves
//
// * A request is one instruction of a warp: up to 32 lanes, each with an address of its own. Every
//   step here goes through the lanes one by one and takes any addresses, so that it can be read as
//   the definition of what is found and counted; ops/ has quicker ways for the common layouts,
//   which must give the same.
// * Bounds come first and may end the launch. What they let pass may be performed, findings or not:
//   an address beyond its allocation still lies in the arena, in a guard or a freed block.
// * Contents are looked at before the bytes move: a read against what was written up to then
//   (access_written.cc), then races with other blocks and the traffic (access_sectors.cc).
#include "emulator/memory/access.h"

#include <utility>

#include "emulator/memory/access_lanes.h"
#include "emulator/memory/global_memory.h"
#include "emulator/memory/shared_shadow.h"

namespace assay::gpu {

void ReportLane(const MemoryAccess& access, FindingKind kind, std::uint32_t lane, Severity severity,
                std::string note) {
  FindingRecord record;
  record.kind = kind;
  record.severity = severity;
  record.site = {.instruction = access.step->instruction,
                 .block = access.warp->block->linear,
                 .thread = access.warp->index * kWarpSize + lane,
                 .access = AccessOf(access.kind)};
  record.space = access.space;
  record.address = access.addresses[lane];
  record.size_bytes = access.size_bytes;
  record.position = access.warp->block->position;
  record.note = std::move(note);
  access.warp->worker->findings.Add(std::move(record));
}

AccessKind AccessOf(TouchKind kind) {
  switch (kind) {
    case TouchKind::kRead:
    case TouchKind::kSyncRead:
      return AccessKind::kRead;
    case TouchKind::kWrite:
    case TouchKind::kSyncWrite:
      return AccessKind::kWrite;
    default:
      return AccessKind::kAtomic;
  }
}

void CheckContents(const MemoryAccess& access) {
  if (access.warp->worker->checker == nullptr) {
    return;
  }
  switch (access.space) {
    case MemorySpace::kShared:
      CheckSharedContents(access);
      break;
    case MemorySpace::kLocal:
      CheckLocalContents(access);
      break;
    case MemorySpace::kConst:
      CheckWritten(access);
      break;
    default:
      if (TouchReads(access.kind)) {
        CheckWritten(access);
      }
      if (TouchWrites(access.kind)) {
        MarkWritten(access);
      }
      TouchSectors(access);
      if (access.warp->worker->checker->state.trace_l2) {
        TraceSectors(access);
      }
      break;
  }
}

std::byte* HostAddress(const MemoryAccess& access, std::uint32_t lane, std::uint32_t byte) {
  const Warp& warp = *access.warp;
  const std::uint64_t address = access.addresses[lane] + byte;
  switch (access.space) {
    case MemorySpace::kShared:
      return warp.block->shared + address;
    case MemorySpace::kLocal:
      return warp.local + LocalByte(address, lane);
    default: {
      const ArenaView& view = warp.launch->memory->view();
      return view.host + (address - view.begin);
    }
  }
}

}  // namespace assay::gpu
