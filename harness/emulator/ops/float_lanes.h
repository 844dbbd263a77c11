// SPDX-License-Identifier: Apache-2.0
// What the operations on f32 and f64 share. Included only by the sources of ops/ (see lanes.h).
#ifndef ASSAY_EMULATOR_OPS_FLOAT_LANES_H_
#define ASSAY_EMULATOR_OPS_FLOAT_LANES_H_

#include <cstdint>

#if !defined(__SSE2__)
#include <cfenv>
#endif

#include "emulator/ops/elementwise.h"
#include "emulator/ptx/opcode.h"

namespace assay::gpu::ASSAY_GPU_ISA {

template <class T>
struct FloatFormat;
template <>
struct FloatFormat<float> {
  using Bits = std::uint32_t;
  static constexpr Bits kSign = 0x80000000U;
  static constexpr Bits kInfinity = 0x7f800000U;
  static constexpr Bits kQuiet = 0x00400000U;
  static constexpr Bits kNan = 0x7fffffffU;  ///< The only NaN that f32 arithmetic makes.
};
template <>
struct FloatFormat<double> {
  using Bits = std::uint64_t;
  static constexpr Bits kSign = 0x8000000000000000U;
  static constexpr Bits kInfinity = 0x7ff0000000000000U;
  static constexpr Bits kQuiet = 0x0008000000000000U;
  static constexpr Bits kNan = 0xfff8000000000000U;  ///< Of an invalid operation on numbers.
};
template <class T>
using BitsOf = typename FloatFormat<T>::Bits;

template <class T>
ASSAY_GPU_INLINE BitsOf<T> ToBits(T value) {
  return BitCast<BitsOf<T>>(value);
}
ASSAY_GPU_INLINE float FromBits(std::uint32_t bits) { return BitCast<float>(bits); }
ASSAY_GPU_INLINE double FromBits(std::uint64_t bits) { return BitCast<double>(bits); }

template <class T>
ASSAY_GPU_INLINE bool IsNan(T value) {
  return value != value;
}

/// Subnormals become zeros of their sign.
template <bool kFlush, class T>
ASSAY_GPU_INLINE T Flush(T value) {
  if constexpr (kFlush) {
    using Format = FloatFormat<T>;
    const BitsOf<T> bits = ToBits(value);
    return FromBits((bits & Format::kInfinity) == 0 ? bits & Format::kSign : bits);
  }
  return value;
}

/// To [0, 1]; NaN to +0.
template <bool kSaturate, class T>
ASSAY_GPU_INLINE T Saturate(T value) {
  if constexpr (kSaturate) {
    const T positive = value > T{0} ? value : T{0};
    return positive < T{1} ? positive : T{1};
  }
  return value;
}

ASSAY_GPU_INLINE float CanonicalNan(float value) {
  return IsNan(value) ? FromBits(FloatFormat<float>::kNan) : value;
}

/// The NaN of an operation: f32's one NaN; for f64 that of the first operand that is one, made
/// quiet. Which one x86 takes depends on how operands were assigned to registers.
template <class... A>
ASSAY_GPU_INLINE float SettleNan(float result, A... /*operands*/) {
  return CanonicalNan(result);
}
ASSAY_GPU_INLINE double QuietNan(double value, double otherwise) {
  using Format = FloatFormat<double>;
  return IsNan(value) ? FromBits(ToBits(value) | Format::kQuiet) : otherwise;
}
ASSAY_GPU_INLINE double InvalidNan(double result) {
  return IsNan(result) ? FromBits(FloatFormat<double>::kNan) : result;
}
ASSAY_GPU_INLINE double SettleNan(double result, double a) {
  return QuietNan(a, InvalidNan(result));
}
ASSAY_GPU_INLINE double SettleNan(double result, double a, double b) {
  return QuietNan(a, QuietNan(b, InvalidNan(result)));
}
ASSAY_GPU_INLINE double SettleNan(double result, double a, double b, double c) {
  return QuietNan(a, QuietNan(b, QuietNan(c, InvalidNan(result))));
}

/// min and max. A number wins over a NaN, unless the NaN is asked for; -0 is less than +0. With
/// kSignOfProduct it is that of the magnitudes, with the sign that a * b has.
template <class T, bool kMaximum, bool kFlush, bool kNanPropagates, bool kSignOfProduct>
struct Extremum {
  ASSAY_GPU_INLINE T Apply(T a, T b) {
    using Format = FloatFormat<T>;
    constexpr BitsOf<T> kCleared = kSignOfProduct ? Format::kSign : 0;
    const T x = FromBits(ToBits(Flush<kFlush>(a)) & ~kCleared);
    const T y = FromBits(ToBits(Flush<kFlush>(b)) & ~kCleared);
    const BitsOf<T> sign = (ToBits(a) ^ ToBits(b)) & kCleared;
    // Equal values differ only when they are zeros of two signs.
    const BitsOf<T> both = kMaximum ? ToBits(x) & ToBits(y) : ToBits(x) | ToBits(y);
    const T ordered = x == y ? FromBits(both) : ((kMaximum ? x > y : x < y) ? x : y);
    const T result = IsNan(x) ? y : (IsNan(y) ? x : ordered);
    const bool is_nan = kNanPropagates ? IsNan(x) || IsNan(y) : IsNan(x) && IsNan(y);
    const T nan = SettleNan(FromBits(Format::kNan), a, b);
    return is_nan ? nan : FromBits(ToBits(result) | sign);
  }
};

/// While one lives, arithmetic rounds in this direction; then as before. The arithmetic must read
/// its operands from memory and hand its results in memory to Finish: only that keeps a compiler
/// from moving it out of the scope.
template <ptx::Rounding kRounding>
class RoundingScope {
 public:
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

