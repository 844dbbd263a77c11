// SPDX-License-Identifier: Apache-2.0
// cvt between floats: f16, bf16, tf32, f32, f64 and pairs of the 16-bit and 8-bit formats.
#include "emulator/ops/arithmetic.h"
#include "emulator/ops/convert_lanes.h"

namespace assay::gpu::ASSAY_GPU_ISA {

namespace {

using ptx::Instruction;
using ptx::Rounding;
using ptx::Type;

/// .relu: negative numbers become +0; a NaN becomes the canonical one, which rounding sees to.
template <bool kRelu, class T>
ASSAY_GPU_INLINE T Relu(T value) {
  if constexpr (kRelu) {
    return value <= T{0} ? T{0} : value;
  }
  return value;
}

// ---- common cases, with loops of their own ----

struct FloatToDouble {
  ASSAY_GPU_INLINE double Apply(float a) { return static_cast<double>(a); }
};
struct FlushedFloatToDouble {
  ASSAY_GPU_INLINE double Apply(float a) { return static_cast<double>(Flush<true>(a)); }
};
struct DoubleToFloat {
  ASSAY_GPU_INLINE float Apply(double a) { return CanonicalNan(static_cast<float>(a)); }
};
/// cvt.f32.f32 with .ftz, .sat or neither, which leaves the bits as they are.
template <bool kFlush, bool kSaturate>
struct FloatToFloat {
  ASSAY_GPU_INLINE float Apply(float a) {
    return Saturate<kSaturate>(Flush<kFlush>(CanonicalNan(a)));
  }
};
template <Rounding kRounding, bool kFlush, bool kSaturate>
struct FloatToIntegral {
  ASSAY_GPU_INLINE float Apply(float a) {
    return Saturate<kSaturate>(CanonicalNan(ToIntegral<kRounding>(Flush<kFlush>(a))));
  }
};
template <class Format>
struct HalfToFloat : WholeWarp<HalfToFloat<Format>, float> {
  ASSAY_GPU_INLINE void Compute(Warp& warp, const Step* step, float* to) {
    WidenEach<Format, kWarpSize>(to, Lanes<std::uint16_t>(warp, step->operand[1]));
    if constexpr (Format::kMantissaBits == 10) {
      for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
        to[lane] = CanonicalNan(to[lane]);
      }
    }
  }
};
template <class Format>
struct FloatToHalf : WholeWarp<FloatToHalf<Format>, std::uint16_t> {
  ASSAY_GPU_INLINE void Compute(Warp& warp, const Step* step, std::uint16_t* to) {
    NarrowEach<Format, Rounding::kRn, kWarpSize>(to, Lanes<float>(warp, step->operand[1]));
  }
};

/// cvt.f16x2.f32 d, a, b: a becomes the upper half.
template <class Format, Rounding kRounding, bool kRelu, Overflow kOverflow>
struct FloatsToPair {
  ASSAY_GPU_INLINE std::uint32_t Apply(float a, float b) {
    const std::uint32_t high = Narrow16<Format, kRounding, kOverflow>(Relu<kRelu>(a));
    const std::uint32_t low = Narrow16<Format, kRounding, kOverflow>(Relu<kRelu>(b));
    return high << 16U | low;
  }
};
template <class Format, bool kRelu>
struct FloatsToBytes {
  ASSAY_GPU_INLINE std::uint16_t Apply(float a, float b) {
    const std::uint32_t high = Narrow8<Format, Rounding::kRn>(Relu<kRelu>(a));
    const std::uint32_t low = Narrow8<Format, Rounding::kRn>(Relu<kRelu>(b));
    return static_cast<std::uint16_t>(high << 8U | low);
  }
};
template <class Format, bool kRelu>
struct HalvesToBytes {
  ASSAY_GPU_INLINE std::uint16_t Apply(std::uint32_t a) {
    return FloatsToBytes<Format, kRelu>::Apply(FromF16(static_cast<std::uint16_t>(a >> 16U)),
                                               FromF16(static_cast<std::uint16_t>(a)));
  }
};

/// The f16 of a byte: all of e5m2 and e4m3 are f16 numbers.
template <class Format>
ASSAY_GPU_INLINE std::uint32_t HalfOfByte(std::uint32_t byte) {
  const std::uint32_t sign = (byte & 0x80U) << 8U;
  const std::uint32_t magnitude = byte & 0x7fU;
  if constexpr (Format::kMantissaBits == 2) {
    return magnitude > 0x7cU ? F16::kNan : sign | magnitude << 8U;
  } else {
    const float normal = FromBits((magnitude << 20U) + (120U << 23U));
    const float subnormal = static_cast<float>(magnitude) * 0x1p-9F;
    const float value = magnitude < 8 ? subnormal : normal;
    const std::uint32_t half = Narrow16<F16, Rounding::kRn>(value);
    return magnitude == E4m3::kNan ? F16::kNan : sign | half;
  }
}
template <class Format, bool kRelu>
struct BytesToHalves {
  ASSAY_GPU_INLINE std::uint32_t Apply(std::uint16_t a) {
    return Half(a >> 8U) << 16U | Half(a & 0xffU);
  }
  ASSAY_GPU_INLINE std::uint32_t Half(std::uint32_t byte) {
    const std::uint32_t half = HalfOfByte<Format>(byte);
    return kRelu && (half & 0x8000U) != 0 ? 0 : half;
  }
};

/// tf32: f32 whose lower 13 bits are zero.
template <Rounding kRounding, bool kRelu, Overflow kOverflow>
struct FloatToTf32 {
  ASSAY_GPU_INLINE std::uint32_t Apply(float a) {
    const std::uint32_t bits = ToBits(Relu<kRelu>(a));
    const std::uint32_t magnitude = bits & 0x7fffffffU;
    const std::uint32_t kept = magnitude >> 13U;
    const std::uint32_t rest = magnitude & 0x1fffU;
    const bool up = RoundsUp<kRounding>(kept, rest, 0x1000U, bits >> 31U != 0);
    const std::uint32_t rounded = (kept + (up ? 1U : 0U)) << 13U;
    constexpr std::uint32_t kLargest = 0x7f7fe000U;
    const std::uint32_t limited =
        kOverflow == Overflow::kToFinite && rounded > kLargest ? kLargest : rounded;
    return magnitude > 0x7f800000U ? FloatFormat<float>::kNan : limited | (bits & 0x80000000U);
  }
};

// ---- the rest, in two halves ----

/// What a saver does to a double: round it to an integer, .relu, round it to the format, .sat.
template <Rounding kRounding, bool kRelu, bool kSaturate>
ASSAY_GPU_INLINE double Prepared(double value) {
  constexpr bool kIntegral = kRounding == Rounding::kRni || kRounding == Rounding::kRzi ||
                             kRounding == Rounding::kRmi || kRounding == Rounding::kRpi;
  double prepared = value;
  if constexpr (kIntegral) {
    prepared = ToIntegral<kRounding>(value);
  }
  return Saturate<kSaturate>(Relu<kRelu>(prepared));
}

template <class Format, Rounding kRounding, bool kRelu, bool kSaturate>
ASSAY_GPU_NOINLINE void SaveHalves(Warp& warp, std::uint32_t offset, WideLanes& from,
                                   LaneMask lanes) {
  alignas(64) std::uint16_t result[kWarpSize];
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    const double value = Prepared<kRounding, kRelu, kSaturate>(from.real[lane]);
    result[lane] = Narrow16<Format, kRounding>(ToOddFloat(value));
  }
  StoreLanes(Lanes<std::uint16_t>(warp, offset), result, lanes);
}

