// SPDX-License-Identifier: Apache-2.0
// The quick ways of requests to device memory, with all checks and counters of memory/access.h. A
// resolver either does all of that and says where the lanes' bytes are, or has changed nothing and
// leaves the instruction to PerformLanes.
#ifndef ASSAY_EMULATOR_OPS_MEMORY_ACCESS_H_
#define ASSAY_EMULATOR_OPS_MEMORY_ACCESS_H_

#include <cstring>

#include "emulator/memory/access.h"
#include "emulator/memory/global_memory.h"
#include "emulator/memory/l2_cache.h"
#include "emulator/memory/shared_shadow.h"
#include "emulator/ops/lane_layout.h"
#include "emulator/ops/sector_touch.h"

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

struct GlobalRequest {
  Warp& warp;
  const Step* step;
  LaneMask lanes;
  const ArenaView& view;
  MemoryChecker* checker;  ///< Null: checks are off.
};

enum class Trace : std::uint8_t { kNo, kYes };

/// What the quick ways could not do of the checks, by the thorough ones.
template <std::uint32_t kSize, TouchKind kKind>
[[gnu::noinline]] void CheckThoroughly(const GlobalRequest& request, const std::uint64_t* addresses,
                                       bool contents, Trace trace) {
  const MemoryAccess access{.warp = &request.warp,
                            .step = request.step,
                            .lanes = request.lanes,
                            .addresses = addresses,
                            .size_bytes = kSize,
                            .space = MemorySpace::kGlobal,
                            .kind = kKind,
                            .values = nullptr};
  if (contents) {
    if constexpr (kKind != TouchKind::kWrite) {
      CheckWritten(access);
    }
    if constexpr (kKind != TouchKind::kRead) {
      MarkWritten(access);
    }
    TouchSectors(access);
  }
  if (trace == Trace::kYes) {
    TraceSectors(access);
  }
}

/// L2 requests for sectors from `first` on: bit s of `sectors` for the s-th.
template <TouchKind kKind>
ASSAY_GPU_INLINE void TraceRun(Warp& warp, std::uint64_t first, std::uint64_t sectors) {
  constexpr std::uint64_t kFlags = kKind == TouchKind::kRead    ? kL2Read
                                   : kKind == TouchKind::kWrite ? kL2Write
                                                                : kL2Read | kL2Write;
  auto* shadow = warp.block->shared_shadow;
  if (shadow->trace_end - shadow->trace_at < static_cast<std::ptrdiff_t>(kMaxTraced)) {
    FlushTrace(warp);
  }
  const std::uint64_t skip = warp.worker->checker->state.l2_skip_mask;
  std::uint64_t* at = shadow->trace_at;
  std::uint64_t line = first / 4;
  for (std::uint64_t left = sectors << (first % 4); left != 0; left >>= 4, ++line) {
    *at = line << kL2LineShift | (left & 15U) << kL2SectorShift | kFlags;
    at += (left & 15U) != 0 && (L2LineChoice(line) & skip) == 0 ? 1 : 0;
  }
  shadow->trace_at = at;
}

template <std::uint32_t kSize, TouchKind kKind>
ASSAY_GPU_INLINE void CheckConsecutive(const GlobalRequest& request, std::uint64_t start,
                                       const std::uint32_t* masks, std::uint32_t sectors) {
  const CheckerState& state = request.checker->state;
  const Toucher toucher = MakeToucher(request.warp, request.step, request.view, state);
  const std::uint64_t first = (start - request.view.begin) / kSectorBytes;
  const std::uint32_t phase = start % kSectorBytes;
  bool done = true;
  std::uint64_t touched = 0;
  for (std::uint32_t s = 0; s < sectors; ++s) {
    const std::uint32_t mask = masks[s];
    if (mask == 0) {
      continue;
    }
    touched |= std::uint64_t{1} << s;
    const std::uint32_t byte = s * kSectorBytes + static_cast<std::uint32_t>(__builtin_ctz(mask));
    if constexpr (kKind != TouchKind::kWrite) {
      done &= AllWritten(toucher, first + s, mask);
    }
    if constexpr (kKind != TouchKind::kRead) {
      SetWritten(toucher, first + s, mask);
    }
    done &= TouchOne<kKind>(toucher, first + s, mask, (byte - phase) / kSize);
  }
  if (state.trace_l2) {
    TraceRun<kKind>(request.warp, first, touched);
  }
  if (!done) [[unlikely]] {
    alignas(64) std::uint64_t addresses[kWarpSize];
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      addresses[lane] = start + lane * kSize;
    }
    CheckThoroughly<kSize, kKind>(request, addresses, true, Trace::kNo);
  }
}

