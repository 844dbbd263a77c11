// SPDX-License-Identifier: Apache-2.0
// Comparisons of 32 lanes, and what setp and set make of them. Included only by the sources of
// ops/ (see lanes.h).
#ifndef ASSAY_EMULATOR_OPS_COMPARE_LANES_H_
#define ASSAY_EMULATOR_OPS_COMPARE_LANES_H_

#include <cstdint>

#include "emulator/ops/elementwise.h"
#include "emulator/ops/float_lanes.h"
#include "emulator/ptx/module.h"

namespace assay::gpu::ASSAY_GPU_ISA {

/// For integers only the first six mean anything.
template <ptx::Compare kCompare, class T>
ASSAY_GPU_INLINE bool Holds(T a, T b) {
  switch (kCompare) {
    case ptx::Compare::kEq:
      return a == b;
    case ptx::Compare::kNe:
      return a < b || a > b;
    case ptx::Compare::kLt:
      return a < b;
    case ptx::Compare::kLe:
      return a <= b;
    case ptx::Compare::kGt:
      return a > b;
    case ptx::Compare::kGe:
      return a >= b;
    case ptx::Compare::kEqu:
      return !(a < b || a > b);
    case ptx::Compare::kNeu:
      return a != b;
    case ptx::Compare::kLtu:
      return !(a >= b);
    case ptx::Compare::kLeu:
      return !(a > b);
    case ptx::Compare::kGtu:
      return !(a <= b);
    case ptx::Compare::kGeu:
      return !(a < b);
    case ptx::Compare::kNum:
      return a == a && b == b;
    default:
      return a != a || b != b;
  }
}

/// Which lanes of one vector hold, as a mask of Highway's. What Ne says of NaN differs with its
/// version, so floats are not asked for it.
template <ptx::Compare kCompare, class V>
ASSAY_GPU_INLINE auto CompareVectors(V a, V b) {
  if constexpr (kCompare == ptx::Compare::kEq) {
    return hn::Eq(a, b);
  } else if constexpr (kCompare == ptx::Compare::kNe) {
    if constexpr (hwy::IsFloat<hn::TFromV<V>>()) {
      return hn::Or(hn::Lt(a, b), hn::Gt(a, b));
    } else {
      return hn::Ne(a, b);
    }
  } else if constexpr (kCompare == ptx::Compare::kLt) {
    return hn::Lt(a, b);
  } else if constexpr (kCompare == ptx::Compare::kLe) {
    return hn::Le(a, b);
  } else if constexpr (kCompare == ptx::Compare::kGt) {
    return hn::Gt(a, b);
  } else if constexpr (kCompare == ptx::Compare::kGe) {
    return hn::Ge(a, b);
  } else {
    return hn::And(hn::Eq(a, a), hn::Eq(b, b));  // kNum
  }
}

/// The comparison whose opposite one is that Highway does not have: the unordered ones, and for
/// integers <= and >=.
template <class T, ptx::Compare kCompare>
inline constexpr ptx::Compare kOpposite =
    !hwy::IsFloat<T>() && kCompare == ptx::Compare::kLe   ? ptx::Compare::kGt
    : !hwy::IsFloat<T>() && kCompare == ptx::Compare::kGe ? ptx::Compare::kLt
    : kCompare == ptx::Compare::kEqu                      ? ptx::Compare::kNe
    : kCompare == ptx::Compare::kNeu                      ? ptx::Compare::kEq
    : kCompare == ptx::Compare::kLtu                      ? ptx::Compare::kGe
    : kCompare == ptx::Compare::kLeu                      ? ptx::Compare::kGt
    : kCompare == ptx::Compare::kGtu                      ? ptx::Compare::kLe
    : kCompare == ptx::Compare::kGeu                      ? ptx::Compare::kLt
    : kCompare == ptx::Compare::kNan                      ? ptx::Compare::kNum
                                                          : kCompare;

/// Bit l: whether a[l] kCompare b[l].
template <class T, ptx::Compare kCompare, bool kFlush>
ASSAY_GPU_INLINE LaneMask CompareLanes(const T* a, const T* b) {
  if constexpr (!kFlush) {
    constexpr ptx::Compare kAsked = kOpposite<T, kCompare>;
    const VectorOf<T> d;
    LaneMask holds = 0;
    for (std::uint32_t lane = 0; lane < kWarpSize; lane += kPerVector<T>) {
      holds |=
          WarpMask<T>(CompareVectors<kAsked>(hn::LoadU(d, a + lane), hn::LoadU(d, b + lane)), lane);
    }
    return kAsked == kCompare ? holds : ~holds;
  }
  alignas(64) std::int32_t holds[kWarpSize];
#pragma GCC ivdep
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    if constexpr (kFlush) {
      holds[lane] = Holds<kCompare>(Flush<true>(a[lane]), Flush<true>(b[lane])) ? -1 : 0;
    } else {
      holds[lane] = Holds<kCompare>(a[lane], b[lane]) ? -1 : 0;
    }
  }
  return GatherSigns(holds);
}