template <Rounding kRounding, bool kFlush, bool kSaturate>
ASSAY_GPU_NOINLINE void SaveFloats(Warp& warp, std::uint32_t offset, WideLanes& from,
                                   LaneMask lanes) {
  alignas(64) float result[kWarpSize];
  {
    [[maybe_unused]] const RoundingScopeFor<kRounding> scope;
    asm volatile("" ::"r"(&from) : "memory");
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      const double value = Prepared<kRounding, false, kSaturate>(from.real[lane]);
      result[lane] = Flush<kFlush>(CanonicalNan(static_cast<float>(value)));
    }
    RoundingScopeFor<kRounding>::Finish(result);
  }
  StoreLanes(Lanes<float>(warp, offset), result, lanes);
}

template <Rounding kRounding, bool kSaturate>
ASSAY_GPU_NOINLINE void SaveDoubles(Warp& warp, std::uint32_t offset, WideLanes& from,
                                    LaneMask lanes) {
  alignas(64) double result[kWarpSize];
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    result[lane] = Prepared<kRounding, false, kSaturate>(from.real[lane]);
  }
  StoreLanes(Lanes<double>(warp, offset), result, lanes);
}

template <Loader kLoad, class Format, Rounding kRounding>
Handlers ToHalf(const Instruction& instruction) {
  if (instruction.relu) {
    return ConvertHandlers<kLoad, SaveHalves<Format, kRounding, true, false>>();
  }
  return instruction.saturate
             ? ConvertHandlers<kLoad, SaveHalves<Format, kRounding, false, true>>()
             : ConvertHandlers<kLoad, SaveHalves<Format, kRounding, false, false>>();
}

