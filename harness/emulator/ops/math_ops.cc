// SPDX-License-Identifier: Apache-2.0
// ex2, lg2, sin, cos, tanh, rsqrt, and rcp, sqrt, div with .approx or .full.
#include "emulator/ops/arithmetic.h"
#include "emulator/ops/half_lanes.h"
#include "emulator/ops/math_lanes.h"

namespace assay::gpu::ASSAY_GPU_ISA {

namespace {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Rounding;
using ptx::Type;

bool IsPerturbed(const Warp& warp) {
  return warp.launch->options->approximation == Approximation::kPerturbed;
}

/// From -1 to 1, by the seed and the operands' bits alone.
ASSAY_GPU_INLINE double Unit(std::uint32_t seed, std::uint32_t a, std::uint32_t b) {
  std::uint32_t hash = a ^ seed;
  hash = (hash ^ (hash >> 16U)) * 0x85ebca6bU;
  hash = (hash ^ b ^ (hash >> 13U)) * 0xc2b2ae35U;
  hash ^= hash >> 16U;
  return static_cast<double>(static_cast<std::int32_t>(hash)) * 0x1p-31;
}

/// Moves results within the error that F allows.
template <class F, std::uint32_t kCount, class R>
void Perturb(const Warp& warp, R* values, const float* a, const float* b) {
  const std::uint64_t wide_seed = warp.launch->options->seed * 0x9e3779b97f4a7c15U;
  const auto seed = static_cast<std::uint32_t>(wide_seed >> 32U);
  for (std::uint32_t i = 0; i < kCount; ++i) {
    const double unit = Unit(seed, ToBits(a[i]), ToBits(b[i]));
    const double value = static_cast<double>(values[i]);
    const double moved = value + unit * (__builtin_fabs(value) * F::kRelative + F::kAbsolute);
    // Results of zero, infinity and NaN are documented exactly, and so is what a zero gives: 2^0 is
    // 1, which code that rescales by 2^(a - a) relies on.
    const bool moves = value != 0 && __builtin_fabs(value) < kInfinity && a[i] != 0;
    values[i] = static_cast<R>(moves ? moved : value);
  }
}

/// F of kCount numbers to `values`, perturbed if that was asked for.
template <class F, std::uint32_t kCount, class R>
ASSAY_GPU_INLINE void Evaluate(const Warp& warp, R* values, const float* a) {
#pragma GCC ivdep
  for (std::uint32_t i = 0; i < kCount; ++i) {
    values[i] = F::Apply(a[i]);
  }
  if constexpr (requires { F::kLimit; }) {
    for (std::uint32_t i = 0; i < kCount; ++i) {
      if (__builtin_fabsf(a[i]) >= F::kLimit) [[unlikely]] {
        values[i] = F::Far(a[i]);
      }
    }
  }
  if (IsPerturbed(warp)) [[unlikely]] {
    Perturb<F, kCount>(warp, values, a, a);
  }
}

template <class F, bool kFlush>
struct UnaryForm : WholeWarp<UnaryForm<F, kFlush>, float> {
  ASSAY_GPU_INLINE void Compute(Warp& warp, const Step* step, float* to) {
    const float* from = Lanes<float>(warp, step->operand[1]);
    alignas(64) float a[kWarpSize];
    alignas(64) decltype(F::Apply(0.0F)) values[kWarpSize];
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      a[lane] = Flush<kFlush>(from[lane]);
    }
    Evaluate<F, kWarpSize>(warp, values, a);
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      to[lane] = Flush<kFlush>(CanonicalNan(static_cast<float>(values[lane])));
    }
  }
};

