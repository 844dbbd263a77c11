// SPDX-License-Identifier: Apache-2.0
// How the lanes of a request lie: on consecutive addresses, on one, or scattered; and its counters.
// Included only by the sources of ops/ (see lanes.h).
#ifndef ASSAY_EMULATOR_OPS_LANE_LAYOUT_H_
#define ASSAY_EMULATOR_OPS_LANE_LAYOUT_H_

#include <cstddef>
#include <cstdint>

#include "emulator/memory/access.h"
#include "emulator/ops/lanes.h"

#if defined(__GNUC__) && !defined(__clang__)
// g++ 12 takes the undefined lanes of its own intrinsics for uninitialised (PR 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace assay::gpu::ASSAY_GPU_ISA {

enum class Layout : std::uint8_t { kSlow, kConsecutive, kUniform, kScattered };

/// Where the bytes of a request are on the host.
struct Resolved {
  std::byte* at;  ///< kUniform; kConsecutive: of lane 0, which may be inactive.
  /// kScattered: host addresses (those of inactive lanes may be read too). kSlow: what PerformLanes
  /// takes.
  alignas(64) std::uint64_t addresses[kWarpSize];
};

ASSAY_GPU_INLINE std::uint32_t OperandOffset(const Step* step, std::uint32_t index) {
  return step->operands != nullptr ? step->operands[index] : step->operand[index];
}

ASSAY_GPU_INLINE std::uint32_t CountLanes(LaneMask lanes) {
  return static_cast<std::uint32_t>(__builtin_popcount(lanes));
}
ASSAY_GPU_INLINE std::uint32_t FirstLane(LaneMask lanes) {
  return static_cast<std::uint32_t>(__builtin_ctz(lanes));
}
ASSAY_GPU_INLINE std::uint32_t LastLane(LaneMask lanes) {
  return 31U - static_cast<std::uint32_t>(__builtin_clz(lanes));
}

/// Whether base[l] == start + l * stride for all `lanes`. Not with Highway, which has no comparison
/// of some lanes: with one of all, checked accesses to shared memory took 1.3 times as long.
template <std::uint32_t kStride, class A>
ASSAY_GPU_INLINE bool IsRun(const A* base, A start, LaneMask lanes) {
#if defined(__AVX512F__)
  if constexpr (sizeof(A) == 8) {
    const __m512i iota = _mm512_setr_epi64(0, kStride, 2 * kStride, 3 * kStride, 4 * kStride,
                                           5 * kStride, 6 * kStride, 7 * kStride);
    const __m512i begin = _mm512_add_epi64(_mm512_set1_epi64(static_cast<long long>(start)), iota);
    unsigned other = 0;
    for (int part = 0; part < 4; ++part) {
      const __m512i expected =
          _mm512_add_epi64(begin, _mm512_set1_epi64(part * 8 * static_cast<int>(kStride)));
      other |= _mm512_mask_cmpneq_epu64_mask(static_cast<__mmask8>(lanes >> (8 * part)),
                                             _mm512_load_si512(base + 8 * part), expected);
    }
    return other == 0;
  } else {
    const __m512i iota =
        _mm512_mullo_epi32(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                           _mm512_set1_epi32(static_cast<int>(kStride)));
    const __m512i begin = _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(start)), iota);
    unsigned other = 0;
    for (int part = 0; part < 2; ++part) {
      const __m512i expected =
          _mm512_add_epi32(begin, _mm512_set1_epi32(part * 16 * static_cast<int>(kStride)));
      other |= _mm512_mask_cmpneq_epu32_mask(static_cast<__mmask16>(lanes >> (16 * part)),
                                             _mm512_load_si512(base + 16 * part), expected);
    }
    return other == 0;
  }
#else
  A other = 0;
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    const A difference = base[lane] ^ static_cast<A>(start + lane * kStride);
    other |= ((lanes >> lane) & 1U) != 0 ? difference : 0;
  }
  return other == 0;
#endif
}

template <std::uint32_t kSize, class A>
ASSAY_GPU_INLINE Layout LayoutOf(const A* base, LaneMask lanes, std::uint32_t leader) {
  const A first = base[leader];
  if ((lanes & (lanes - 1)) == 0) {
    return Layout::kUniform;
  }
  const std::uint32_t next = FirstLane(lanes & (lanes - 1));
  if (base[next] == first) {
    return IsRun<0>(base, first, lanes) ? Layout::kUniform : Layout::kScattered;
  }
  const A start = static_cast<A>(first - leader * kSize);
  return IsRun<kSize>(base, start, lanes) ? Layout::kConsecutive : Layout::kScattered;
}

/// Addresses of 64 bits; a base of 32 bits wraps in 32.
template <class A>
ASSAY_GPU_INLINE void FillAddresses(const A* base, std::uint64_t immediate, std::uint64_t* out) {
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    out[lane] = static_cast<A>(base[lane] + static_cast<A>(immediate));
  }
}

/// An address of shared or local memory or of a parameter as its offset there. One of 64 bits may
/// be generic: it has the tag of that memory's window then.
template <class A>
ASSAY_GPU_INLINE A WithoutWindow(A address, std::uint64_t window) {
  if constexpr (sizeof(A) == 8) {
    return (address >> kWindowShift) == (window >> kWindowShift) ? address ^ window : address;
  } else {
    return address;
  }
}

template <std::uint32_t kSize>
ASSAY_GPU_INLINE void CountSectors(Warp& warp, const Step* step, std::uint32_t threads,
                                   std::uint32_t sectors) {
  AccessCounters& counters = warp.worker->accesses.data()[step->instruction];
  const std::uint32_t packed = (threads * kSize + kSectorBytes - 1) / kSectorBytes;
  counters.requests += 1;
  counters.threads += threads;
  counters.bytes += std::uint64_t{threads} * kSize;
  counters.sectors += sectors;
  counters.ideal_sectors += packed < sectors ? packed : sectors;
}

template <std::uint32_t kSize>
ASSAY_GPU_INLINE void CountWaves(Warp& warp, const Step* step, std::uint32_t threads,
                                 std::uint32_t wavefronts) {
  AccessCounters& counters = warp.worker->accesses.data()[step->instruction];
  const std::uint32_t packed = (threads * kSize + 127) / 128;
  counters.requests += 1;
  counters.threads += threads;
  counters.bytes += std::uint64_t{threads} * kSize;
  counters.wavefronts += wavefronts;
  counters.ideal_wavefronts += packed < wavefronts ? packed : wavefronts;
}

}  // namespace assay::gpu::ASSAY_GPU_ISA

#endif  // ASSAY_EMULATOR_OPS_LANE_LAYOUT_H_