#if defined(__AVX512F__)
/// All 32 lanes, from the start of a sector on.
template <std::uint32_t kSize, TouchKind kKind>
ASSAY_GPU_INLINE void CheckWholeSectors(const GlobalRequest& request, std::uint64_t start) {
  const CheckerState& state = request.checker->state;
  const Toucher toucher = MakeToucher(request.warp, request.step, request.view, state);
  const std::uint64_t first = (start - request.view.begin) / kSectorBytes;
  constexpr std::uint32_t kLanesEach = kSectorBytes / kSize;
  bool done = true;
  for (std::uint32_t s = 0; s < kSize; s += 4) {
    auto* written = reinterpret_cast<__m128i*>(toucher.written + first + s);
    const __m128i bits = _mm_loadu_si128(written);
    const bool all = _mm_test_all_ones(bits) != 0;
    if constexpr (kKind == TouchKind::kRead) {
      done &= all;
    } else if (!all) {
      _mm_storeu_si128(written, _mm_set1_epi32(-1));
    }
    done &= TouchFour<kKind>(toucher, first + s, s * kLanesEach, kLanesEach);
  }
  if (state.trace_l2) {
    TraceRun<kKind>(request.warp, first, (std::uint64_t{1} << kSize) - 1);
  }
  if (!done) [[unlikely]] {
    alignas(64) std::uint64_t addresses[kWarpSize];
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      addresses[lane] = start + lane * kSize;
    }
    CheckThoroughly<kSize, kKind>(request, addresses, true, Trace::kNo);
  }
}
#endif

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
  const MemoryAccess access{.warp = &request.warp,
                            .step = request.step,
                            .lanes = request.lanes,
                            .addresses = addresses,
                            .size_bytes = kSize,
                            .space = MemorySpace::kGlobal,
                            .kind = kKind,
                            .values = nullptr};
  const std::uint32_t count = CountRequest(access).count;
  if (pattern != nullptr) {
    std::memcpy(pattern->relative.data(), relative, sizeof(relative));
    pattern->lanes = request.lanes;
    pattern->phase = first % kSectorBytes;
    pattern->count = count;
  }
  return count;
}

template <std::uint32_t kSize, TouchKind kKind>
ASSAY_GPU_INLINE void CheckScattered(const GlobalRequest& request, const std::uint64_t* addresses) {
  const CheckerState& state = request.checker->state;
  const Toucher toucher = MakeToucher(request.warp, request.step, request.view, state);
  bool done = true;
  for (LaneMask left = request.lanes; left != 0; left &= left - 1) {
    const std::uint32_t lane = FirstLane(left);
    const std::uint64_t offset = addresses[lane] - request.view.begin;
    const std::uint64_t sector = offset / kSectorBytes;
    const std::uint32_t mask = ((1U << kSize) - 1U) << (offset % kSectorBytes);
    if constexpr (kKind != TouchKind::kWrite) {
      done &= AllWritten(toucher, sector, mask);
    }
    if constexpr (kKind != TouchKind::kRead) {
      SetWritten(toucher, sector, mask);
    }
    done &= TouchOne<kKind>(toucher, sector, mask, lane);
  }
  if (!done || state.trace_l2) [[unlikely]] {
    CheckThoroughly<kSize, kKind>(request, addresses, !done,
                                  state.trace_l2 ? Trace::kYes : Trace::kNo);
  }
}

