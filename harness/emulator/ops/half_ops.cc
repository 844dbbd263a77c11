// SPDX-License-Identifier: Apache-2.0
// Arithmetic and comparisons of f16, bf16 and their pairs: computed in f32 or f64 so that each
// result is rounded once. A pair is two elements of a lane, so 64 elements a warp.
#include "emulator/ops/arithmetic.h"
#include "emulator/ops/compare_lanes.h"
#include "emulator/ops/half_lanes.h"

namespace assay::gpu::ASSAY_GPU_ISA {

namespace {

using ptx::Compare;
using ptx::Instruction;
using ptx::Mode;
using ptx::Opcode;
using ptx::Rounding;
using ptx::Type;

/// Results may lie between two f16 (bf16) numbers in f32 already: 24 bits are more than twice 11
/// and two, so that rounding a sum, difference or product twice is as good as once.
struct Add {
  template <class Format>
  ASSAY_GPU_INLINE float Of(float a, float b) {
    return a + b;
  }
};
struct Subtract {
  template <class Format>
  ASSAY_GPU_INLINE float Of(float a, float b) {
    return a - b;
  }
};
struct Multiply {
  template <class Format>
  ASSAY_GPU_INLINE float Of(float a, float b) {
    return a * b;
  }
};
/// The product is exact, in f32 for f16 and in f64 for bf16; the sum is rounded to odd.
struct FusedMultiplyAdd {
  template <class Format>
  ASSAY_GPU_INLINE float Of(float a, float b, float c) {
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

template <bool kMaximum, bool kNanPropagates, bool kSignOfProduct>
struct Extremum {
  template <class Format>
  ASSAY_GPU_INLINE float Of(float a, float b) {
    constexpr std::uint32_t kSign = FloatFormat<float>::kSign;
    const std::uint32_t sign = (ToBits(a) ^ ToBits(b)) & kSign;
    const float x = kSignOfProduct ? FromBits(ToBits(a) & ~kSign) : a;
    const float y = kSignOfProduct ? FromBits(ToBits(b) & ~kSign) : b;
    const std::uint32_t both = kMaximum ? ToBits(x) & ToBits(y) : ToBits(x) | ToBits(y);
    const float ordered = x == y ? FromBits(both) : ((kMaximum ? x > y : x < y) ? x : y);
    const float result = IsNan(x) ? y : (IsNan(y) ? x : ordered);
    const float nan = FromBits(FloatFormat<float>::kNan);
    const bool is_nan = kNanPropagates ? IsNan(x) || IsNan(y) : IsNan(x) && IsNan(y);
    return is_nan ? nan : (kSignOfProduct ? FromBits(ToBits(result) | sign) : result);
  }
};

/// .ftz: a number below the least normal f16 becomes a zero. (bf16 has no .ftz.)
template <bool kFlush>
ASSAY_GPU_INLINE float FlushHalf(float value) {
  if constexpr (kFlush) {
    return __builtin_fabsf(value) < 0x1p-14F ? FromBits(ToBits(value) & 0x80000000U) : value;
  }
  return value;
}

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
        value = Core::template Of<Format>(a, b, FlushHalf<kFlush>(from[2][i]));
      } else {
        value = Core::template Of<Format>(a, b);
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
               ? ForExtremumFlush<Extremum<kMaximum, true, true>>(instruction)
               : ForExtremumFlush<Extremum<kMaximum, false, true>>(instruction);
  }
  return instruction.nan_propagates
             ? ForExtremumFlush<Extremum<kMaximum, true, false>>(instruction)
             : ForExtremumFlush<Extremum<kMaximum, false, false>>(instruction);
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

// ---- comparisons ----

template <class Format, Compare kCompare, bool kFlush>
LaneMask CompareHalves(Warp& warp, std::uint32_t a, std::uint32_t b) {
  alignas(64) float x[kWarpSize];
  alignas(64) float y[kWarpSize];
  WidenEach<Format, kWarpSize>(x, Lanes<std::uint16_t>(warp, a));
  WidenEach<Format, kWarpSize>(y, Lanes<std::uint16_t>(warp, b));
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    x[lane] = FlushHalf<kFlush>(x[lane]);
    y[lane] = FlushHalf<kFlush>(y[lane]);
  }
  return CompareLanes<float, kCompare, false>(x, y);
}

/// Of pairs: lane masks of the lower and of the upper elements.
struct PairMasks {
  LaneMask low;
  LaneMask high;
};
using ComparePairsCall = PairMasks (*)(Warp& warp, std::uint32_t a, std::uint32_t b);

template <class Format, Compare kCompare, bool kFlush>
PairMasks ComparePairs(Warp& warp, std::uint32_t a, std::uint32_t b) {
  const auto* from_a = Lanes<std::uint32_t>(warp, a);
  const auto* from_b = Lanes<std::uint32_t>(warp, b);
  LaneMask masks[2];
  for (std::uint32_t half = 0; half < 2; ++half) {
    alignas(64) float x[kWarpSize];
    alignas(64) float y[kWarpSize];
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      x[lane] =
          FlushHalf<kFlush>(Widen<Format>(static_cast<std::uint16_t>(from_a[lane] >> (16 * half))));
      y[lane] =
          FlushHalf<kFlush>(Widen<Format>(static_cast<std::uint16_t>(from_b[lane] >> (16 * half))));
    }
    masks[half] = CompareLanes<float, kCompare, false>(x, y);
  }
  return {masks[0], masks[1]};
}

struct PairRun {
  ComparePairsCall call;
  ptx::BoolOp op;
  LaneMask flip;
  std::uint32_t value;  ///< set: an element's result where the comparison holds.
};
/// setp p|q: p of the lower elements, q of the upper ones.
const Step* RunSetPair(Warp& warp, const Step* step, const PairRun& run) {
  const LaneMask lanes = ExecutedLanes(warp, step);
  const PairMasks holds = run.call(warp, step->operand[2], step->operand[3]);
  LaneMask c = 0;
  if (run.op != ptx::BoolOp::kNone) {
    c = Predicate(warp, step->operand[4]) ^ run.flip;
  }
  StorePredicate(Predicate(warp, step->operand[0]), Combine(run.op, holds.low, c), lanes);
  StorePredicate(Predicate(warp, step->operand[1]), Combine(run.op, holds.high, c), lanes);
  return step + 1;
}
const Step* RunSetPairs(Warp& warp, const Step* step, const PairRun& run) {
  PairMasks holds = run.call(warp, step->operand[1], step->operand[2]);
  if (run.op != ptx::BoolOp::kNone) {
    const LaneMask c = Predicate(warp, step->operand[3]) ^ run.flip;
    holds = {Combine(run.op, holds.low, c), Combine(run.op, holds.high, c)};
  }
  alignas(64) std::uint32_t result[kWarpSize];
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    result[lane] = (((holds.low >> lane) & 1U) != 0 ? run.value : 0) |
                   (((holds.high >> lane) & 1U) != 0 ? run.value << 16U : 0);
  }
  StoreLanes(Lanes<std::uint32_t>(warp, step->operand[0]), result, ExecutedLanes(warp, step));
  return step + 1;
}