  ASSAY_GPU_INLINE void Finish(const void* results) { asm volatile("" ::"r"(results) : "memory"); }

#if defined(__SSE2__)
  __attribute__((always_inline)) RoundingScope() : saved_(__builtin_ia32_stmxcsr()) {
    constexpr unsigned kDirections = 0x6000;
    __builtin_ia32_ldmxcsr((saved_ & ~kDirections) | kDirection);
    asm volatile("" ::: "memory");
  }
  __attribute__((always_inline)) ~RoundingScope() { __builtin_ia32_ldmxcsr(saved_); }

 private:
  static constexpr unsigned kDirection = kRounding == ptx::Rounding::kRm   ? 0x2000
                                         : kRounding == ptx::Rounding::kRp ? 0x4000
                                                                           : 0x6000;
  unsigned saved_;
#else
  __attribute__((always_inline)) RoundingScope() : saved_(std::fegetround()) {
    std::fesetround(kRounding == ptx::Rounding::kRm   ? FE_DOWNWARD
                    : kRounding == ptx::Rounding::kRp ? FE_UPWARD
                                                      : FE_TOWARDZERO);
    asm volatile("" ::: "memory");
  }
  __attribute__((always_inline)) ~RoundingScope() { std::fesetround(saved_); }

 private:
  int saved_;
#endif
};

/// Nothing to set up where rounding to nearest is right.
template <ptx::Rounding kRounding>
struct RoundingScopeOf {
  using Type = PlainEnvironment;
};
template <>
struct RoundingScopeOf<ptx::Rounding::kRz> {
  using Type = RoundingScope<ptx::Rounding::kRz>;
};
template <>
struct RoundingScopeOf<ptx::Rounding::kRm> {
  using Type = RoundingScope<ptx::Rounding::kRm>;
};
template <>
struct RoundingScopeOf<ptx::Rounding::kRp> {
  using Type = RoundingScope<ptx::Rounding::kRp>;
};
template <ptx::Rounding kRounding>
using RoundingScopeFor = typename RoundingScopeOf<kRounding>::Type;

/// HandlersOf<Op> in the environment of `rounding`.
template <class Op>
ASSAY_GPU_INLINE Handlers RoundedHandlersOf(ptx::Rounding rounding) {
  switch (rounding) {
    case ptx::Rounding::kNone:
    case ptx::Rounding::kRn:
      return HandlersOf<Op>();
    case ptx::Rounding::kRz:
      return HandlersOf<Op, RoundingScope<ptx::Rounding::kRz>>();
    case ptx::Rounding::kRm:
      return HandlersOf<Op, RoundingScope<ptx::Rounding::kRm>>();
    case ptx::Rounding::kRp:
      return HandlersOf<Op, RoundingScope<ptx::Rounding::kRp>>();
    default:
      return {};
  }
}

}  // namespace assay::gpu::ASSAY_GPU_ISA

#endif  // ASSAY_EMULATOR_OPS_FLOAT_LANES_H_
