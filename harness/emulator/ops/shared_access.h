// SPDX-License-Identifier: Apache-2.0
// The quick ways of requests to shared memory (as memory_access.h has them for device memory):
// bounds, checks and counters of a request whose lanes access consecutive elements, one element, or
// one each anywhere. Included only by the sources of ops/ (see lanes.h).
//
// Theory. Shared memory is 32 banks of 4 bytes; a request takes as many passes over them
// (wavefronts) as the busiest bank has different words, and one of 8 or 16 bytes a lane is served
// in halves or quarters of the warp. Consecutive lanes and lanes at one place need no count: each
// part of the warp takes one pass. Only scattered lanes are counted, by CountRequest, whose result
// holds as long as the pattern of offsets stays the same.
//
// A resolver returns kSlow having counted nothing, and PerformLanes then performs the whole
// request: addresses out of bounds or not aligned and, where checks are on, possible hazards
// (shared_touch.h) and writes of several lanes to one place.
#ifndef ASSAY_EMULATOR_OPS_SHARED_ACCESS_H_
#define ASSAY_EMULATOR_OPS_SHARED_ACCESS_H_

#include <cstring>

#include "emulator/memory/shared_shadow.h"
#include "emulator/ops/lane_layout.h"
#include "emulator/ops/shared_touch.h"

namespace assay::gpu::ASSAY_GPU_ISA {

struct SharedRequest {
  Warp& warp;
  const Step* step;
  LaneMask lanes;
  std::uint32_t threads;  ///< The number of `lanes`.
  std::uint32_t leader;   ///< The lowest of them.
  std::uint64_t first;    ///< Its offset in shared memory.
  bool checked;
  SharedToucher toucher;  ///< If checked.
};

/// Wavefronts of a scattered access, memoised until mask, phase or offsets change.
template <std::uint32_t kSize, TouchKind kKind>
[[gnu::noinline]] std::uint32_t CountScatteredWaves(Warp& warp, const Step* step, LaneMask lanes,
                                                    const std::uint64_t* offsets) {
  PatternCache* pattern = nullptr;
  alignas(64) std::uint32_t relative[kWarpSize];
  if (warp.worker->checker != nullptr) {
    pattern = warp.worker->checker->state.patterns + step->instruction;
    const auto first = static_cast<std::uint32_t>(offsets[FirstLane(lanes)]);
    std::uint32_t other = pattern->lanes ^ lanes;
    // Lanes share words only as far as these begin at multiples of 4.
    other |= pattern->phase ^ (first & 3U);
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      const bool active = ((lanes >> lane) & 1U) != 0;
      relative[lane] = active ? static_cast<std::uint32_t>(offsets[lane]) - first : 0;
      other |= relative[lane] ^ pattern->relative[lane];
    }
    if (other == 0) {
      return pattern->count;
    }
  }
  const MemoryAccess access{.warp = &warp,
                            .step = step,
                            .lanes = lanes,
                            .addresses = offsets,
                            .size_bytes = kSize,
                            .space = MemorySpace::kShared,
                            .kind = kKind,
                            .values = nullptr};
  const std::uint32_t count = CountRequest(access).count;
  if (pattern != nullptr) {
    std::memcpy(pattern->relative.data(), relative, sizeof(relative));
    pattern->lanes = lanes;
    pattern->phase = static_cast<std::uint32_t>(offsets[FirstLane(lanes)]) & 3U;
    pattern->count = count;
  }
  return count;
}

/// Half-warps (8 bytes) or quarter-warps (16 bytes) that have lanes: each takes one wavefront at
/// least.
template <std::uint32_t kSize>
ASSAY_GPU_INLINE std::uint32_t CountParts(LaneMask lanes) {
  if constexpr (kSize <= 4) {
    return 1;
  } else {
    constexpr std::uint32_t kParts = kSize / 4;
    constexpr std::uint32_t kLanesEach = kWarpSize / kParts;
    std::uint32_t parts = 0;
    for (std::uint32_t part = 0; part < kParts; ++part) {
      parts += (lanes & (((1U << kLanesEach) - 1U) << (part * kLanesEach))) != 0 ? 1U : 0U;
    }
    return parts;
  }
}

template <std::uint32_t kSize, TouchKind kKind, bool kFull>
ASSAY_GPU_INLINE bool ResolveSharedRun(const SharedRequest& request, Resolved& resolved) {
  const std::uint64_t first = request.first;
  const std::uint64_t room = request.warp.launch->shared_bytes;
  const std::uint32_t last = kFull ? kWarpSize - 1 : LastLane(request.lanes);
  const std::uint64_t bytes = (last - request.leader + 1) * kSize;
  if (first % kSize != 0 || first >= room || bytes > room - first) {
    return false;
  }
  const std::uint64_t start = first - request.leader * kSize;
  if (request.checked && !TouchSharedRun<kSize, kKind>(
                             request.toucher, static_cast<std::uint32_t>(start), request.lanes)) {
    return false;
  }
  CountWaves<kSize>(request.warp, request.step, request.threads, CountParts<kSize>(request.lanes));
  resolved.at = request.warp.block->shared + static_cast<std::int64_t>(start);
  return true;
}

