// SPDX-License-Identifier: Apache-2.0
// The quick ways of requests to device memory, with all checks and counters of memory/access.h. A
// resolver either does all of that and says where the lanes' bytes are, or has changed nothing and
// leaves the instruction to PerformLanes.
#ifndef ASSAY_EMULATOR_OPS_MEMORY_ACCESS_H_
#define ASSAY_EMULATOR_OPS_MEMORY_ACCESS_H_

#include <cstring>

#include "emulator/ops/global_checks.h"

namespace assay::gpu::ASSAY_GPU_ISA {

/// Bounds that the instruction's addresses are held against, and where they lead.
struct Bounds {
  std::uint64_t begin;
  std::uint64_t size_bytes;
};

ASSAY_GPU_INLINE bool Inside(const Bounds& bounds, std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t offset = address - bounds.begin;
  return offset < bounds.size_bytes && bytes <= bounds.size_bytes - offset;
}

/// Of constants, whose cache is another, nothing is touched.
enum class Touching : std::uint8_t { kNo, kYes };

ASSAY_GPU_INLINE Bounds BoundsOf(const GlobalRequest& request, Touching touching) {
  if (request.checker == nullptr) {
    // Which allocations are constants is not known here: const loads go the slow way.
    return {.begin = request.view.begin,
            .size_bytes = touching == Touching::kYes ? request.view.mapped_bytes : 0};
  }
  const SiteCache& site = request.checker->state.sites[request.step->instruction];
  return {.begin = site.begin, .size_bytes = site.size_bytes};
}

/// Whether other blocks may take the access for a signal: after a fence, an atomic or one thread's
/// write is; and once there was one, an atomic may hear it.
template <TouchKind kKind>
ASSAY_GPU_INLINE bool Orders(const GlobalRequest& request, std::uint32_t threads) {
  const CheckerState& state = request.checker->state;
  if (!state.sequential) {
    return false;
  }
  const bool fenced = request.warp.block->shared_shadow->fenced;
  return kKind == TouchKind::kAtomic ? fenced || state.released : fenced && threads == 1;
}

/// Sectors of a scattered access, memoised until mask, phase or offsets change.
template <std::uint32_t kSize, TouchKind kKind>
[[gnu::noinline]] std::uint32_t CountScattered(const GlobalRequest& request,
                                               const std::uint64_t* addresses) {
  const std::uint64_t first = addresses[FirstLane(request.lanes)];
  PatternCache* pattern = nullptr;
  alignas(64) std::uint32_t relative[kWarpSize];
  if (request.checker != nullptr) {
    pattern = request.checker->state.patterns + request.step->instruction;
    std::uint32_t other = pattern->lanes ^ request.lanes;
    other |= pattern->phase ^ static_cast<std::uint32_t>(first % kSectorBytes);
    std::uint64_t high = 0;
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      const bool active = ((request.lanes >> lane) & 1U) != 0;
      const std::uint64_t distance = addresses[lane] - first + 0x80000000U;
      high |= active ? distance >> 32 : 0;
      relative[lane] = active ? static_cast<std::uint32_t>(distance) : 0;
      other |= relative[lane] ^ pattern->relative[lane];
    }
    if (high != 0) {
      pattern = nullptr;
    } else if (other == 0) {
      return pattern->count;
    }
  }
  const std::uint32_t count = CountRequest(AccessOf<kSize, kKind>(request, addresses)).count;
  if (pattern != nullptr) {
    std::memcpy(pattern->relative.data(), relative, sizeof(relative));
    pattern->lanes = request.lanes;
    pattern->phase = first % kSectorBytes;
    pattern->count = count;
  }
  return count;
}

/// Counts the sectors of consecutive elements, and checks and traces them where that is asked for;
/// `start` is the address of lane 0's, active or not.
template <std::uint32_t kSize, TouchKind kKind, bool kFull>
ASSAY_GPU_INLINE void CountAndCheckRun(const GlobalRequest& request, std::uint64_t start,
                                       std::uint32_t threads, bool checked) {
  const std::uint32_t phase = start % kSectorBytes;
  if constexpr (kFull) {
    CountSectors<kSize>(request.warp, request.step, threads,
                        (phase + kWarpSize * kSize + kSectorBytes - 1) / kSectorBytes);
    if (!checked) {
      return;
    }
#if defined(__AVX512F__)
    if constexpr (kSize >= 4 && kKind != TouchKind::kAtomic) {
      if (phase == 0) {
        CheckWholeSectors<kSize, kKind>(request, start);
        return;
      }
    }
#endif
  }
  std::uint32_t masks[kSize == 1 ? 3 : kSize + 1];
  const std::uint32_t sectors = SectorMasks<kSize>(request.lanes, phase, masks);
  if constexpr (!kFull) {
    std::uint32_t touched = 0;
    for (std::uint32_t s = 0; s < sectors; ++s) {
      touched += masks[s] != 0 ? 1 : 0;
    }
    CountSectors<kSize>(request.warp, request.step, threads, touched);
  }
  if (checked) {
    CheckConsecutive<kSize, kKind>(request, start, masks, sectors);
  }
}

