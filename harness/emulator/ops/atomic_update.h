// SPDX-License-Identifier: Apache-2.0
// What atom and red make of a place in memory: of one element, and of each of a vector's. Included
// only by the sources of ops/ (see lanes.h).
#ifndef ASSAY_EMULATOR_OPS_ATOMIC_UPDATE_H_
#define ASSAY_EMULATOR_OPS_ATOMIC_UPDATE_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "emulator/ops/memory_access.h"
#include "emulator/ops/memory_select.h"

namespace assay::gpu::ASSAY_GPU_ISA {

// ------------------------------------------------------------------ floating point

// PTX's NaN of each type; and what additions to global memory flush.
ASSAY_GPU_INLINE float FlushF32(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  return (bits & 0x7f800000U) == 0 ? std::bit_cast<float>(bits & 0x80000000U) : value;
}

ASSAY_GPU_INLINE std::uint32_t AddF32(std::uint32_t a, std::uint32_t b, bool flush) {
  float x = std::bit_cast<float>(a);
  float y = std::bit_cast<float>(b);
  if (flush) {
    x = FlushF32(x);
    y = FlushF32(y);
  }
  const float sum = flush ? FlushF32(x + y) : x + y;
  return sum != sum ? 0x7fffffffU : std::bit_cast<std::uint32_t>(sum);
}

ASSAY_GPU_INLINE std::uint64_t AddF64(std::uint64_t a, std::uint64_t b) {
  const double sum = std::bit_cast<double>(a) + std::bit_cast<double>(b);
  return sum != sum ? 0x7fffffffffffffffU : std::bit_cast<std::uint64_t>(sum);
}

// Sums of two are exact in f32, or round there as they would at once.
ASSAY_GPU_INLINE std::uint16_t AddF16(std::uint16_t a, std::uint16_t b) {
  const float sum = static_cast<float>(std::bit_cast<_Float16>(a)) +
                    static_cast<float>(std::bit_cast<_Float16>(b));
  if (sum != sum) {
    return 0x7fff;
  }
  return std::bit_cast<std::uint16_t>(static_cast<_Float16>(sum));
}

ASSAY_GPU_INLINE std::uint16_t AddBf16(std::uint16_t a, std::uint16_t b) {
  const float sum =
      std::bit_cast<float>(std::uint32_t{a} << 16) + std::bit_cast<float>(std::uint32_t{b} << 16);
  if (sum != sum) {
    return 0x7fff;
  }
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(sum);
  return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

// As min and max do it: a NaN beside a number is not looked at, and -0 is below 0.
template <class Widen>
ASSAY_GPU_INLINE std::uint16_t Extreme(std::uint16_t a, std::uint16_t b, bool least, Widen widen) {
  const float x = widen(a);
  const float y = widen(b);
  if (x != x) {
    return y != y ? 0x7fff : b;
  }
  if (x == y) {
    return least ? a | b : a & b;
  }
  return y != y || (least ? x < y : x > y) ? a : b;
}
ASSAY_GPU_INLINE std::uint16_t ExtremeF16(std::uint16_t a, std::uint16_t b, bool least) {
  return Extreme(a, b, least, [](std::uint16_t bits) __attribute__((always_inline)) {
    return static_cast<float>(std::bit_cast<_Float16>(bits));
  });
}
ASSAY_GPU_INLINE std::uint16_t ExtremeBf16(std::uint16_t a, std::uint16_t b, bool least) {
  return Extreme(a, b, least, [](std::uint16_t bits) __attribute__((always_inline)) {
    return std::bit_cast<float>(std::uint32_t{bits} << 16);
  });
}

// ------------------------------------------------------------------ operations

// What memory holds afterwards, of what it held and the operands.
enum class Op : std::uint8_t {
  kAdd,
  kMinSigned,
  kMinUnsigned,
  kMaxSigned,
  kMaxUnsigned,
  kInc,
  kDec,
  kAnd,
  kOr,
  kXor,
  kExch,
  kCas,
  kAddF,  // f16, f32, f64 by size
  kMinF,  // f16
  kMaxF,
  kAddBf,  // bf16
  kMinBf,
  kMaxBf,
  kAddF2,  // f16x2
  kMinF2,
  kMaxF2,
  kAddBf2,  // bf16x2
  kMinBf2,
  kMaxBf2,
};

// Of each half of two.
template <Op kOp>
ASSAY_GPU_INLINE std::uint16_t ApplyToHalf(std::uint16_t old, std::uint16_t b) {
  if constexpr (kOp == Op::kAddF || kOp == Op::kAddF2) {
    return AddF16(old, b);
  } else if constexpr (kOp == Op::kAddBf || kOp == Op::kAddBf2) {
    return AddBf16(old, b);
  } else if constexpr (kOp == Op::kMinBf || kOp == Op::kMinBf2 || kOp == Op::kMaxBf ||
                       kOp == Op::kMaxBf2) {
    return ExtremeBf16(old, b, kOp == Op::kMinBf || kOp == Op::kMinBf2);
  } else {
    return ExtremeF16(old, b, kOp == Op::kMinF || kOp == Op::kMinF2);
  }
}

template <Op kOp, class T>
ASSAY_GPU_INLINE T Apply(T old, T b, T c, bool flush) {
  using S = std::make_signed_t<T>;
  if constexpr (kOp == Op::kAdd) {
    return static_cast<T>(old + b);
  } else if constexpr (kOp == Op::kMinSigned) {
    return static_cast<S>(old) < static_cast<S>(b) ? old : b;
  } else if constexpr (kOp == Op::kMinUnsigned) {
    return old < b ? old : b;
  } else if constexpr (kOp == Op::kMaxSigned) {
    return static_cast<S>(old) > static_cast<S>(b) ? old : b;
  } else if constexpr (kOp == Op::kMaxUnsigned) {
    return old > b ? old : b;
  } else if constexpr (kOp == Op::kInc) {
    return static_cast<T>(old >= b ? 0 : old + 1);
  } else if constexpr (kOp == Op::kDec) {
    return static_cast<T>(old == 0 || old > b ? b : old - 1);
  } else if constexpr (kOp == Op::kAnd) {
    return static_cast<T>(old & b);
  } else if constexpr (kOp == Op::kOr) {
    return static_cast<T>(old | b);
  } else if constexpr (kOp == Op::kXor) {
    return static_cast<T>(old ^ b);
  } else if constexpr (kOp == Op::kExch) {
    return b;
  } else if constexpr (kOp == Op::kCas) {
    return old == b ? c : old;
  } else if constexpr (kOp == Op::kAddF && sizeof(T) == 8) {
    return AddF64(old, b);
  } else if constexpr (kOp == Op::kAddF && sizeof(T) == 4) {
    return AddF32(old, b, flush);
  } else if constexpr (sizeof(T) == 2) {
    return ApplyToHalf<kOp>(old, b);
  } else {
    return ApplyToHalf<kOp>(static_cast<std::uint16_t>(old), static_cast<std::uint16_t>(b)) |
           T{ApplyToHalf<kOp>(static_cast<std::uint16_t>(old >> 16),
                              static_cast<std::uint16_t>(b >> 16))}
               << 16;
  }
}

// Whether other workers may update the same memory now.
enum class Sharing : std::uint8_t { kAlone, kConcurrent };

template <Op kOp, class T>
ASSAY_GPU_INLINE T Update(std::byte* at, T b, T c, bool flush, Sharing sharing) {
  auto* word = reinterpret_cast<T*>(__builtin_assume_aligned(at, sizeof(T)));
  if (sharing == Sharing::kAlone) {
    const T old = *word;
    *word = Apply<kOp, T>(old, b, c, flush);
    return old;
  }
  if constexpr (kOp == Op::kAdd) {
    return __atomic_fetch_add(word, b, __ATOMIC_RELAXED);
  } else {
    T old = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (true) {
      const T next = Apply<kOp, T>(old, b, c, flush);
      if (next == old ||
          __atomic_compare_exchange_n(word, &old, next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        return old;
      }
    }
  }
}

// Alone where the launch runs its blocks one after the other.
ASSAY_GPU_INLINE Sharing SharingOfGlobal(const Warp& warp) {
  const MemoryChecker* checker = warp.worker->checker;
  return checker != nullptr && checker->state.sequential ? Sharing::kAlone : Sharing::kConcurrent;
}

// ------------------------------------------------------------------ order

// atom and red with release order are a fence too.
template <auto kNote, Handler kThen>
const Step* AfterFence(Warp& warp, const Step* step) {
  kNote(warp);
  return kThen(warp, step);
}

template <Handler kAll, Handler kSome>
Handlers Releasing(Releases releases) {
  switch (releases) {
    case Releases::kToAll:
      return {.full = AfterFence<NoteFence, kAll>, .masked = AfterFence<NoteFence, kSome>};
    case Releases::kToBlock:
      return {.full = AfterFence<NoteFenceOfBlock, kAll>,
              .masked = AfterFence<NoteFenceOfBlock, kSome>};
    default:
      return {.full = kAll, .masked = kSome};
  }
}

}  // namespace assay::gpu::ASSAY_GPU_ISA

#endif  // ASSAY_EMULATOR_OPS_ATOMIC_UPDATE_H_