template <class F, bool kFlush>
struct BinaryForm : WholeWarp<BinaryForm<F, kFlush>, float> {
  ASSAY_GPU_INLINE void Compute(Warp& warp, const Step* step, float* to) {
    const float* from_a = Lanes<float>(warp, step->operand[1]);
    const float* from_b = Lanes<float>(warp, step->operand[2]);
    alignas(64) float a[kWarpSize];
    alignas(64) float b[kWarpSize];
    alignas(64) float values[kWarpSize];
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      a[lane] = Flush<kFlush>(from_a[lane]);
      b[lane] = Flush<kFlush>(from_b[lane]);
      values[lane] = F::Apply(a[lane], b[lane]);
    }
    if (IsPerturbed(warp)) [[unlikely]] {
      Perturb<F, kWarpSize>(warp, values, a, b);
    }
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      to[lane] = Flush<kFlush>(CanonicalNan(values[lane]));
    }
  }
};

/// F on f16 or bf16: documented errors are wider there.
template <class F, class Format>
struct AllowedOnHalf;
template <>
struct AllowedOnHalf<Exponential, F16> {
  static constexpr double kRelative = 0x1.2p-11;  // 2^-9.9 documented
  static constexpr double kAbsolute = 0;
};
template <>
struct AllowedOnHalf<Exponential, Bf16> {
  static constexpr double kRelative = 0x1p-8;  // 2^-7 documented
  static constexpr double kAbsolute = 0;
};
template <>
struct AllowedOnHalf<HyperbolicTangent, F16> {
  static constexpr double kRelative = 0;
  static constexpr double kAbsolute = 0x1p-12;  // 2^-10.987 documented
};
template <>
struct AllowedOnHalf<HyperbolicTangent, Bf16> {
  static constexpr double kRelative = 0;
  static constexpr double kAbsolute = 0x1p-9;  // 2^-8 documented
};
template <class F, class Format>
struct OnHalf : AllowedOnHalf<F, Format> {
  ASSAY_GPU_INLINE double Apply(float x) { return F::Apply(x); }
};

template <class F, class Format, std::uint32_t kPerLane, bool kFlush>
struct HalfForm : WholeWarp<HalfForm<F, Format, kPerLane, kFlush>, std::uint16_t, kPerLane> {
  static constexpr std::uint32_t kCount = kWarpSize * kPerLane;

  ASSAY_GPU_INLINE void Compute(Warp& warp, const Step* step, std::uint16_t* to) {
    alignas(64) float a[kCount];
    alignas(64) double values[kCount];
    WidenEach<Format, kCount>(a, Lanes<std::uint16_t>(warp, step->operand[1]));
    if constexpr (kFlush) {
      // bf16 has the subnormals of f32; f16's are greater.
      constexpr float kLeast = Format::kMantissaBits == 10 ? 0x1p-14F : 0x1p-126F;
      for (std::uint32_t i = 0; i < kCount; ++i) {
        a[i] = __builtin_fabsf(a[i]) < kLeast ? __builtin_copysignf(0.0F, a[i]) : a[i];
      }
    }
    Evaluate<OnHalf<F, Format>, kCount>(warp, values, a);
    for (std::uint32_t i = 0; i < kCount; ++i) {
      a[i] = static_cast<float>(values[i]);
    }
    NarrowEach<Format, Rounding::kRn, kCount>(to, a);
    if constexpr (kFlush) {
      constexpr std::uint32_t kExponent = Format::kMantissaBits == 10 ? 0x7c00U : 0x7f80U;
      for (std::uint32_t i = 0; i < kCount; ++i) {
        const bool zero = (to[i] & kExponent) == 0;
        to[i] = static_cast<std::uint16_t>(zero ? to[i] & 0x8000U : to[i]);
      }
    }
  }
};

/// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 read and write the upper 32 bits only.
ASSAY_GPU_INLINE double UpperHalf(double value) {
  return FromBits(ToBits(value) & 0xffffffff00000000U);
}
struct CoarseReciprocal {
  ASSAY_GPU_INLINE double Apply(double x) {
    const double a = Flush<true>(UpperHalf(x));
    return UpperHalf(Flush<true>(SettleNan(1.0 / a, x)));
  }
};
struct CoarseReciprocalRoot {
  ASSAY_GPU_INLINE double Apply(double x) {
    const double a = Flush<true>(UpperHalf(x));
    return UpperHalf(SettleNan(1.0 / __builtin_sqrt(a), x));
  }
};
struct DoubleReciprocalRoot {
  ASSAY_GPU_INLINE double Apply(double x) { return SettleNan(1.0 / __builtin_sqrt(x), x); }
};

template <class F>
Handlers Unary(const Instruction& instruction) {
  if (instruction.type != Type::kF32) {
    return {};
  }
  return instruction.flush_to_zero
             ? Handlers{UnaryForm<F, true>::Full, UnaryForm<F, true>::Masked}
             : Handlers{UnaryForm<F, false>::Full, UnaryForm<F, false>::Masked};
}
template <class F>
Handlers Binary(const Instruction& instruction) {
  return instruction.flush_to_zero
             ? Handlers{BinaryForm<F, true>::Full, BinaryForm<F, true>::Masked}
             : Handlers{BinaryForm<F, false>::Full, BinaryForm<F, false>::Masked};
}

template <class F, class Format, std::uint32_t kPerLane>
Handlers Half(const Instruction& instruction) {
  const Handler handler = instruction.flush_to_zero ? HalfForm<F, Format, kPerLane, true>::Masked
                                                    : HalfForm<F, Format, kPerLane, false>::Masked;
  return {handler, handler};
}
template <class F>
Handlers UnaryOrHalf(const Instruction& instruction) {
  switch (instruction.type) {
    case Type::kF16:
      return Half<F, F16, 1>(instruction);
    case Type::kF16x2:
      return Half<F, F16, 2>(instruction);
    case Type::kBf16:
      return Half<F, Bf16, 1>(instruction);
    case Type::kBf16x2:
      return Half<F, Bf16, 2>(instruction);
    default:
      return Unary<F>(instruction);
  }
}

Handlers SelectReciprocalRoot(const Instruction& instruction) {
  if (instruction.type == Type::kF64) {
    return instruction.flush_to_zero ? HandlersOf<CoarseReciprocalRoot>()
                                     : HandlersOf<DoubleReciprocalRoot>();
  }
  return Unary<ReciprocalRoot>(instruction);
}

}  // namespace

Handlers SelectMath(const Instruction& instruction) {
  // Of f32, what names no rounding is approximate.
  const bool approximate = instruction.approximate || (instruction.rounding == Rounding::kNone &&
                                                       instruction.type == Type::kF32);
  switch (instruction.opcode) {
    case Opcode::kEx2:
      return UnaryOrHalf<Exponential>(instruction);
    case Opcode::kTanh:
      return UnaryOrHalf<HyperbolicTangent>(instruction);
    case Opcode::kLg2:
      return Unary<Logarithm>(instruction);
    case Opcode::kSin:
      return Unary<Sinusoid<0>>(instruction);
    case Opcode::kCos:
      return Unary<Sinusoid<1>>(instruction);
    case Opcode::kRsqrt:
      return SelectReciprocalRoot(instruction);
    case Opcode::kRcp:
      if (approximate && instruction.type == Type::kF64) {
        return HandlersOf<CoarseReciprocal>();
      }
      return approximate ? Unary<Reciprocal>(instruction) : Handlers{};
    case Opcode::kSqrt:
      return approximate ? Unary<Root>(instruction) : Handlers{};
    case Opcode::kDiv:
      if (instruction.type != Type::kF32 || !approximate) {
        return {};
      }
      return instruction.mode != ptx::Mode::kFull ? Binary<Quotient<false>>(instruction)
                                                  : Binary<Quotient<true>>(instruction);
    default:
      return {};
  }
}

}  // namespace assay::gpu::ASSAY_GPU_ISA