/// Takes resolved.addresses as the instruction has them, and leaves host addresses there, that of
/// `first` for lanes that do not run. False: an address is out of bounds or not aligned.
template <std::uint32_t kSize, TouchKind kKind, bool kFull>
ASSAY_GPU_INLINE bool ResolveGlobalScattered(const GlobalRequest& request, const Bounds& bounds,
                                             std::uint32_t threads, bool checked,
                                             std::uint64_t first, Resolved& resolved) {
  const LaneMask lanes = request.lanes;
  std::uint64_t outside = 0;
  const std::uint64_t room = bounds.size_bytes - kSize;
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    const std::uint64_t offset = resolved.addresses[lane] - bounds.begin;
    const bool bad = offset > room || resolved.addresses[lane] % kSize != 0;
    outside |= kFull || ((lanes >> lane) & 1U) != 0 ? static_cast<std::uint64_t>(bad) : 0;
  }
  if (outside != 0 || bounds.size_bytes < kSize) {
    return false;
  }
  CountSectors<kSize>(request.warp, request.step, threads,
                      CountScattered<kSize, kKind>(request, resolved.addresses));
  if (checked) {
    CheckScattered<kSize, kKind>(request, resolved.addresses);
  }
  const auto host = reinterpret_cast<std::uint64_t>(request.view.host) - request.view.begin;
  const std::uint64_t spare = first + host;
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    const bool active = kFull || ((lanes >> lane) & 1U) != 0;
    resolved.addresses[lane] = active ? resolved.addresses[lane] + host : spare;
  }
  return true;
}

/// Global and generic addresses.
template <std::uint32_t kSize, TouchKind kKind, bool kFull>
[[gnu::noinline]] Layout ResolveGlobal(Warp& warp, const Step* step, std::uint32_t base_operand,
                                       LaneMask lanes, Resolved& resolved,
                                       Touching touching = Touching::kYes) {
  const auto* base = Lanes<std::uint64_t>(warp, base_operand);
  const std::uint32_t leader = kFull ? 0 : FirstLane(lanes);
  const GlobalRequest request{.warp = warp,
                              .step = step,
                              .lanes = lanes,
                              .view = warp.launch->memory->view(),
                              .checker = warp.worker->checker};
  const Bounds bounds = BoundsOf(request, touching);
  const std::uint64_t first = base[leader] + step->immediate;
  const std::uint32_t threads = kFull ? kWarpSize : CountLanes(lanes);
  const bool checked = request.checker != nullptr && touching == Touching::kYes;
  // What may be a signal to other blocks is SectorShadow's.
  const bool signals = kKind != TouchKind::kRead && checked && Orders<kKind>(request, threads);
  const Layout layout = signals ? Layout::kSlow : LayoutOf<kSize>(base, lanes, leader);
  switch (layout) {
    case Layout::kConsecutive: {
      const std::uint32_t last = kFull ? kWarpSize - 1 : LastLane(lanes);
      if (first % kSize != 0 || !Inside(bounds, first, (last - leader + 1) * kSize)) {
        break;
      }
      const std::uint64_t start = first - leader * kSize;
      resolved.at = request.view.host + (start - request.view.begin);
      CountAndCheckRun<kSize, kKind, kFull>(request, start, threads, checked);
      return layout;
    }
    case Layout::kUniform:
      if (first % kSize != 0 || !Inside(bounds, first, kSize)) {
        break;
      }
      resolved.at = request.view.host + (first - request.view.begin);
      CountSectors<kSize>(warp, step, threads, 1);
      if (checked) {
        CheckUniform<kSize, kKind>(request, first, leader, resolved.addresses);
      }
      return layout;
    case Layout::kScattered:
      FillAddresses(base, step->immediate, resolved.addresses);
      return ResolveGlobalScattered<kSize, kKind, kFull>(request, bounds, threads, checked, first,
                                                         resolved)
                 ? layout
                 : Layout::kSlow;
    default:
      break;
  }
  FillAddresses(base, step->immediate, resolved.addresses);
  return Layout::kSlow;
}

}  // namespace assay::gpu::ASSAY_GPU_ISA

#endif  // ASSAY_EMULATOR_OPS_MEMORY_ACCESS_H_
