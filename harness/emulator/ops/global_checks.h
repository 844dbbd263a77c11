// SPDX-License-Identifier: Apache-2.0
// The checks of requests to device memory, after their bounds: initcheck by written bits, racecheck
// by sector records (sector_touch.h), and the trace for the model of L2. Included only by the
// sources of ops/ (see lanes.h).
//
// A check here marks what it touches and finds out whether that is all; where a sector's state is
// not simple, or something was never written, the request is given to the definitions as well
// (memory/access.h), which take what is marked already for the same access and report.
#ifndef ASSAY_EMULATOR_OPS_GLOBAL_CHECKS_H_
#define ASSAY_EMULATOR_OPS_GLOBAL_CHECKS_H_

#include "emulator/memory/access.h"
#include "emulator/memory/global_memory.h"
#include "emulator/memory/l2_cache.h"
#include "emulator/memory/shared_shadow.h"
#include "emulator/ops/lane_layout.h"
#include "emulator/ops/sector_touch.h"

namespace assay::gpu::ASSAY_GPU_ISA {

struct GlobalRequest {
  Warp& warp;
  const Step* step;
  LaneMask lanes;
  const ArenaView& view;
  MemoryChecker* checker;  ///< Null: checks are off.
};

/// The request as the definitions in memory/access.h take it.
template <std::uint32_t kSize, TouchKind kKind>
ASSAY_GPU_INLINE MemoryAccess AccessOf(const GlobalRequest& request,
                                       const std::uint64_t* addresses) {
  return {.warp = &request.warp,
          .step = request.step,
          .lanes = request.lanes,
          .addresses = addresses,
          .size_bytes = kSize,
          .space = MemorySpace::kGlobal,
          .kind = kKind,
          .values = nullptr};
}

enum class Trace : std::uint8_t { kNo, kYes };

/// The checks of what the quick ones could not decide, by the definitions.
template <std::uint32_t kSize, TouchKind kKind>
[[gnu::noinline]] void CheckThoroughly(const GlobalRequest& request, const std::uint64_t* addresses,
                                       bool contents, Trace trace) {
  const MemoryAccess access = AccessOf<kSize, kKind>(request, addresses);
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
  const hn::Full128<std::uint32_t> four;
  bool done = true;
  for (std::uint32_t s = 0; s < kSize; s += 4) {
    std::uint32_t* const written = toucher.written + first + s;
    const auto ones = hn::Set(four, ~0U);
    const bool all = hn::AllTrue(four, hn::Eq(hn::LoadU(four, written), ones));
    if constexpr (kKind == TouchKind::kRead) {
      done &= all;
    } else if (!all) {
      hn::StoreU(ones, four, written);
    }
    done &= TouchFour<kKind, kLanesEach>(toucher, first + s, s * kLanesEach);
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

/// One element that all lanes access.
template <std::uint32_t kSize, TouchKind kKind>
ASSAY_GPU_INLINE void CheckUniform(const GlobalRequest& request, std::uint64_t address,
                                   std::uint32_t leader, std::uint64_t* addresses) {
  const CheckerState& state = request.checker->state;
  const Toucher toucher = MakeToucher(request.warp, request.step, request.view, state);
  const std::uint64_t offset = address - request.view.begin;
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
    TraceRun<kKind>(request.warp, sector, 1);
  }
  if (!done) [[unlikely]] {
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      addresses[lane] = address;
    }
    // One lane stands for all that read the same bytes, unless each has to be told of.
    const bool one_is_all = kKind == TouchKind::kRead && AllWritten(toucher, sector, mask);
    const GlobalRequest told{.warp = request.warp,
                             .step = request.step,
                             .lanes = one_is_all ? LaneMask{1} << leader : request.lanes,
                             .view = request.view,
                             .checker = request.checker};
    CheckThoroughly<kSize, kKind>(told, addresses, true, Trace::kNo);
  }
}

}  // namespace assay::gpu::ASSAY_GPU_ISA

#endif  // ASSAY_EMULATOR_OPS_GLOBAL_CHECKS_H_
