// SPDX-License-Identifier: Apache-2.0
// What a request leaves in the shadow of device memory, in the chains of releases and in the L2's
// trace.
#include <bit>

#include "emulator/memory/access_lanes.h"
#include "emulator/memory/global_memory.h"
#include "emulator/memory/l2_cache.h"

namespace assay::gpu {
namespace {

// Whether the block has been at a barrier.
bool PassedBarrier(const Block& block, const BlockShadow& shadow) {
  return block.barrier_epoch + shadow.epoch_bias != shadow.first_epoch;
}

// Whether `access` tells others that what its block did is over.
bool Releases(const MemoryAccess& access) {
  const Block& block = *access.warp->block;
  const BlockShadow& shadow = *block.shared_shadow;
  // What a flag says depends on what its block has read, so that a barrier is enough for reads.
  const bool told = access.kind == TouchKind::kSyncWrite && PassedBarrier(block, shadow);
  return TouchWrites(access.kind) && (shadow.fenced || told) &&
         (access.kind != TouchKind::kWrite || std::has_single_bit(access.lanes));
}

// One touch for lanes that follow one another in one sector.
void TouchLanes(const MemoryAccess& access, SectorShadow& shadow) {
  const Warp& warp = *access.warp;
  const std::uint64_t begin = warp.launch->memory->view().begin;
  SectorTouch touch{.kind = access.kind,
                    .position = static_cast<std::uint32_t>(warp.block->position),
                    .instruction = access.step->instruction};
  ForEachLane(access.lanes, [&](std::uint32_t lane) {
    const std::uint64_t offset = access.addresses[lane] - begin;
    const std::uint32_t mask = ((1U << access.size_bytes) - 1U) << (offset % kSectorBytes);
    if (offset / kSectorBytes == touch.sector && touch.mask != 0) {
      touch.mask |= mask;
      return;
    }
    if (touch.mask != 0) {
      shadow.Touch(touch);
    }
    touch.sector = offset / kSectorBytes;
    touch.mask = mask;
    touch.thread = warp.index * kWarpSize + lane;
  });
  if (touch.mask != 0) {
    shadow.Touch(touch);
  }
}

}  // namespace

void TouchSectors(const MemoryAccess& access) {
  const Block& block = *access.warp->block;
  CheckerState& state = access.warp->worker->checker->state;
  ReleaseChains& chains = state.shadow->releases();
  const auto position = static_cast<std::uint32_t>(block.position);
  const bool orders = state.sequential && access.kind != TouchKind::kRead;
  if (orders && TouchReads(access.kind)) {
    ForEachLane(access.lanes,
                [&](std::uint32_t lane) { chains.Acquire(position, access.addresses[lane]); });
  }
  TouchLanes(access, *state.shadow);
  if (orders && Releases(access)) {
    state.released = true;
    const Settled settled = block.shared_shadow->fenced ? Settled::kAll : Settled::kReads;
    ForEachLane(access.lanes, [&](std::uint32_t lane) {
      chains.Release(position, access.addresses[lane], settled);
    });
  }
}

void TraceSectors(const MemoryAccess& access) {
  auto& shadow = *access.warp->block->shared_shadow;
  if (shadow.trace_end - shadow.trace_at < static_cast<std::ptrdiff_t>(kMaxTraced)) {
    FlushTrace(*access.warp);
  }
  const std::uint64_t begin = access.warp->launch->memory->view().begin;
  const std::uint64_t flags =
      (TouchReads(access.kind) ? kL2Read : 0U) | (TouchWrites(access.kind) ? kL2Write : 0U);
  const std::uint64_t skip = access.warp->worker->checker->state.l2_skip_mask;
  std::uint64_t* const first = shadow.trace_at;
  ForEachLane(access.lanes, [&](std::uint32_t lane) {
    const std::uint64_t offset = access.addresses[lane] - begin;
    const std::uint64_t line = offset >> kL2LineBytesShift;
    if ((L2LineChoice(line) & skip) != 0) {
      return;
    }
    const std::uint64_t sector = std::uint64_t{1} << (kL2SectorShift + offset / kSectorBytes % 4);
    for (std::uint64_t* at = shadow.trace_at; at != first; --at) {
      if (at[-1] >> kL2LineShift != line) {
        continue;
      }
      at[-1] |= sector;
      return;
    }
    *shadow.trace_at++ = line << kL2LineShift | sector | flags;
  });
}

void FlushTrace(Warp& warp) {
  auto& shadow = *warp.block->shared_shadow;
  const auto count = static_cast<std::size_t>(shadow.trace_at - shadow.trace);
  warp.launch->memory->l2().Push(warp.block->position, {shadow.trace, count},
                                 L2Replay::Part::kMore);
  shadow.trace_at = shadow.trace;
}

void NoteFence(Warp& warp) {
  if (warp.worker->checker == nullptr) {
    return;
  }
  warp.block->shared_shadow->fenced = true;
  NoteFenceOfBlock(warp);
}

void NoteFenceOfBlock(Warp& warp) {
  if (warp.worker->checker != nullptr) {
    warp.block->shared_shadow->fenced_warps |= 1U << warp.index;
  }
}

}  // namespace assay::gpu