template <Loader kLoad, Rounding kRounding>
Handlers ToFloat(const Instruction& instruction) {
  if (instruction.saturate) {
    return instruction.flush_to_zero ? ConvertHandlers<kLoad, SaveFloats<kRounding, true, true>>()
                                     : ConvertHandlers<kLoad, SaveFloats<kRounding, false, true>>();
  }
  return instruction.flush_to_zero ? ConvertHandlers<kLoad, SaveFloats<kRounding, true, false>>()
                                   : ConvertHandlers<kLoad, SaveFloats<kRounding, false, false>>();
}

template <Loader kLoad, Rounding kRounding>
Handlers ToType(const Instruction& instruction) {
  switch (instruction.type) {
    case Type::kF16:
      return ToHalf<kLoad, F16, kRounding>(instruction);
    case Type::kBf16:
      return ToHalf<kLoad, Bf16, kRounding>(instruction);
    case Type::kF32:
      return ToFloat<kLoad, kRounding>(instruction);
    case Type::kF64:
      return instruction.saturate ? ConvertHandlers<kLoad, SaveDoubles<kRounding, true>>()
                                  : ConvertHandlers<kLoad, SaveDoubles<kRounding, false>>();
    default:
      return {};
  }
}

template <Loader kLoad>
Handlers Rounded(const Instruction& instruction) {
  switch (instruction.rounding) {
    case Rounding::kNone:
    case Rounding::kRn:
      return ToType<kLoad, Rounding::kRn>(instruction);
    case Rounding::kRz:
      return ToType<kLoad, Rounding::kRz>(instruction);
    case Rounding::kRm:
      return ToType<kLoad, Rounding::kRm>(instruction);
    case Rounding::kRp:
      return ToType<kLoad, Rounding::kRp>(instruction);
    case Rounding::kRni:
      return ToType<kLoad, Rounding::kRni>(instruction);
    case Rounding::kRzi:
      return ToType<kLoad, Rounding::kRzi>(instruction);
    case Rounding::kRmi:
      return ToType<kLoad, Rounding::kRmi>(instruction);
    case Rounding::kRpi:
      return ToType<kLoad, Rounding::kRpi>(instruction);
    default:
      return {};
  }
}

Handlers SelectAny(const Instruction& instruction) {
  switch (instruction.source_type) {
    case Type::kF16:
      return Rounded<LoadHalves<F16>>(instruction);
    case Type::kBf16:
      return Rounded<LoadHalves<Bf16>>(instruction);
    case Type::kF32:
      return instruction.flush_to_zero ? Rounded<LoadFloats<float, true>>(instruction)
                                       : Rounded<LoadFloats<float, false>>(instruction);
    case Type::kF64:
      return Rounded<LoadFloats<double, false>>(instruction);
    default:
      return {};
  }
}

template <Rounding kRounding>
Handlers IntegralFloat(const Instruction& instruction) {
  if (instruction.saturate) {
    return instruction.flush_to_zero ? HandlersOf<FloatToIntegral<kRounding, true, true>>()
                                     : HandlersOf<FloatToIntegral<kRounding, false, true>>();
  }
  return instruction.flush_to_zero ? HandlersOf<FloatToIntegral<kRounding, true, false>>()
                                   : HandlersOf<FloatToIntegral<kRounding, false, false>>();
}

Handlers SelectFloatToFloat(const Instruction& instruction) {
  switch (instruction.rounding) {
    case Rounding::kRni:
      return IntegralFloat<Rounding::kRni>(instruction);
    case Rounding::kRzi:
      return IntegralFloat<Rounding::kRzi>(instruction);
    case Rounding::kRmi:
      return IntegralFloat<Rounding::kRmi>(instruction);
    case Rounding::kRpi:
      return IntegralFloat<Rounding::kRpi>(instruction);
    default:
      break;
  }
  if (instruction.saturate) {
    return instruction.flush_to_zero ? HandlersOf<FloatToFloat<true, true>>()
                                     : HandlersOf<FloatToFloat<false, true>>();
  }
  return instruction.flush_to_zero ? HandlersOf<FloatToFloat<true, false>>()
                                   : HandlersOf<FloatToFloat<false, false>>();
}

/// Conversions that programs are full of; nulls for any other.
Handlers SelectCommon(const Instruction& instruction) {
  const Type to = instruction.type;
  const Type from = instruction.source_type;
  if (to == Type::kF32 && from == Type::kF32) {
    return SelectFloatToFloat(instruction);
  }
  const bool plain = !instruction.saturate && !instruction.relu;
  const bool nearest =
      instruction.rounding == Rounding::kNone || instruction.rounding == Rounding::kRn;
  if (!plain || !nearest) {
    return {};
  }
  if (to == Type::kF64 && from == Type::kF32) {
    return instruction.flush_to_zero ? HandlersOf<FlushedFloatToDouble>()
                                     : HandlersOf<FloatToDouble>();
  }
  if (instruction.flush_to_zero) {
    return {};
  }
  if (to == Type::kF32) {
    switch (from) {
      case Type::kF16:
        return {HalfToFloat<F16>::Full, HalfToFloat<F16>::Masked};
      case Type::kBf16:
        return {HalfToFloat<Bf16>::Full, HalfToFloat<Bf16>::Masked};
      case Type::kF64:
        return HandlersOf<DoubleToFloat>();
      default:
        return {};
    }
  }
  if (from == Type::kF32 && to == Type::kF16) {
    return {FloatToHalf<F16>::Full, FloatToHalf<F16>::Masked};
  }
  if (from == Type::kF32 && to == Type::kBf16) {
    return {FloatToHalf<Bf16>::Full, FloatToHalf<Bf16>::Masked};
  }
  return {};
}

