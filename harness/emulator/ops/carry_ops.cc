// SPDX-License-Identifier: Apache-2.0
// add.cc, addc, sub.cc, subc, mad.cc, madc: arithmetic of numbers longer than a register.
//
// The flag is what leaves the GPU's adder, of differences too: a - b is a + ~b + 1, so that 1 says
// that nothing was borrowed. PTX's manual calls it a borrow there, which cannot be told apart
// within a chain of subc; but NVIDIA's own division of 128 bits reads the flag of a subc by addc,
// and wants the adder's.
#include "emulator/ops/arithmetic.h"
#include "emulator/ops/elementwise.h"

namespace assay::gpu::ASSAY_GPU_ISA {

namespace {

using ptx::Instruction;
using ptx::Mode;
using ptx::Opcode;
using ptx::Type;

/// A result and the carry that leaves it, 0 or 1.
template <class T>
struct Sum {
  T value;
  T carry;
};

template <class T>
ASSAY_GPU_INLINE Sum<T> AddWithCarry(T a, T b, T carry) {
  const T partial = a + b;
  const T total = partial + carry;
  return {total, static_cast<T>((partial < a ? T{1} : T{0}) | (total < partial ? T{1} : T{0}))};
}

template <class T>
struct AddCarry {
  using Value = T;
  static constexpr std::uint32_t kSources = 2;
  static constexpr LaneMask kWithoutCarry = 0;
  ASSAY_GPU_INLINE Sum<T> Apply(T a, T b, T /*c*/, T carry) { return AddWithCarry(a, b, carry); }
};
template <class T>
struct SubtractCarry {
  using Value = T;
  static constexpr std::uint32_t kSources = 2;
  static constexpr LaneMask kWithoutCarry = ~LaneMask{0};
  ASSAY_GPU_INLINE Sum<T> Apply(T a, T b, T /*c*/, T carry) {
    return AddWithCarry(a, static_cast<T>(~b), carry);
  }
};
/// S tells the sign of the product's high half.
template <class S, bool kHigh>
struct MultiplyAddCarry {
  using Value = UnsignedOf<S>;
  static constexpr std::uint32_t kSources = 3;
  static constexpr LaneMask kWithoutCarry = 0;
  ASSAY_GPU_INLINE Sum<Value> Apply(Value a, Value b, Value c, Value carry) {
    const auto product = static_cast<WiderOf<S>>(static_cast<S>(a)) * static_cast<S>(b);
    return AddWithCarry(static_cast<Value>(kHigh ? product >> kBits<S> : product), c, carry);
  }
};

template <class Op, bool kReadsCarry, bool kWritesCarry>
struct CarryForm {
  using T = typename Op::Value;

  ASSAY_GPU_INLINE LaneMask Compute(Warp& warp, const Step* step, T* to) {
    const T* a = Lanes<T>(warp, step->operand[1]);
    const T* b = Lanes<T>(warp, step->operand[2]);
    const T* c = Op::kSources == 3 ? Lanes<T>(warp, step->operand[3]) : a;
    alignas(64) T carry_in[kWarpSize];
    alignas(64) std::int32_t carry_out[kWarpSize];
    SpreadMask(carry_in, kReadsCarry ? warp.carry : Op::kWithoutCarry);
#pragma GCC ivdep
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      const Sum<T> sum = Op::Apply(a[lane], b[lane], c[lane], carry_in[lane]);
      to[lane] = sum.value;
      carry_out[lane] = sum.carry != 0 ? -1 : 0;
    }
    return kWritesCarry ? GatherSigns(carry_out) : 0;
  }

  static const Step* Full(Warp& warp, const Step* step) {
    const LaneMask carry = Compute(warp, step, Lanes<T>(warp, step->operand[0]));
    if constexpr (kWritesCarry) {
      warp.carry = carry;
    }
    return step + 1;
  }
  static const Step* Masked(Warp& warp, const Step* step) {
    alignas(64) T result[kWarpSize];
    const LaneMask carry = Compute(warp, step, result);
    const LaneMask lanes = ExecutedLanes(warp, step);
    StoreLanes(Lanes<T>(warp, step->operand[0]), result, lanes);
    if constexpr (kWritesCarry) {
      StorePredicate(warp.carry, carry, lanes);
    }
    return step + 1;
  }
};

template <class Op>
Handlers ForCarry(bool reads, bool writes) {
  if (!reads) {
    return {CarryForm<Op, false, true>::Full, CarryForm<Op, false, true>::Masked};
  }
  if (writes) {
    return {CarryForm<Op, true, true>::Full, CarryForm<Op, true, true>::Masked};
  }
  return {CarryForm<Op, true, false>::Full, CarryForm<Op, true, false>::Masked};
}

template <template <class> class Op>
Handlers ForWidth(const Instruction& instruction, bool reads) {
  switch (instruction.type) {
    case Type::kU32:
    case Type::kS32:
    case Type::kB32:
      return ForCarry<Op<std::uint32_t>>(reads, instruction.carry_out);
    case Type::kU64:
    case Type::kS64:
    case Type::kB64:
      return ForCarry<Op<std::uint64_t>>(reads, instruction.carry_out);
    default:
      return {};
  }
}

template <class S>
Handlers ForProduct(const Instruction& instruction, bool reads) {
  return instruction.mode == Mode::kHi
             ? ForCarry<MultiplyAddCarry<S, true>>(reads, instruction.carry_out)
             : ForCarry<MultiplyAddCarry<S, false>>(reads, instruction.carry_out);
}

Handlers SelectProduct(const Instruction& instruction, bool reads) {
  switch (instruction.type) {
    case Type::kU32:
      return ForProduct<std::uint32_t>(instruction, reads);
    case Type::kS32:
      return ForProduct<std::int32_t>(instruction, reads);
    case Type::kU64:
      return ForProduct<std::uint64_t>(instruction, reads);
    case Type::kS64:
      return ForProduct<std::int64_t>(instruction, reads);
    default:
      return {};
  }
}

}  // namespace

Handlers SelectCarry(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kAdd:
      return instruction.carry_out ? ForWidth<AddCarry>(instruction, false) : Handlers{};
    case Opcode::kSub:
      return instruction.carry_out ? ForWidth<SubtractCarry>(instruction, false) : Handlers{};
    case Opcode::kMad:
      return instruction.carry_out ? SelectProduct(instruction, false) : Handlers{};
    case Opcode::kAddc:
      return ForWidth<AddCarry>(instruction, true);
    case Opcode::kSubc:
      return ForWidth<SubtractCarry>(instruction, true);
    case Opcode::kMadc:
      return SelectProduct(instruction, true);
    default:
      return {};
  }
}

}  // namespace assay::gpu::ASSAY_GPU_ISA
