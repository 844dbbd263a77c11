// SPDX-License-Identifier: Apache-2.0
// Arithmetic of f32 and f64 that IEEE 754 defines, and min, max, abs, neg, copysign, testp.
#include "emulator/ops/arithmetic.h"
#include "emulator/ops/float_lanes.h"

namespace assay::gpu::ASSAY_GPU_ISA {

namespace {

using ptx::Instruction;
using ptx::Mode;
using ptx::Opcode;
using ptx::Type;

struct Add {
  template <class T>
  ASSAY_GPU_INLINE T Apply(T a, T b) {
    return a + b;
  }
};
struct Subtract {
  template <class T>
  ASSAY_GPU_INLINE T Apply(T a, T b) {
    return a - b;
  }
};
struct Multiply {
  template <class T>
  ASSAY_GPU_INLINE T Apply(T a, T b) {
    return a * b;
  }
};
struct Divide {
  template <class T>
  ASSAY_GPU_INLINE T Apply(T a, T b) {
    return a / b;
  }
};
struct Reciprocal {
  template <class T>
  ASSAY_GPU_INLINE T Apply(T a) {
    return T{1} / a;
  }
};
struct SquareRoot {
  ASSAY_GPU_INLINE float Apply(float a) { return __builtin_sqrtf(a); }
  ASSAY_GPU_INLINE double Apply(double a) { return __builtin_sqrt(a); }
};
struct FusedMultiplyAdd {
  ASSAY_GPU_INLINE float Apply(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
  ASSAY_GPU_INLINE double Apply(double a, double b, double c) { return __builtin_fma(a, b, c); }
};

/// Core with PTX's modifiers, for A... of one type.
template <class Core, bool kFlush, bool kSaturate, class... A>
struct Arithmetic;
template <class Core, bool kFlush, bool kSaturate, class T, class... A>
struct Arithmetic<Core, kFlush, kSaturate, T, A...> {
  ASSAY_GPU_INLINE T Apply(T a, A... rest) {
    const T result = Core::Apply(Flush<kFlush>(a), Flush<kFlush>(rest)...);
    return Saturate<kSaturate>(Flush<kFlush>(SettleNan(result, a, rest...)));
  }
};

#if defined(__AVX512F__)
/// Directed roundings of the f32 operations that libraries use (expf is made of fma.rm): the
/// rounding is in the instruction, which is much cheaper than to change the mode.
template <class Core, int kDirection>
ASSAY_GPU_INLINE __m512 Embedded(__m512 a, __m512 b, __m512 c) {
  constexpr int kMode = kDirection | _MM_FROUND_NO_EXC;
  constexpr __mmask16 kAll = 0xffff;
  if constexpr (__is_same(Core, FusedMultiplyAdd)) {
    return _mm512_fmadd_round_ps(a, b, c, kMode);
  } else if constexpr (__is_same(Core, Multiply)) {
    return _mm512_maskz_mul_round_ps(kAll, a, b, kMode);
  } else if constexpr (__is_same(Core, Subtract)) {
    return _mm512_maskz_sub_round_ps(kAll, a, b, kMode);
  } else {
    return _mm512_maskz_add_round_ps(kAll, a, b, kMode);
  }
}
template <class Core, int kDirection>
struct EmbeddedRounding : WholeWarp<EmbeddedRounding<Core, kDirection>, float> {
  ASSAY_GPU_INLINE void Compute(Warp& warp, const Step* step, float* to) {
    constexpr bool kThree = __is_same(Core, FusedMultiplyAdd);
    const float* a = Lanes<float>(warp, step->operand[1]);
    const float* b = Lanes<float>(warp, step->operand[2]);
    const float* c = kThree ? Lanes<float>(warp, step->operand[3]) : a;
    const __m512 canonical = _mm512_set1_ps(FromBits(FloatFormat<float>::kNan));
    for (std::uint32_t lane = 0; lane < kWarpSize; lane += 16) {
      const __m512 result = Embedded<Core, kDirection>(
          _mm512_loadu_ps(a + lane), _mm512_loadu_ps(b + lane), _mm512_loadu_ps(c + lane));
      const __mmask16 nan = _mm512_cmp_ps_mask(result, result, _CMP_UNORD_Q);
      _mm512_storeu_ps(to + lane, _mm512_mask_blend_ps(nan, result, canonical));
    }
  }
};
template <class Core>
Handlers SelectEmbedded(ptx::Rounding rounding) {
  switch (rounding) {
    case ptx::Rounding::kRz:
      return {EmbeddedRounding<Core, _MM_FROUND_TO_ZERO>::Full,
              EmbeddedRounding<Core, _MM_FROUND_TO_ZERO>::Masked};
    case ptx::Rounding::kRm:
      return {EmbeddedRounding<Core, _MM_FROUND_TO_NEG_INF>::Full,
              EmbeddedRounding<Core, _MM_FROUND_TO_NEG_INF>::Masked};
    case ptx::Rounding::kRp:
      return {EmbeddedRounding<Core, _MM_FROUND_TO_POS_INF>::Full,
              EmbeddedRounding<Core, _MM_FROUND_TO_POS_INF>::Masked};
    default:
      return {};
  }
}
#endif

template <class T, bool kFlush>
struct Negate {
  ASSAY_GPU_INLINE T Apply(T a) {
    return FromBits(ToBits(Flush<kFlush>(a)) ^ FloatFormat<T>::kSign);
  }
};
template <class T, bool kFlush>
struct Absolute {
  ASSAY_GPU_INLINE T Apply(T a) {
    return FromBits(ToBits(Flush<kFlush>(a)) & ~FloatFormat<T>::kSign);
  }
};
template <class T>
struct CopySign {
  ASSAY_GPU_INLINE T Apply(T a, T b) {
    constexpr BitsOf<T> kSign = FloatFormat<T>::kSign;
    return FromBits((ToBits(a) & kSign) | (ToBits(b) & ~kSign));
  }
};

template <class T, Mode kProperty>
struct HasProperty : WholePredicate<HasProperty<T, kProperty>> {
  ASSAY_GPU_INLINE bool Apply(T a) {
    constexpr BitsOf<T> kInfinity = FloatFormat<T>::kInfinity;
    const BitsOf<T> magnitude = ToBits(a) & ~FloatFormat<T>::kSign;
    const BitsOf<T> exponent = ToBits(a) & kInfinity;
    switch (kProperty) {
      case Mode::kFinite:
        return exponent != kInfinity;
      case Mode::kInfinite:
        return magnitude == kInfinity;
      case Mode::kNumber:
        return magnitude <= kInfinity;
      case Mode::kNotANumber:
        return magnitude > kInfinity;
      case Mode::kNormal:
        return exponent != 0 && exponent != kInfinity;
      default:
        return exponent == 0 && magnitude != 0;
    }
  }