template <ComparePairsCall kCall, ptx::BoolOp kOp, bool kNegated>
struct PairSteps {
  static const Step* SetPredicates(Warp& warp, const Step* step) {
    static constexpr PairRun kRun{kCall, kOp, kNegated ? kAllLanes : 0, 0};
    return RunSetPair(warp, step, kRun);
  }
  template <std::uint32_t kValue>
  static const Step* Set(Warp& warp, const Step* step) {
    static constexpr PairRun kRun{kCall, kOp, kNegated ? kAllLanes : 0, kValue};
    return RunSetPairs(warp, step, kRun);
  }
};

template <ComparePairsCall kCall, ptx::BoolOp kOp, bool kNegated>
Handlers PairForms(const Instruction& instruction) {
  using Steps = PairSteps<kCall, kOp, kNegated>;
  if (instruction.opcode == Opcode::kSetp) {
    return instruction.has_second_destination ? BothForms(Steps::SetPredicates) : Handlers{};
  }
  switch (instruction.type) {
    case Type::kF16x2:
      return BothForms(Steps::template Set<0x3c00U>);
    case Type::kBf16x2:
      return BothForms(Steps::template Set<0x3f80U>);
    default:
      return BothForms(Steps::template Set<0xffffU>);  // a mask of each element
  }
}

