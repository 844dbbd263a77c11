// SPDX-License-Identifier: Apache-2.0
// set and setp of f16, bf16 and their pairs, compared in f32, which holds all of them. The two
// elements of a pair are compared each for itself: setp has two predicates then, set a result of
// two halves.
#include "emulator/ops/arithmetic.h"
#include "emulator/ops/compare_lanes.h"
#include "emulator/ops/half_lanes.h"

namespace assay::gpu::ASSAY_GPU_ISA {

namespace {

using ptx::Compare;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Type;

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

}  // namespace

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

}  // namespace assay::gpu::ASSAY_GPU_ISA
