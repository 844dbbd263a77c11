// SPDX-License-Identifier: Apache-2.0
// Included only by the sources of ops/, which are compiled once for each width of vectors: all of
// it is in a namespace of that width, so that no linker mixes them up.
#ifndef ASSAY_EMULATOR_OPS_LANES_H_
#define ASSAY_EMULATOR_OPS_LANES_H_

#include <cstddef>
#include <cstdint>

#include "emulator/core/step.h"
#include "emulator/core/warp.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#define ASSAY_GPU_ISA avx512
#elif defined(__AVX2__)
#include <immintrin.h>
#define ASSAY_GPU_ISA avx2
#else
#error "handlers are compiled for AVX2 or AVX-512"
#endif
#define ASSAY_GPU_INLINE static inline __attribute__((always_inline))

namespace assay::gpu::ASSAY_GPU_ISA {

/// The 32 lanes of a register or constant.
template <class T>
ASSAY_GPU_INLINE T* Lanes(Warp& warp, std::uint32_t offset) {
  return reinterpret_cast<T*>(__builtin_assume_aligned(warp.registers + offset, 64));
}

ASSAY_GPU_INLINE LaneMask& Predicate(Warp& warp, std::uint32_t offset) {
  return *reinterpret_cast<LaneMask*>(warp.registers + offset);
}

/// The lanes for which a masked handler runs.
ASSAY_GPU_INLINE LaneMask ExecutedLanes(Warp& warp, const Step* step) {
  return warp.active & (Predicate(warp, step->guard) ^ step->guard_flip);
}

/// to[l] = from[l] for the lanes of `mask`.
template <class T>
ASSAY_GPU_INLINE void StoreLanes(T* to, const T* from, LaneMask mask) {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 4) {
    for (int half = 0; half < 2; ++half) {
      _mm512_mask_storeu_epi32(to + 16 * half, static_cast<__mmask16>(mask >> (16 * half)),
                               _mm512_loadu_si512(from + 16 * half));
    }
    return;
  } else if constexpr (sizeof(T) == 8) {
    for (int part = 0; part < 4; ++part) {
      _mm512_mask_storeu_epi64(to + 8 * part, static_cast<__mmask8>(mask >> (8 * part)),
                               _mm512_loadu_si512(from + 8 * part));
    }
    return;
  } else if constexpr (sizeof(T) == 2) {
    _mm512_mask_storeu_epi16(to, mask, _mm512_loadu_si512(from));
    return;
  }
#endif
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    to[lane] = ((mask >> lane) & 1U) != 0 ? from[lane] : to[lane];
  }
}

}  // namespace assay::gpu::ASSAY_GPU_ISA

#endif  // ASSAY_EMULATOR_OPS_LANES_H_