template <ComparePairsCall kCall>
Handlers PairHandlers(const Instruction& instruction) {
  const bool negated = CombinesNegated(instruction);
  switch (instruction.bool_op) {
    case ptx::BoolOp::kAnd:
      return negated ? PairForms<kCall, ptx::BoolOp::kAnd, true>(instruction)
                     : PairForms<kCall, ptx::BoolOp::kAnd, false>(instruction);
    case ptx::BoolOp::kOr:
      return negated ? PairForms<kCall, ptx::BoolOp::kOr, true>(instruction)
                     : PairForms<kCall, ptx::BoolOp::kOr, false>(instruction);
    case ptx::BoolOp::kXor:
      return negated ? PairForms<kCall, ptx::BoolOp::kXor, true>(instruction)
                     : PairForms<kCall, ptx::BoolOp::kXor, false>(instruction);
    default:
      return PairForms<kCall, ptx::BoolOp::kNone, false>(instruction);
  }
}

template <class Format, bool kPair, bool kFlush, Compare kCompare>
Handlers ForComparison(const Instruction& instruction) {
  if constexpr (kPair) {
    return PairHandlers<ComparePairs<Format, kCompare, kFlush>>(instruction);
  } else {
    return instruction.opcode == Opcode::kSet
               ? SetHalfHandlers<CompareHalves<Format, kCompare, kFlush>>(instruction)
               : SetPredicateHandlers<CompareHalves<Format, kCompare, kFlush>>(instruction);
  }
}

template <class Format, bool kPair, bool kFlush>
Handlers SelectComparison(const Instruction& instruction) {
  switch (instruction.compare) {
    case Compare::kEq:
      return ForComparison<Format, kPair, kFlush, Compare::kEq>(instruction);
    case Compare::kNe:
      return ForComparison<Format, kPair, kFlush, Compare::kNe>(instruction);
    case Compare::kLt:
      return ForComparison<Format, kPair, kFlush, Compare::kLt>(instruction);
    case Compare::kLe:
      return ForComparison<Format, kPair, kFlush, Compare::kLe>(instruction);
    case Compare::kGt:
      return ForComparison<Format, kPair, kFlush, Compare::kGt>(instruction);
    case Compare::kGe:
      return ForComparison<Format, kPair, kFlush, Compare::kGe>(instruction);
    case Compare::kEqu:
      return ForComparison<Format, kPair, kFlush, Compare::kEqu>(instruction);
    case Compare::kNeu:
      return ForComparison<Format, kPair, kFlush, Compare::kNeu>(instruction);
    case Compare::kLtu:
      return ForComparison<Format, kPair, kFlush, Compare::kLtu>(instruction);
    case Compare::kLeu:
      return ForComparison<Format, kPair, kFlush, Compare::kLeu>(instruction);
    case Compare::kGtu:
      return ForComparison<Format, kPair, kFlush, Compare::kGtu>(instruction);
    case Compare::kGeu:
      return ForComparison<Format, kPair, kFlush, Compare::kGeu>(instruction);
    case Compare::kNum:
      return ForComparison<Format, kPair, kFlush, Compare::kNum>(instruction);
    case Compare::kNan:
      return ForComparison<Format, kPair, kFlush, Compare::kNan>(instruction);
    default:
      return {};
  }
}

Handlers SelectHalfComparison(const Instruction& instruction) {
  const Type compared =
      instruction.opcode == Opcode::kSet ? instruction.source_type : instruction.type;
  const bool flush = instruction.flush_to_zero;
  switch (compared) {
    case Type::kF16:
      return flush ? SelectComparison<F16, false, true>(instruction)
                   : SelectComparison<F16, false, false>(instruction);
    case Type::kF16x2:
      return flush ? SelectComparison<F16, true, true>(instruction)
                   : SelectComparison<F16, true, false>(instruction);
    case Type::kBf16:
      return SelectComparison<Bf16, false, false>(instruction);
    case Type::kBf16x2:
      return SelectComparison<Bf16, true, false>(instruction);
    default:
      return {};
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