/// to[l] = mask bit l ? a[l] : b[l].
template <class T>
ASSAY_GPU_INLINE void Blend(T* to, const T* a, const T* b, LaneMask mask) {
  const VectorOf<T> d;
  for (std::uint32_t lane = 0; lane < kWarpSize; lane += kPerVector<T>) {
    hn::StoreU(
        hn::IfThenElse(VectorMask<T>(mask, lane), hn::LoadU(d, a + lane), hn::LoadU(d, b + lane)),
        d, to + lane);
  }
}

ASSAY_GPU_INLINE LaneMask Combine(ptx::BoolOp op, LaneMask a, LaneMask b) {
  switch (op) {
    case ptx::BoolOp::kAnd:
      return a & b;
    case ptx::BoolOp::kOr:
      return a | b;
    case ptx::BoolOp::kXor:
      return a ^ b;
    default:
      return a;
  }
}

/// A comparison of the registers at two offsets.
using CompareCall = LaneMask (*)(Warp& warp, std::uint32_t a, std::uint32_t b);

/// setp with a second destination, or another predicate combined: p = (a ? b) op c,
/// q = !(a ? b) op c. These forms are rare and many, hence thin calls of one function.
struct SetPredicateRun {
  CompareCall call;
  ptx::BoolOp op;
  LaneMask flip;  ///< All ones for `!c`.
  bool has_second;
};
__attribute__((noinline)) inline const Step* RunSetPredicate(Warp& warp, const Step* step,
                                                             const SetPredicateRun& run) {
  const LaneMask lanes = ExecutedLanes(warp, step);
  const std::uint32_t first = run.has_second ? 2 : 1;
  const LaneMask holds = run.call(warp, step->operand[first], step->operand[first + 1]);
  LaneMask c = 0;
  if (run.op != ptx::BoolOp::kNone) {
    c = Predicate(warp, step->operand[first + 2]) ^ run.flip;
  }
  StorePredicate(Predicate(warp, step->operand[0]), Combine(run.op, holds, c), lanes);
  if (run.has_second) {
    StorePredicate(Predicate(warp, step->operand[1]), Combine(run.op, ~holds, c), lanes);
  }
  return step + 1;
}

/// set: `value` where (a ? b) op c, else 0.
template <class T>
struct SetRun {
  CompareCall call;
  ptx::BoolOp op;
  LaneMask flip;
  T value;
};
template <class T>
__attribute__((noinline)) const Step* RunSet(Warp& warp, const Step* step, const SetRun<T>& run) {
  LaneMask holds = run.call(warp, step->operand[1], step->operand[2]);
  if (run.op != ptx::BoolOp::kNone) {
    holds = Combine(run.op, holds, Predicate(warp, step->operand[3]) ^ run.flip);
  }
  alignas(64) T result[kWarpSize];
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    result[lane] = ((holds >> lane) & 1U) != 0 ? run.value : T{0};
  }
  StoreLanes(Lanes<T>(warp, step->operand[0]), result, ExecutedLanes(warp, step));
  return step + 1;
}

template <CompareCall kCall, ptx::BoolOp kOp, bool kNegated, bool kSecond>
const Step* SetPredicatesStep(Warp& warp, const Step* step) {
  static constexpr SetPredicateRun kRun{kCall, kOp, kNegated ? kAllLanes : 0, kSecond};
  return RunSetPredicate(warp, step, kRun);
}
template <CompareCall kCall, ptx::BoolOp kOp, bool kNegated, class T, T kTrue>
const Step* SetStep(Warp& warp, const Step* step) {
  static constexpr SetRun<T> kRun{kCall, kOp, kNegated ? kAllLanes : 0, kTrue};
  return RunSet(warp, step, kRun);
}

