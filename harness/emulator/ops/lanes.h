// SPDX-License-Identifier: Apache-2.0
// Included only by the sources of ops/, which are compiled once for each width of vectors: all of
// it is in a namespace of that width, so that no linker mixes them up.
//
// What one expression says for every width is written with Highway, which here is compiled for the
// width of the source alone. Intrinsics stand where it has no such operation, or a slower one.
#ifndef ASSAY_EMULATOR_OPS_LANES_H_
#define ASSAY_EMULATOR_OPS_LANES_H_

#include <hwy/highway.h>

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

namespace hn = hwy::HWY_NAMESPACE;

/// As many lanes of T as a vector holds. 32 lanes lie in kWarpSize / kPerVector<T> vectors.
template <class T>
using VectorOf = hn::ScalableTag<T>;
template <class T>
inline constexpr std::uint32_t kPerVector = hn::MaxLanes(VectorOf<T>());
#if defined(__AVX512F__)
static_assert(kPerVector<std::uint8_t> == 64);
#else
static_assert(kPerVector<std::uint8_t> == 32);
#endif

/// The lanes of a vector of T that begins at lane `first`, of those of a warp.
template <class T>
ASSAY_GPU_INLINE auto VectorMask(LaneMask lanes, std::uint32_t first) {
  const std::uint64_t bits = lanes >> first;  // Eight bytes may be read.
  return hn::LoadMaskBits(VectorOf<T>(), reinterpret_cast<const std::uint8_t*>(&bits));
}

/// The same back: the lanes of a warp, of a mask of the vector that begins at lane `first`.
template <class T, class Mask>
ASSAY_GPU_INLINE LaneMask WarpMask(Mask mask, std::uint32_t first) {
  std::uint64_t bits = 0;  // Eight bytes may be written.
  hn::StoreMaskBits(VectorOf<T>(), mask, reinterpret_cast<std::uint8_t*>(&bits));
  return static_cast<LaneMask>(bits) << first;
}

/// The lanes for which a masked handler runs.
ASSAY_GPU_INLINE LaneMask ExecutedLanes(Warp& warp, const Step* step) {
  return warp.active & (Predicate(warp, step->guard) ^ step->guard_flip);
}

/// to[l] = from[l] for the lanes of `mask`.
template <class T>
ASSAY_GPU_INLINE void StoreLanes(T* to, const T* from, LaneMask mask) {
  if constexpr (sizeof(T) >= 2) {
    const VectorOf<T> d;
    for (std::uint32_t lane = 0; lane < kWarpSize; lane += kPerVector<T>) {
      hn::BlendedStore(hn::LoadU(d, from + lane), VectorMask<T>(mask, lane), d, to + lane);
    }
  } else {
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      to[lane] = ((mask >> lane) & 1U) != 0 ? from[lane] : to[lane];
    }
  }
}

/// The same of a predicate: bit l of `to` = bit l of `from` for the lanes of `mask`.
ASSAY_GPU_INLINE void StorePredicate(LaneMask& to, LaneMask from, LaneMask mask) {
  to = (to & ~mask) | (from & mask);
}

}  // namespace assay::gpu::ASSAY_GPU_ISA

#endif  // ASSAY_EMULATOR_OPS_LANES_H_
