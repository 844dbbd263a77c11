// SPDX-License-Identifier: Apache-2.0
// setp, set, selp, slct on integers, f32 and f64. (f16 and bf16: half_ops.cc.)
#include "emulator/ops/arithmetic.h"
#include "emulator/ops/compare_lanes.h"

namespace assay::gpu::ASSAY_GPU_ISA {

namespace {

using ptx::Compare;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Type;

template <class T, Compare kCompare, bool kFlush>
struct Comparator {
  ASSAY_GPU_INLINE LaneMask Evaluate(const T* a, const T* b) {
    return CompareLanes<T, kCompare, kFlush>(a, b);
  }
  static LaneMask Call(Warp& warp, std::uint32_t a, std::uint32_t b) {
    return Evaluate(Lanes<T>(warp, a), Lanes<T>(warp, b));
  }
};

/// The form that nearly all code has: one predicate, no other one combined.
template <class C, class T>
struct SetPredicate : WholePredicate<SetPredicate<C, T>> {
  ASSAY_GPU_INLINE LaneMask Compute(Warp& warp, const Step* step) {
    return C::Evaluate(Lanes<T>(warp, step->operand[1]), Lanes<T>(warp, step->operand[2]));
  }
};

template <class T, Compare kCompare, bool kFlush>
Handlers ForComparator(const Instruction& instruction) {
  using C = Comparator<T, kCompare, kFlush>;
  if (instruction.opcode == Opcode::kSet) {
    return SetHandlers<C::Call>(instruction);
  }
  if (instruction.bool_op == ptx::BoolOp::kNone && !instruction.has_second_destination) {
    return {SetPredicate<C, T>::Full, SetPredicate<C, T>::Masked};
  }
  return SetPredicateHandlers<C::Call>(instruction);
}

/// lo, ls, hi, hs are lt, le, gt, ge of unsigned numbers.
template <class T>
Handlers ForIntegers(const Instruction& instruction) {
  using U = UnsignedOf<T>;
  switch (instruction.compare) {
    case Compare::kEq:
      return ForComparator<U, Compare::kEq, false>(instruction);
    case Compare::kNe:
      return ForComparator<U, Compare::kNe, false>(instruction);
    case Compare::kLt:
      return ForComparator<T, Compare::kLt, false>(instruction);
    case Compare::kLe:
      return ForComparator<T, Compare::kLe, false>(instruction);
    case Compare::kGt:
      return ForComparator<T, Compare::kGt, false>(instruction);
    case Compare::kGe:
      return ForComparator<T, Compare::kGe, false>(instruction);
    case Compare::kLo:
      return ForComparator<U, Compare::kLt, false>(instruction);
    case Compare::kLs:
      return ForComparator<U, Compare::kLe, false>(instruction);
    case Compare::kHi:
      return ForComparator<U, Compare::kGt, false>(instruction);
    case Compare::kHs:
      return ForComparator<U, Compare::kGe, false>(instruction);
    default:
      return {};
  }
}

template <class T, bool kFlush>
Handlers ForFloats(const Instruction& instruction) {
  switch (instruction.compare) {
    case Compare::kEq:
      return ForComparator<T, Compare::kEq, kFlush>(instruction);
    case Compare::kNe:
      return ForComparator<T, Compare::kNe, kFlush>(instruction);
    case Compare::kLt:
      return ForComparator<T, Compare::kLt, kFlush>(instruction);
    case Compare::kLe:
      return ForComparator<T, Compare::kLe, kFlush>(instruction);
    case Compare::kGt:
      return ForComparator<T, Compare::kGt, kFlush>(instruction);
    case Compare::kGe:
      return ForComparator<T, Compare::kGe, kFlush>(instruction);
    case Compare::kEqu:
      return ForComparator<T, Compare::kEqu, kFlush>(instruction);
    case Compare::kNeu:
      return ForComparator<T, Compare::kNeu, kFlush>(instruction);
    case Compare::kLtu:
      return ForComparator<T, Compare::kLtu, kFlush>(instruction);
    case Compare::kLeu:
      return ForComparator<T, Compare::kLeu, kFlush>(instruction);
    case Compare::kGtu:
      return ForComparator<T, Compare::kGtu, kFlush>(instruction);
    case Compare::kGeu:
      return ForComparator<T, Compare::kGeu, kFlush>(instruction);
    case Compare::kNum:
      return ForComparator<T, Compare::kNum, kFlush>(instruction);
    case Compare::kNan:
      return ForComparator<T, Compare::kNan, kFlush>(instruction);
    default:
      return {};
  }
}

Handlers SelectComparison(const Instruction& instruction) {
  const Type compared =
      instruction.opcode == Opcode::kSet ? instruction.source_type : instruction.type;
  switch (compared) {
    case Type::kB16:
    case Type::kU16:
      return ForIntegers<std::uint16_t>(instruction);
    case Type::kS16:
      return ForIntegers<std::int16_t>(instruction);
    case Type::kB32:
    case Type::kU32:
      return ForIntegers<std::uint32_t>(instruction);
    case Type::kS32:
      return ForIntegers<std::int32_t>(instruction);
    case Type::kB64:
    case Type::kU64:
      return ForIntegers<std::uint64_t>(instruction);
    case Type::kS64:
      return ForIntegers<std::int64_t>(instruction);
    case Type::kF32:
      return instruction.flush_to_zero ? ForFloats<float, true>(instruction)
                                       : ForFloats<float, false>(instruction);
    case Type::kF64:
      return ForFloats<double, false>(instruction);
    default:
      return {};
  }
}

template <class T>
struct SelectByPredicate : WholeWarp<SelectByPredicate<T>, T> {
  ASSAY_GPU_INLINE void Compute(Warp& warp, const Step* step, T* to) {
    const LaneMask mask = Predicate(warp, step->operand[3]);
    const T* a = Lanes<T>(warp, step->operand[1]);
    const T* b = Lanes<T>(warp, step->operand[2]);
    Blend(to, a, b, mask);
  }
};

template <class T>
struct SelectBySign {
  ASSAY_GPU_INLINE T Apply(T a, T b, std::int32_t c) { return c >= 0 ? a : b; }
};
template <class T, bool kFlush>
struct SelectByFloat {
  ASSAY_GPU_INLINE T Apply(T a, T b, float c) { return Flush<kFlush>(c) >= 0.0F ? a : b; }
};

template <class T>
Handlers ForChoice(const Instruction& instruction) {
  if (instruction.opcode == Opcode::kSelp) {
    return {SelectByPredicate<T>::Full, SelectByPredicate<T>::Masked};
  }
  if (instruction.source_type == Type::kS32) {
    return HandlersOf<SelectBySign<T>>();
  }
  return instruction.flush_to_zero ? HandlersOf<SelectByFloat<T, true>>()
                                   : HandlersOf<SelectByFloat<T, false>>();
}

Handlers SelectChoice(const Instruction& instruction) {
  switch (instruction.type) {
    case Type::kB16:
    case Type::kU16:
    case Type::kS16:
    case Type::kF16:
    case Type::kBf16:
      return ForChoice<std::uint16_t>(instruction);
    case Type::kB32:
    case Type::kU32:
    case Type::kS32:
    case Type::kF32:
      return ForChoice<std::uint32_t>(instruction);
    case Type::kB64:
    case Type::kU64:
    case Type::kS64:
    case Type::kF64:
      return ForChoice<std::uint64_t>(instruction);
    default:
      return {};
  }
}

}  // namespace

Handlers SelectCompare(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kSet:
    case Opcode::kSetp:
      return SelectComparison(instruction);
    case Opcode::kSelp:
    case Opcode::kSlct:
      return SelectChoice(instruction);
    default:
      return {};
  }
}

}  // namespace assay::gpu::ASSAY_GPU_ISA