/// Whether the predicate that a comparison is combined with is written `!c`.
ASSAY_GPU_INLINE bool CombinesNegated(const ptx::Instruction& instruction) {
  return instruction.bool_op != ptx::BoolOp::kNone && !instruction.operands.empty() &&
         instruction.operands.back().negated;
}

template <CompareCall kCall, ptx::BoolOp kOp, bool kNegated>
ASSAY_GPU_INLINE Handlers SetPredicateForms(const ptx::Instruction& instruction) {
  return BothForms(instruction.has_second_destination
                       ? SetPredicatesStep<kCall, kOp, kNegated, true>
                       : SetPredicatesStep<kCall, kOp, kNegated, false>);
}

/// The results of set: all ones, or one, in the destination's format.
template <CompareCall kCall, ptx::BoolOp kOp, bool kNegated>
ASSAY_GPU_INLINE Handlers SetForms(const ptx::Instruction& instruction) {
  switch (instruction.type) {
    case ptx::Type::kU32:
    case ptx::Type::kS32:
      return BothForms(SetStep<kCall, kOp, kNegated, std::uint32_t, kAllLanes>);
    case ptx::Type::kF32:
      return BothForms(SetStep<kCall, kOp, kNegated, std::uint32_t, 0x3f800000U>);
    default:
      return {};
  }
}
template <CompareCall kCall, ptx::BoolOp kOp, bool kNegated>
ASSAY_GPU_INLINE Handlers SetHalfForms(const ptx::Instruction& instruction) {
  switch (instruction.type) {
    case ptx::Type::kU16:
    case ptx::Type::kS16:
      return BothForms(SetStep<kCall, kOp, kNegated, std::uint16_t, 0xffffU>);
    case ptx::Type::kF16:
      return BothForms(SetStep<kCall, kOp, kNegated, std::uint16_t, 0x3c00U>);
    case ptx::Type::kBf16:
      return BothForms(SetStep<kCall, kOp, kNegated, std::uint16_t, 0x3f80U>);
    default:
      return SetForms<kCall, kOp, kNegated>(instruction);
  }
}

/// Generates the four ways to combine, each with `c` and `!c`, of a family of forms.
// NOLINTBEGIN(bugprone-macro-parentheses): a template's name takes none.
#define ASSAY_GPU_FOR_BOOL_OP(Family, kCall, instruction)                    \
  const bool negated = CombinesNegated(instruction);                         \
  switch ((instruction).bool_op) {                                           \
    case ptx::BoolOp::kAnd:                                                  \
      return negated ? Family<kCall, ptx::BoolOp::kAnd, true>(instruction)   \
                     : Family<kCall, ptx::BoolOp::kAnd, false>(instruction); \
    case ptx::BoolOp::kOr:                                                   \
      return negated ? Family<kCall, ptx::BoolOp::kOr, true>(instruction)    \
                     : Family<kCall, ptx::BoolOp::kOr, false>(instruction);  \
    case ptx::BoolOp::kXor:                                                  \
      return negated ? Family<kCall, ptx::BoolOp::kXor, true>(instruction)   \
                     : Family<kCall, ptx::BoolOp::kXor, false>(instruction); \
    default:                                                                 \
      return Family<kCall, ptx::BoolOp::kNone, false>(instruction);          \
  }
// NOLINTEND(bugprone-macro-parentheses)

template <CompareCall kCall>
Handlers SetPredicateHandlers(const ptx::Instruction& instruction) {
  ASSAY_GPU_FOR_BOOL_OP(SetPredicateForms, kCall, instruction)
}

template <CompareCall kCall>
Handlers SetHandlers(const ptx::Instruction& instruction) {
  ASSAY_GPU_FOR_BOOL_OP(SetForms, kCall, instruction)
}

template <CompareCall kCall>
Handlers SetHalfHandlers(const ptx::Instruction& instruction) {
  ASSAY_GPU_FOR_BOOL_OP(SetHalfForms, kCall, instruction)
}

#undef ASSAY_GPU_FOR_BOOL_OP

}  // namespace assay::gpu::ASSAY_GPU_ISA

#endif  // ASSAY_EMULATOR_OPS_COMPARE_LANES_H_