  ASSAY_GPU_INLINE LaneMask Compute(Warp& warp, const Step* step) {
    const T* from = Lanes<T>(warp, step->operand[1]);
    alignas(64) std::int32_t holds[kWarpSize];
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      holds[lane] = Apply(from[lane]) ? -1 : 0;
    }
    return GatherSigns(holds);
  }
};

/// Core of one, two or three operands, in f32 or f64 with the modifiers of `instruction`.
template <class Core, std::uint32_t kOperands, class T, bool kFlush, bool kSaturate>
ASSAY_GPU_INLINE Handlers ForOperands(ptx::Rounding rounding) {
  if constexpr (kOperands == 1) {
    return RoundedHandlersOf<Arithmetic<Core, kFlush, kSaturate, T>>(rounding);
  } else if constexpr (kOperands == 2) {
    return RoundedHandlersOf<Arithmetic<Core, kFlush, kSaturate, T, T>>(rounding);
  } else {
    return RoundedHandlersOf<Arithmetic<Core, kFlush, kSaturate, T, T, T>>(rounding);
  }
}

template <class Core, std::uint32_t kOperands>
Handlers ForFloat(const Instruction& instruction) {
  const ptx::Rounding rounding = instruction.rounding;
  if (instruction.type == Type::kF64) {
    return ForOperands<Core, kOperands, double, false, false>(rounding);
  }
  if (instruction.type != Type::kF32) {
    return {};
  }
#if defined(__AVX512F__)
  if constexpr (kOperands != 1 && !__is_same(Core, Divide)) {
    if (!instruction.saturate && !instruction.flush_to_zero) {
      const Handlers embedded = SelectEmbedded<Core>(rounding);
      if (embedded.full != nullptr) {
        return embedded;
      }
    }
  }
#endif
  if constexpr (kOperands != 1) {
    if (instruction.saturate) {
      return instruction.flush_to_zero ? ForOperands<Core, kOperands, float, true, true>(rounding)
                                       : ForOperands<Core, kOperands, float, false, true>(rounding);
    }
  }
  return instruction.flush_to_zero ? ForOperands<Core, kOperands, float, true, false>(rounding)
                                   : ForOperands<Core, kOperands, float, false, false>(rounding);
}

template <bool kMaximum, bool kFlush>
Handlers SelectExtremum32(const Instruction& instruction) {
  const bool nan = instruction.nan_propagates;
  if (instruction.mode == Mode::kXorSignAbs) {
    return nan ? HandlersOf<Extremum<float, kMaximum, kFlush, true, true>>()
               : HandlersOf<Extremum<float, kMaximum, kFlush, false, true>>();
  }
  return nan ? HandlersOf<Extremum<float, kMaximum, kFlush, true, false>>()
             : HandlersOf<Extremum<float, kMaximum, kFlush, false, false>>();
}

template <bool kMaximum>
Handlers SelectExtremum(const Instruction& instruction) {
  if (instruction.type == Type::kF64) {
    return HandlersOf<Extremum<double, kMaximum, false, false, false>>();
  }
  return instruction.flush_to_zero ? SelectExtremum32<kMaximum, true>(instruction)
                                   : SelectExtremum32<kMaximum, false>(instruction);
}

template <template <class, bool> class Op>
Handlers ForSignBit(const Instruction& instruction) {
  if (instruction.type == Type::kF64) {
    return HandlersOf<Op<double, false>>();
  }
  return instruction.flush_to_zero ? HandlersOf<Op<float, true>>() : HandlersOf<Op<float, false>>();
}

template <Mode kProperty>
Handlers ForProperty(Type type) {
  if (type == Type::kF64) {
    return {HasProperty<double, kProperty>::Full, HasProperty<double, kProperty>::Masked};
  }
  return {HasProperty<float, kProperty>::Full, HasProperty<float, kProperty>::Masked};
}

Handlers SelectProperty(const Instruction& instruction) {
  switch (instruction.mode) {
    case Mode::kFinite:
      return ForProperty<Mode::kFinite>(instruction.type);
    case Mode::kInfinite:
      return ForProperty<Mode::kInfinite>(instruction.type);
    case Mode::kNumber:
      return ForProperty<Mode::kNumber>(instruction.type);
    case Mode::kNotANumber:
      return ForProperty<Mode::kNotANumber>(instruction.type);
    case Mode::kNormal:
      return ForProperty<Mode::kNormal>(instruction.type);
    case Mode::kSubnormal:
      return ForProperty<Mode::kSubnormal>(instruction.type);
    default:
      return {};
  }
}

}  // namespace

Handlers SelectFloat(const Instruction& instruction) {
  if (instruction.type != Type::kF32 && instruction.type != Type::kF64) {
    return {};
  }
  switch (instruction.opcode) {
    case Opcode::kAdd:
      return ForFloat<Add, 2>(instruction);
    case Opcode::kSub:
      return ForFloat<Subtract, 2>(instruction);
    case Opcode::kMul:
      return ForFloat<Multiply, 2>(instruction);
    case Opcode::kMad:
    case Opcode::kFma:
      return ForFloat<FusedMultiplyAdd, 3>(instruction);
    case Opcode::kDiv:
      return ForFloat<Divide, 2>(instruction);
    case Opcode::kRcp:
      return ForFloat<Reciprocal, 1>(instruction);
    case Opcode::kSqrt:
      return ForFloat<SquareRoot, 1>(instruction);
    case Opcode::kMin:
      return SelectExtremum<false>(instruction);
    case Opcode::kMax:
      return SelectExtremum<true>(instruction);
    case Opcode::kNeg:
      return ForSignBit<Negate>(instruction);
    case Opcode::kAbs:
      return ForSignBit<Absolute>(instruction);
    case Opcode::kCopysign:
      return instruction.type == Type::kF64 ? HandlersOf<CopySign<double>>()
                                            : HandlersOf<CopySign<float>>();
    case Opcode::kTestp:
      return SelectProperty(instruction);
    default:
      return {};
  }
}

}  // namespace assay::gpu::ASSAY_GPU_ISA