template <class Format, Rounding kRounding>
Handlers PairRounded(const Instruction& instruction) {
  constexpr auto kInfinite = Overflow::kToInfinity;
  constexpr auto kFinite = Overflow::kToFinite;
  if (instruction.relu) {
    return instruction.saturate ? HandlersOf<FloatsToPair<Format, kRounding, true, kFinite>>()
                                : HandlersOf<FloatsToPair<Format, kRounding, true, kInfinite>>();
  }
  return instruction.saturate ? HandlersOf<FloatsToPair<Format, kRounding, false, kFinite>>()
                              : HandlersOf<FloatsToPair<Format, kRounding, false, kInfinite>>();
}
template <class Format>
Handlers SelectPair(const Instruction& instruction) {
  if (instruction.operands.size() != 3 || instruction.source_type != Type::kF32) {
    return {};
  }
  return instruction.rounding == Rounding::kRz ? PairRounded<Format, Rounding::kRz>(instruction)
                                               : PairRounded<Format, Rounding::kRn>(instruction);
}

template <class Format>
Handlers SelectBytes(const Instruction& instruction) {
  if (instruction.source_type == Type::kF32 && instruction.operands.size() == 3) {
    return instruction.relu ? HandlersOf<FloatsToBytes<Format, true>>()
                            : HandlersOf<FloatsToBytes<Format, false>>();
  }
  if (instruction.source_type == Type::kF16x2) {
    return instruction.relu ? HandlersOf<HalvesToBytes<Format, true>>()
                            : HandlersOf<HalvesToBytes<Format, false>>();
  }
  return {};
}

template <class Format>
Handlers SelectFromBytes(const Instruction& instruction) {
  return instruction.relu ? HandlersOf<BytesToHalves<Format, true>>()
                          : HandlersOf<BytesToHalves<Format, false>>();
}

template <Rounding kRounding>
Handlers Tf32Rounded(const Instruction& instruction) {
  constexpr auto kInfinite = Overflow::kToInfinity;
  constexpr auto kFinite = Overflow::kToFinite;
  if (instruction.relu) {
    return instruction.saturate ? HandlersOf<FloatToTf32<kRounding, true, kFinite>>()
                                : HandlersOf<FloatToTf32<kRounding, true, kInfinite>>();
  }
  return instruction.saturate ? HandlersOf<FloatToTf32<kRounding, false, kFinite>>()
                              : HandlersOf<FloatToTf32<kRounding, false, kInfinite>>();
}
Handlers SelectTf32(const Instruction& instruction) {
  switch (instruction.rounding) {
    case Rounding::kRna:
      return Tf32Rounded<Rounding::kRna>(instruction);
    case Rounding::kRz:
      return Tf32Rounded<Rounding::kRz>(instruction);
    case Rounding::kRn:
      return Tf32Rounded<Rounding::kRn>(instruction);
    default:
      return {};
  }
}

}  // namespace

Handlers SelectConvertFloat(const Instruction& instruction) {
  if (instruction.opcode != ptx::Opcode::kCvt) {
    return {};
  }
  switch (instruction.type) {
    case Type::kF16x2:
      if (instruction.source_type == Type::kE4m3x2) {
        return SelectFromBytes<E4m3>(instruction);
      }
      if (instruction.source_type == Type::kE5m2x2) {
        return SelectFromBytes<E5m2>(instruction);
      }
      return SelectPair<F16>(instruction);
    case Type::kBf16x2:
      return SelectPair<Bf16>(instruction);
    case Type::kE4m3x2:
      return SelectBytes<E4m3>(instruction);
    case Type::kE5m2x2:
      return SelectBytes<E5m2>(instruction);
    case Type::kTf32:
      return instruction.source_type == Type::kF32 ? SelectTf32(instruction) : Handlers{};
    default: {
      const Handlers common = SelectCommon(instruction);
      return common.full != nullptr ? common : SelectAny(instruction);
    }
  }
}

}  // namespace assay::gpu::ASSAY_GPU_ISA
