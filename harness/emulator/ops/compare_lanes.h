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

#if defined(__AVX512F__)
/// The predicate of vpcmp and vpcmpu.
template <ptx::Compare kCompare>
inline constexpr int kIntegerPredicate = kCompare == ptx::Compare::kEq   ? _MM_CMPINT_EQ
                                         : kCompare == ptx::Compare::kNe ? _MM_CMPINT_NE
                                         : kCompare == ptx::Compare::kLt ? _MM_CMPINT_LT
                                         : kCompare == ptx::Compare::kLe ? _MM_CMPINT_LE
                                         : kCompare == ptx::Compare::kGt ? _MM_CMPINT_NLE
                                                                         : _MM_CMPINT_NLT;
/// The predicate of vcmpps and vcmppd.
template <ptx::Compare kCompare>
inline constexpr int kFloatPredicate = kCompare == ptx::Compare::kEq    ? _CMP_EQ_OQ
                                       : kCompare == ptx::Compare::kNe  ? _CMP_NEQ_OQ
                                       : kCompare == ptx::Compare::kLt  ? _CMP_LT_OQ
                                       : kCompare == ptx::Compare::kLe  ? _CMP_LE_OQ
                                       : kCompare == ptx::Compare::kGt  ? _CMP_GT_OQ
                                       : kCompare == ptx::Compare::kGe  ? _CMP_GE_OQ
                                       : kCompare == ptx::Compare::kEqu ? _CMP_EQ_UQ
                                       : kCompare == ptx::Compare::kNeu ? _CMP_NEQ_UQ
                                       : kCompare == ptx::Compare::kLtu ? _CMP_NGE_UQ
                                       : kCompare == ptx::Compare::kLeu ? _CMP_NGT_UQ
                                       : kCompare == ptx::Compare::kGtu ? _CMP_NLE_UQ
                                       : kCompare == ptx::Compare::kGeu ? _CMP_NLT_UQ
                                       : kCompare == ptx::Compare::kNum ? _CMP_ORD_Q
                                                                        : _CMP_UNORD_Q;

/// One vector's worth: 32 16-bit, 16 32-bit or 8 64-bit lanes.
template <class T, ptx::Compare kCompare>
ASSAY_GPU_INLINE LaneMask CompareVector(const T* a, const T* b) {
  constexpr int kInteger = kIntegerPredicate<kCompare>;
  if constexpr (T{1} / T{2} != T{0}) {
    constexpr int kFloat = kFloatPredicate<kCompare>;
    if constexpr (sizeof(T) == 4) {
      return _mm512_cmp_ps_mask(_mm512_loadu_ps(a), _mm512_loadu_ps(b), kFloat);
    } else {
      return _mm512_cmp_pd_mask(_mm512_loadu_pd(a), _mm512_loadu_pd(b), kFloat);
    }
  } else {
    const __m512i x = _mm512_loadu_si512(a);
    const __m512i y = _mm512_loadu_si512(b);
    if constexpr (sizeof(T) == 2) {
      return kIsSigned<T> ? _mm512_cmp_epi16_mask(x, y, kInteger)
                          : _mm512_cmp_epu16_mask(x, y, kInteger);
    } else if constexpr (sizeof(T) == 4) {
      return kIsSigned<T> ? _mm512_cmp_epi32_mask(x, y, kInteger)
                          : _mm512_cmp_epu32_mask(x, y, kInteger);
    } else {
      return kIsSigned<T> ? _mm512_cmp_epi64_mask(x, y, kInteger)
                          : _mm512_cmp_epu64_mask(x, y, kInteger);
    }
  }
}
#endif

/// Bit l: whether a[l] kCompare b[l].
template <class T, ptx::Compare kCompare, bool kFlush>
ASSAY_GPU_INLINE LaneMask CompareLanes(const T* a, const T* b) {
#if defined(__AVX512F__)
  if constexpr (!kFlush) {
    constexpr std::uint32_t kPerVector = 64 / sizeof(T);
    LaneMask mask = 0;
    for (std::uint32_t lane = 0; lane < kWarpSize; lane += kPerVector) {
      mask |= CompareVector<T, kCompare>(a + lane, b + lane) << lane;
    }
    return mask;
  }
#endif
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
#if defined(__AVX512F__)
  constexpr std::uint32_t kPerVector = 64 / sizeof(T);
  for (std::uint32_t lane = 0; lane < kWarpSize; lane += kPerVector) {
    const __m512i x = _mm512_loadu_si512(a + lane);
    const __m512i y = _mm512_loadu_si512(b + lane);
    const LaneMask part = mask >> lane;
    if constexpr (sizeof(T) == 2) {
      _mm512_storeu_si512(to + lane, _mm512_mask_blend_epi16(part, y, x));
    } else if constexpr (sizeof(T) == 4) {
      _mm512_storeu_si512(to + lane, _mm512_mask_blend_epi32(static_cast<__mmask16>(part), y, x));
    } else {
      _mm512_storeu_si512(to + lane, _mm512_mask_blend_epi64(static_cast<__mmask8>(part), y, x));
    }
  }
#else
#pragma GCC ivdep
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    to[lane] = ((mask >> lane) & 1U) != 0 ? a[lane] : b[lane];
  }
#endif
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
