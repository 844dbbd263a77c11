// SPDX-License-Identifier: Apache-2.0
// Arithmetic of f16, bf16 and their pairs (f16x2, bf16x2: two elements a lane, so 64 a warp).
// Comparisons are in half_compare_ops.cc.
//
// Sources are widened to f32, which holds them exactly, and results rounded to the format. Each is
// the exact one rounded once to nearest even, as PTX defines it, although f32 may round before:
// why is said at each operation.
#include "emulator/ops/arithmetic.h"
#include "emulator/ops/elementwise.h"
#include "emulator/ops/half_lanes.h"

namespace assay::gpu::ASSAY_GPU_ISA {

namespace {

using ptx::Instruction;
using ptx::Mode;
using ptx::Opcode;
using ptx::Rounding;
using ptx::Type;

// Sums, differences and products are rounded to f32 and then to the format. That gives what one
// rounding gives, since 24 bits are at least 2 * 11 + 2, of f16 (bf16 has 8): Figueroa, "When is
// double rounding innocuous?", 1995.

struct Add {
  template <class Format>
  ASSAY_GPU_INLINE float Apply(float a, float b) {
    return a + b;
  }
};
struct Subtract {
  template <class Format>
  ASSAY_GPU_INLINE float Apply(float a, float b) {
    return a - b;
  }
};
struct Multiply {
  template <class Format>
  ASSAY_GPU_INLINE float Apply(float a, float b) {
    return a * b;
  }
};
/// The product is exact, in f32 for f16 and in f64 for bf16; the sum is rounded to odd, so that the
/// rounding to the format is as if of the exact sum (half_lanes.h).
struct FusedMultiplyAdd {
  template <class Format>
  ASSAY_GPU_INLINE float Apply(float a, float b, float c) {
    if constexpr (Format::kMantissaBits == 10) {
      const float product = a * b;
      const float sum = product + c;
      const bool finite = __builtin_fabsf(sum) < FromBits(FloatFormat<float>::kInfinity);
      return finite ? OddSum(product, c) : sum;
    } else {
      const double product = static_cast<double>(a) * static_cast<double>(b);
      const double sum = product + static_cast<double>(c);
      const bool finite = __builtin_fabs(sum) < FromBits(FloatFormat<double>::kInfinity);
      return ToOddFloat(finite ? OddSum(product, static_cast<double>(c)) : sum);
    }
  }
};

/// f32 has the rules for NaNs and zeros that the formats have.
template <bool kMaximum, bool kNanPropagates, bool kSignOfProduct>
struct HalfExtremum {
  template <class Format>
  ASSAY_GPU_INLINE float Apply(float a, float b) {
    return Extremum<float, kMaximum, false, kNanPropagates, kSignOfProduct>::Apply(a, b);
  }
};

enum class Clamp : std::uint8_t { kNone, kSaturate, kRelu };
template <Clamp kClamp>
ASSAY_GPU_INLINE float Clamped(float value) {
  if constexpr (kClamp == Clamp::kSaturate) {
    return Saturate<true>(value);
  } else if constexpr (kClamp == Clamp::kRelu) {
    return value <= 0.0F ? 0.0F : value;
  }
  return value;
}

/// Core on kPerLane elements of Format a lane and kOperands sources.
template <class Core, class Format, std::uint32_t kPerLane, std::uint32_t kOperands, bool kFlush,
          Clamp kClamp>
struct HalfArithmetic : WholeWarp<HalfArithmetic<Core, Format, kPerLane, kOperands, kFlush, kClamp>,
                                  std::uint16_t, kPerLane> {
  static constexpr std::uint32_t kCount = kWarpSize * kPerLane;

  ASSAY_GPU_INLINE void Compute(Warp& warp, const Step* step, std::uint16_t* to) {
    alignas(64) float from[kOperands][kCount];
    alignas(64) float result[kCount];
    for (std::uint32_t operand = 0; operand < kOperands; ++operand) {
      WidenEach<Format, kCount>(from[operand],
                                Lanes<std::uint16_t>(warp, step->operand[operand + 1]));
    }
    for (std::uint32_t i = 0; i < kCount; ++i) {
      const float a = FlushHalf<kFlush>(from[0][i]);
      const float b = FlushHalf<kFlush>(from[1][i]);
      float value;
      if constexpr (kOperands == 3) {
        value = Core::template Apply<Format>(a, b, FlushHalf<kFlush>(from[2][i]));
      } else {
        value = Core::template Apply<Format>(a, b);
      }
      result[i] = Clamped<kClamp>(value);
    }
    NarrowEach<Format, Rounding::kRn, kCount>(to, result);
    if constexpr (kFlush) {
      for (std::uint32_t i = 0; i < kCount; ++i) {
        to[i] = (to[i] & 0x7c00U) == 0 ? static_cast<std::uint16_t>(to[i] & 0x8000U) : to[i];
      }
    }
  }
};

/// neg and abs are of the sign bit alone.
template <class Format, bool kFlush>
struct Negate {
  ASSAY_GPU_INLINE std::uint16_t Apply(std::uint16_t a) {
    const bool zero = kFlush && (a & 0x7c00U) == 0;
    return static_cast<std::uint16_t>((zero ? a & 0x8000U : a) ^ 0x8000U);
  }
};
template <class Format, bool kFlush>
struct Absolute {
  ASSAY_GPU_INLINE std::uint16_t Apply(std::uint16_t a) {
    const bool zero = kFlush && (a & 0x7c00U) == 0;
    return static_cast<std::uint16_t>(zero ? 0 : a & 0x7fffU);
  }
};

template <class Core, class Format, std::uint32_t kPerLane, std::uint32_t kOperands, bool kFlush>
Handlers ForClamp(const Instruction& instruction) {
  using None = HalfArithmetic<Core, Format, kPerLane, kOperands, kFlush, Clamp::kNone>;
  using Saturated = HalfArithmetic<Core, Format, kPerLane, kOperands, kFlush, Clamp::kSaturate>;
  using Relu = HalfArithmetic<Core, Format, kPerLane, kOperands, kFlush, Clamp::kRelu>;
  if (instruction.relu) {
    return BothForms(Relu::Masked);
  }
  if (instruction.saturate) {
    return BothForms(Saturated::Masked);
  }
  if constexpr (kFlush) {
    return BothForms(None::Masked);
  } else {
    return {None::Full, None::Masked};
  }
}

/// min and max have neither .sat nor .relu.
template <class Core, class Format, std::uint32_t kPerLane, bool kFlush>
Handlers WithoutClamp(const Instruction& instruction) {
  if (instruction.relu || instruction.saturate) {
    return {};
  }
  using Form = HalfArithmetic<Core, Format, kPerLane, 2, kFlush, Clamp::kNone>;
  if constexpr (kFlush) {
    return BothForms(Form::Masked);
  } else {
    return {Form::Full, Form::Masked};
  }
}

template <class Core, std::uint32_t kOperands, std::uint32_t kPerLane>
Handlers ForF16(const Instruction& instruction) {
  return instruction.flush_to_zero ? ForClamp<Core, F16, kPerLane, kOperands, true>(instruction)
                                   : ForClamp<Core, F16, kPerLane, kOperands, false>(instruction);
}

template <class Core, std::uint32_t kOperands>
Handlers ForHalf(const Instruction& instruction) {
  if (instruction.rounding != Rounding::kNone && instruction.rounding != Rounding::kRn) {
    return {};
  }
  switch (instruction.type) {
    case Type::kF16:
      return ForF16<Core, kOperands, 1>(instruction);
    case Type::kF16x2:
      return ForF16<Core, kOperands, 2>(instruction);
    case Type::kBf16:
      return ForClamp<Core, Bf16, 1, kOperands, false>(instruction);
    case Type::kBf16x2:
      return ForClamp<Core, Bf16, 2, kOperands, false>(instruction);
    default:
      return {};
  }
}

template <class Core, bool kFlush>
Handlers ForExtremum(const Instruction& instruction) {
  switch (instruction.type) {
    case Type::kF16:
      return WithoutClamp<Core, F16, 1, kFlush>(instruction);
    case Type::kF16x2:
      return WithoutClamp<Core, F16, 2, kFlush>(instruction);
    case Type::kBf16:
      return WithoutClamp<Core, Bf16, 1, false>(instruction);
    default:
      return WithoutClamp<Core, Bf16, 2, false>(instruction);
  }
}
template <class Core>
Handlers ForExtremumFlush(const Instruction& instruction) {
  return instruction.flush_to_zero ? ForExtremum<Core, true>(instruction)
                                   : ForExtremum<Core, false>(instruction);
}
template <bool kMaximum>
Handlers SelectExtremum(const Instruction& instruction) {
  if (instruction.mode == Mode::kXorSignAbs) {
    return instruction.nan_propagates
               ? ForExtremumFlush<HalfExtremum<kMaximum, true, true>>(instruction)
               : ForExtremumFlush<HalfExtremum<kMaximum, false, true>>(instruction);
  }
  return instruction.nan_propagates
             ? ForExtremumFlush<HalfExtremum<kMaximum, true, false>>(instruction)
             : ForExtremumFlush<HalfExtremum<kMaximum, false, false>>(instruction);
}

template <template <class, bool> class Op>
Handlers ForSignBit(const Instruction& instruction) {
  const bool flush = instruction.flush_to_zero;
  switch (instruction.type) {
    case Type::kF16:
      return flush ? HandlersOf<Op<F16, true>>() : HandlersOf<Op<F16, false>>();
    case Type::kF16x2:
      return flush ? PackedHandlersOf<Op<F16, true>>() : PackedHandlersOf<Op<F16, false>>();
    case Type::kBf16:
      return HandlersOf<Op<Bf16, false>>();
    default:
      return PackedHandlersOf<Op<Bf16, false>>();
  }
}

}  // namespace

Handlers SelectHalf(const Instruction& instruction) {
  if (instruction.opcode == Opcode::kSet || instruction.opcode == Opcode::kSetp) {
    return SelectHalfComparison(instruction);
  }
  switch (instruction.type) {
    case Type::kF16:
    case Type::kF16x2:
    case Type::kBf16:
    case Type::kBf16x2:
      break;
    default:
      return {};
  }
  switch (instruction.opcode) {
    case Opcode::kAdd:
      return ForHalf<Add, 2>(instruction);
    case Opcode::kSub:
      return ForHalf<Subtract, 2>(instruction);
    case Opcode::kMul:
      return ForHalf<Multiply, 2>(instruction);
    case Opcode::kFma:
      return ForHalf<FusedMultiplyAdd, 3>(instruction);
    case Opcode::kMin:
      return SelectExtremum<false>(instruction);
    case Opcode::kMax:
      return SelectExtremum<true>(instruction);
    case Opcode::kNeg:
      return ForSignBit<Negate>(instruction);
    case Opcode::kAbs:
      return ForSignBit<Absolute>(instruction);
    default:
      return {};
  }
}

}  // namespace assay::gpu::ASSAY_GPU_ISA
