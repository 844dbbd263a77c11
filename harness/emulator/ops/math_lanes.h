// SPDX-License-Identifier: Apache-2.0
// The approximate functions of f32, each as one lane's arithmetic without branches. Included only
// by the sources of ops/ (see lanes.h).
//
// Polynomials are interpolations at Chebyshev points, made with 60 digits; their error is stated
// where they stand and is far below half a unit of f32. What PTX documents as the greatest error
// is in kRelative and kAbsolute, less what rounding the result takes: the perturbation mode may
// use all of it.
#ifndef ASSAY_EMULATOR_OPS_MATH_LANES_H_
#define ASSAY_EMULATOR_OPS_MATH_LANES_H_

#include <cstdint>

#include "emulator/ops/float_lanes.h"

namespace assay::gpu::ASSAY_GPU_ISA {

/// c[0] + c[1] x + c[2] x² …
template <class... C>
ASSAY_GPU_INLINE double Polynomial(double x, double first, C... rest) {
  if constexpr (sizeof...(rest) == 0) {
    return first;
  } else {
    return __builtin_fma(Polynomial(x, rest...), x, first);
  }
}

/// Added to a double below 2^51 in magnitude it leaves the nearest integer in the lowest bits.
inline constexpr double kIntegerMagic = 0x1.8p52;

struct NearestInteger {
  double value;
  std::uint64_t bits;  ///< The integer, in two's complement, in the lower bits.
};
ASSAY_GPU_INLINE NearestInteger Nearest(double x) {
  const double shifted = x + kIntegerMagic;
  return {shifted - kIntegerMagic, ToBits(shifted)};
}

inline constexpr double kInfinity = __builtin_inf();
inline constexpr double kNotANumber = __builtin_nan("");
inline constexpr float kInfinityF = __builtin_inff();

/// 2^x for x in [-1022, 1023]. Relative error 2e-14.
ASSAY_GPU_INLINE double PowerOfTwo(double x) {
  const NearestInteger n = Nearest(x);
  const double power = Polynomial(
      x - n.value, 0x1.000000000003dp+0, 0x1.62e42fefa39f7p-1, 0x1.ebfbdff8149f2p-3,
      0x1.c6b08d7044119p-5, 0x1.3b2ab72b175eep-7, 0x1.5d87fe908f88ap-10, 0x1.43088e257f341p-13,
      0x1.ffcb76789860fp-17, 0x1.63ef969a64d3cp-20, 0x1.b6571de2f2351p-24);
  return power * FromBits((n.bits + 1023) << 52U);
}

struct Exponential {
  static constexpr double kRelative = 0x3p-24;  // 2^-22 documented
  static constexpr double kAbsolute = 0;
  ASSAY_GPU_INLINE double Apply(float x) {
    const float low = x > -160.0F ? x : -160.0F;
    const float clamped = low < 160.0F ? low : 160.0F;
    return IsNan(x) ? kNotANumber : PowerOfTwo(static_cast<double>(clamped));
  }
};

struct Logarithm {
  static constexpr double kRelative = 0x3p-24;  // 2^-22 documented, absolute within (0.5, 2)
  static constexpr double kAbsolute = 0;
  ASSAY_GPU_INLINE double Apply(float x) {
    // x = m * 2^e with m in [sqrt(1/2), sqrt(2)); log2 m is odd in s = (m - 1) / (m + 1).
    constexpr std::uint64_t kRootOfHalf = 0x3fe6a09e667f3bcdU;
    constexpr std::uint64_t kExponentBias = std::uint64_t{1024} << 52U;
    const std::uint64_t bits = ToBits(static_cast<double>(x));
    const std::uint64_t biased = (bits - kRootOfHalf + kExponentBias) >> 52U;
    const double exponent = FromBits(biased | 0x4330000000000000U) - (0x1p52 + 1024);
    const double m = FromBits(bits - ((biased - 1024) << 52U));
    const double s = (m - 1) / (m + 1);
    const double log2_m =
        s * Polynomial(s * s, 0x1.71547652b82ffp+1, 0x1.ec709dc39ca38p-1, 0x1.2776c516a1723p-1,
                       0x1.a617567fdb085p-2, 0x1.484fa9ece19e1p-2, 0x1.0bb7ff56f033bp-2,
                       0x1.f17f12c5263a3p-3);  // relative error 3e-16
    const double positive = x < kInfinityF ? exponent + log2_m : kInfinity;
    const double other = x == 0.0F ? -kInfinity : kNotANumber;
    return x > 0.0F ? positive : other;
  }
};

/// sin x (kQuarter 0) or cos x (kQuarter 1), for |x| < 2^30.
template <std::uint64_t kQuarter>
struct Sinusoid {
  static constexpr double kRelative = 0;
  static constexpr double kAbsolute = 6e-7;  // 2^-20.5 documented
  static constexpr float kLimit = 0x1p30F;
  ASSAY_GPU_INLINE double Apply(float x) {
    constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
    constexpr double kHalfPi = 0x1.921fb54442d18p+0;
    constexpr double kHalfPiRest = 0x1.1a62633145c07p-54;
    const double wide = static_cast<double>(x);
    const NearestInteger k = Nearest(wide * kTwoOverPi);
    const double near = __builtin_fma(-k.value, kHalfPi, wide);
    const double r = __builtin_fma(-k.value, kHalfPiRest, near);
    const double square = r * r;
    // Errors 1e-16 on [-pi/4, pi/4].
    const double sine =
        r * Polynomial(square, 0x1.0000000000000p+0, -0x1.5555555555543p-3, 0x1.111111110f3dcp-7,
                       -0x1.a01a019ba956dp-13, 0x1.71de3530aa14dp-19, -0x1.ae5e37e850d20p-26,
                       0x1.5d87699eb6a31p-33);
    const double cosine =
        Polynomial(square, 0x1.0000000000000p+0, -0x1.0000000000000p-1, 0x1.5555555555536p-5,
                   -0x1.6c16c16c13a05p-10, 0x1.a01a019b1e24dp-16, -0x1.27e4f727f10b7p-22,
                   0x1.1ee96d0192650p-29, -0x1.8f762711e61e0p-37);
    const std::uint64_t quadrant = k.bits + kQuarter;
    const double value = (quadrant & 1U) != 0 ? cosine : sine;
    return FromBits(ToBits(value) ^ ((quadrant & 2U) << 62U));
  }
  static double Far(float x) {
    return kQuarter == 0 ? __builtin_sin(static_cast<double>(x))
                         : __builtin_cos(static_cast<double>(x));
  }
};

struct HyperbolicTangent {
  static constexpr double kRelative = 0x1p-11 - 0x1p-24;  // 2^-11 documented
  static constexpr double kAbsolute = 0;
  ASSAY_GPU_INLINE double Apply(float x) {
    const double wide = static_cast<double>(x);
    const double square = wide * wide;
    const double small =
        wide * Polynomial(square, 0x1.ffffffffffffbp-1, -0x1.5555555551269p-2, 0x1.11111108b0ae3p-3,
                          -0x1.ba1b952108dd5p-5, 0x1.664ac35650ce0p-6, -0x1.219844a5484c1p-7,
                          0x1.af3d94468be9fp-9);  // error 7e-16 to 1/4
    const double magnitude = __builtin_fabs(wide);
    const double limited = magnitude < 32.0 ? magnitude : 32.0;
    constexpr double kMinusTwoLog2E = -0x1.71547652b82fep+1;
    const double e = PowerOfTwo(limited * kMinusTwoLog2E);
    const double large = (1 - e) / (1 + e);
    const double value = magnitude < 0.25 ? small : __builtin_copysign(large, wide);
    return IsNan(x) ? kNotANumber : value;
  }
};

struct ReciprocalRoot {
  static constexpr double kRelative = 6.8e-8;  // 2^-22.9 documented
  static constexpr double kAbsolute = 0;
  ASSAY_GPU_INLINE double Apply(float x) {
    const float near = 1.0F / __builtin_sqrtf(x);
    const double y = static_cast<double>(near);
    const double refined = y * (1.5 - 0.5 * static_cast<double>(x) * y * y);  // Newton's step
    return x > 0.0F && x < kInfinityF ? refined : y;
  }
};
struct Reciprocal {
  static constexpr double kRelative = 0x1p-25;  // one unit in the last place documented
  static constexpr double kAbsolute = 0;
  ASSAY_GPU_INLINE float Apply(float x) { return 1.0F / x; }
};
struct Root {
  static constexpr double kRelative = 0x1p-24;  // 2^-23 documented
  static constexpr double kAbsolute = 0;
  ASSAY_GPU_INLINE float Apply(float x) { return __builtin_sqrtf(x); }
};
/// kFull: div.full. Without it, a divisor beyond 2^126 has a reciprocal of zero, as documented.
template <bool kFull>
struct Quotient {
  static constexpr double kRelative = 0x1.8p-24;  // two units in the last place documented
  static constexpr double kAbsolute = 0;
  ASSAY_GPU_INLINE float Apply(float a, float b) {
    const float magnitude = __builtin_fabsf(b);
    const bool huge = !kFull && magnitude > 0x1p126F && magnitude < kInfinityF;
    return huge ? a * __builtin_copysignf(0.0F, b) : a / b;
  }
};

}  // namespace assay::gpu::ASSAY_GPU_ISA

#endif  // ASSAY_EMULATOR_OPS_MATH_LANES_H_