/// Marks the one element that all lanes access; false as in shared_touch.h.
template <std::uint32_t kSize, TouchKind kKind>
ASSAY_GPU_INLINE bool TouchSharedUniform(const SharedRequest& request) {
  if constexpr (kKind == TouchKind::kRead) {
    return TouchSharedBroadcast<kSize>(request.toucher, static_cast<std::uint32_t>(request.first),
                                       request.lanes);
  } else {
    if (request.threads > 1 && kKind == TouchKind::kWrite) {
      return false;
    }
    const auto start = static_cast<std::uint32_t>(request.first) - request.leader * kSize;
    return TouchSharedRun<kSize, kKind>(request.toucher, start, 1U << request.leader);
  }
}

template <std::uint32_t kSize, TouchKind kKind>
ASSAY_GPU_INLINE bool ResolveSharedUniform(const SharedRequest& request, Resolved& resolved) {
  const std::uint64_t room = request.warp.launch->shared_bytes;
  if (request.first % kSize != 0 || request.first >= room || kSize > room - request.first) {
    return false;
  }
  if (request.checked && !TouchSharedUniform<kSize, kKind>(request)) {
    return false;
  }
  CountWaves<kSize>(request.warp, request.step, request.threads, CountParts<kSize>(request.lanes));
  resolved.at = request.warp.block->shared + request.first;
  return true;
}

/// Takes resolved.addresses as the instruction has them, and leaves host addresses there.
template <std::uint32_t kSize, TouchKind kKind, bool kFull>
ASSAY_GPU_INLINE bool ResolveSharedScattered(const SharedRequest& request, Resolved& resolved) {
  const LaneMask lanes = request.lanes;
  const std::uint64_t room = request.warp.launch->shared_bytes;
  std::uint64_t outside = 0;
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    std::uint64_t& offset = resolved.addresses[lane];
    offset = WithoutWindow<std::uint64_t>(offset, kSharedWindow);
    const bool bad = offset >= room || offset % kSize != 0;
    outside |= kFull || ((lanes >> lane) & 1U) != 0 ? static_cast<std::uint64_t>(bad) : 0;
    outside |= (kFull || ((lanes >> lane) & 1U) != 0) && kSize > room - offset ? 1U : 0U;
  }
  if (outside != 0) {
    return false;
  }
  if (request.checked &&
      !TouchSharedScattered<kSize, kKind>(request.toucher, resolved.addresses, lanes)) {
    return false;
  }
  CountWaves<kSize>(
      request.warp, request.step, request.threads,
      CountScatteredWaves<kSize, kKind>(request.warp, request.step, lanes, resolved.addresses));
  const auto host = reinterpret_cast<std::uint64_t>(request.warp.block->shared);
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    const bool active = kFull || ((lanes >> lane) & 1U) != 0;
    resolved.addresses[lane] = (active ? resolved.addresses[lane] : request.first) + host;
  }
  return true;
}

ASSAY_GPU_INLINE SharedToucher MakeSharedToucher(const Warp& warp, const Step* step) {
  const std::uint32_t tag = SharedTag(warp);  // It may change first_epoch.
  BlockShadow* shadow = warp.block->shared_shadow;
  return {.shadow = shadow,
          .tag = tag,
          .first_tag = shadow->first_epoch << kTagEpochShift,
          .instruction = step->instruction};
}

/// Addresses of A in shared memory, with its window's tag or without.
template <std::uint32_t kSize, TouchKind kKind, bool kFull, class A>
[[gnu::noinline]] Layout ResolveShared(Warp& warp, const Step* step, std::uint32_t base_operand,
                                       LaneMask lanes, Resolved& resolved) {
  const A* base = Lanes<A>(warp, base_operand);
  const std::uint32_t leader = kFull ? 0 : FirstLane(lanes);
  const bool checked = warp.worker->checker != nullptr;
  const SharedRequest request{
      .warp = warp,
      .step = step,
      .lanes = lanes,
      .threads = kFull ? kWarpSize : CountLanes(lanes),
      .leader = leader,
      .first = WithoutWindow<A>(static_cast<A>(base[leader] + static_cast<A>(step->immediate)),
                                kSharedWindow),
      .checked = checked,
      .toucher = checked ? MakeSharedToucher(warp, step) : SharedToucher{}};
  switch (LayoutOf<kSize>(base, lanes, leader)) {
    case Layout::kConsecutive:
      if (ResolveSharedRun<kSize, kKind, kFull>(request, resolved)) {
        return Layout::kConsecutive;
      }
      break;
    case Layout::kUniform:
      if (ResolveSharedUniform<kSize, kKind>(request, resolved)) {
        return Layout::kUniform;
      }
      break;
    case Layout::kScattered:
      FillAddresses(base, step->immediate, resolved.addresses);
      return ResolveSharedScattered<kSize, kKind, kFull>(request, resolved) ? Layout::kScattered
                                                                            : Layout::kSlow;
    default:
      break;
  }
  FillAddresses(base, step->immediate, resolved.addresses);
  return Layout::kSlow;
}

}  // namespace assay::gpu::ASSAY_GPU_ISA

#endif  // ASSAY_EMULATOR_OPS_SHARED_ACCESS_H_