ASSAY_GPU_INLINE Bounds BoundsOf(const GlobalRequest& request) {
  if (request.checker == nullptr) {
    return {.begin = request.view.begin, .size_bytes = request.view.mapped_bytes};
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

/// Of constants, whose cache is another, nothing is touched.
enum class Touching : std::uint8_t { kNo, kYes };

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
  const Bounds bounds = BoundsOf(request);
  const std::uint64_t first = base[leader] + step->immediate;
  const std::uint32_t threads = kFull ? kWarpSize : CountLanes(lanes);
  const bool checked = request.checker != nullptr && touching == Touching::kYes;
  // What lets other blocks know must pass SectorShadow.
  const bool alone = kKind != TouchKind::kRead && checked && Orders<kKind>(request, threads);
  const Layout layout = alone ? Layout::kSlow : LayoutOf<kSize>(base, lanes, leader);
  switch (layout) {
    case Layout::kConsecutive: {
      const std::uint32_t last = kFull ? kWarpSize - 1 : LastLane(lanes);
      if (first % kSize != 0 || !Inside(bounds, first, (last - leader + 1) * kSize)) {
        break;
      }
      const std::uint64_t start = first - leader * kSize;
      const std::uint32_t phase = start % kSectorBytes;
      resolved.at = request.view.host + (start - request.view.begin);
      if constexpr (kFull) {
        CountSectors<kSize>(warp, step, threads,
                            (phase + kWarpSize * kSize + kSectorBytes - 1) / kSectorBytes);
        if (!checked) {
          return layout;
        }
#if defined(__AVX512F__)
        if constexpr (kSize >= 4 && kKind != TouchKind::kAtomic) {
          if (phase == 0) {
            CheckWholeSectors<kSize, kKind>(request, start);
            return layout;
          }
        }
#endif
      }
      std::uint32_t masks[kSize == 1 ? 3 : kSize + 1];
      const std::uint32_t sectors = SectorMasks<kSize>(lanes, phase, masks);
      if constexpr (!kFull) {
        std::uint32_t touched = 0;
        for (std::uint32_t s = 0; s < sectors; ++s) {
          touched += masks[s] != 0 ? 1 : 0;
        }
        CountSectors<kSize>(warp, step, threads, touched);
      }
      if (checked) {
        CheckConsecutive<kSize, kKind>(request, start, masks, sectors);
      }
      return layout;
    }
    case Layout::kUniform: {
      if (first % kSize != 0 || !Inside(bounds, first, kSize)) {
        break;
      }
      const std::uint64_t offset = first - request.view.begin;
      resolved.at = request.view.host + offset;
      CountSectors<kSize>(warp, step, threads, 1);
      if (!checked) {
        return layout;
      }
      const CheckerState& state = request.checker->state;
      const Toucher toucher = MakeToucher(warp, step, request.view, state);
      const std::uint64_t sector = offset / kSectorBytes;
      const std::uint32_t mask = ((1U << kSize) - 1U) << (offset % kSectorBytes);
      bool done = true;
      if constexpr (kKind != TouchKind::kWrite) {
        done &= AllWritten(toucher, sector, mask);
      }
      if constexpr (kKind != TouchKind::kRead) {
        SetWritten(toucher, sector, mask);
      }
      done &= TouchOne<kKind>(toucher, sector, mask, leader);
      if (state.trace_l2) {
        TraceRun<kKind>(warp, sector, 1);
      }
      if (!done) [[unlikely]] {
        for (std::uint64_t& address : resolved.addresses) {
          address = first;
        }
        // One lane stands for all that read the same bytes, unless each has to be told of.
        const bool one_is_all = kKind == TouchKind::kRead && AllWritten(toucher, sector, mask);
        const GlobalRequest told{.warp = request.warp,
                                 .step = request.step,
                                 .lanes = one_is_all ? LaneMask{1} << leader : request.lanes,
                                 .view = request.view,
                                 .checker = request.checker};
        CheckThoroughly<kSize, kKind>(told, resolved.addresses, true, Trace::kNo);
      }
      return layout;
    }
    case Layout::kScattered: {
      FillAddresses(base, step->immediate, resolved.addresses);
      std::uint64_t outside = 0;
      const std::uint64_t room = bounds.size_bytes - kSize;
      for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
        const std::uint64_t offset = resolved.addresses[lane] - bounds.begin;
        const bool bad = offset > room || resolved.addresses[lane] % kSize != 0;
        outside |= kFull || ((lanes >> lane) & 1U) != 0 ? static_cast<std::uint64_t>(bad) : 0;
      }
      if (outside != 0 || bounds.size_bytes < kSize) {
        return Layout::kSlow;
      }
      CountSectors<kSize>(warp, step, threads,
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
      return layout;
    }
    default:
      break;
  }
  FillAddresses(base, step->immediate, resolved.addresses);
  return Layout::kSlow;
}

}  // namespace assay::gpu::ASSAY_GPU_ISA

#endif  // ASSAY_EMULATOR_OPS_MEMORY_ACCESS_H_
