// SPDX-License-Identifier: Apache-2.0
// What a form of an opcode cannot say of its modifiers one by one: which of them go together.
#include "emulator/ptx/combination.h"

#include "emulator/ptx/grammar.h"
#include "emulator/ptx/modifiers.h"

namespace assay::gpu::ptx {
namespace {

using enum Type;

constexpr TypeSet kScalarFloats = SetOf(kF16, kBf16, kF32, kF64);
constexpr TypeSet kScalars = kScalarFloats | SetOf(kU8, kU16, kU32, kU64, kS8, kS16, kS32, kS64);
constexpr TypeSet kPairs = SetOf(kF16x2, kBf16x2);
constexpr TypeSet kEighths = SetOf(kE4m3x2, kE5m2x2);
constexpr TypeSet kNarrow = SetOf(kF16, kBf16, kTf32) | kPairs | kEighths;

constexpr std::uint32_t kToNearest = MaskOf(Rounding::kRn);
constexpr std::uint32_t kFloatRoundings =
    MaskOf(Rounding::kRn, Rounding::kRz, Rounding::kRm, Rounding::kRp);
constexpr std::uint32_t kToInteger =
    MaskOf(Rounding::kRni, Rounding::kRzi, Rounding::kRmi, Rounding::kRpi);

bool Converts(Type to, Type from) {
  switch (to) {
    case kF16x2:
      return from == kF32 || Contains(kEighths, from);
    case kE4m3x2:
    case kE5m2x2:
      return from == kF32 || from == kF16x2;
    case kBf16x2:
    case kTf32:
      return from == kF32;
    default:
      return Contains(kScalars, to) && Contains(kScalars, from);
  }
}

// A conversion rounds where it loses bits, and a float may be rounded to an integer in its type.
std::uint32_t RoundingsOf(Type to, Type from) {
  if (to == kTf32) {
    return MaskOf(Rounding::kRna, Rounding::kRn, Rounding::kRz);
  }
  if (Contains(kPairs, to) && from == kF32) {
    return MaskOf(Rounding::kRn, Rounding::kRz);
  }
  if (!Contains(kScalars, to) || !Contains(kScalars, from)) {
    return kToNearest;
  }
  if (!IsFloat(from)) {
    return IsFloat(to) ? kFloatRoundings : 0;
  }
  if (!IsFloat(to) || to == from) {
    return kToInteger;
  }
  return SizeOf(to) > SizeOf(from) ? 0 : kFloatRoundings;
}

std::string_view ConversionMisfit(const Instruction& instruction, std::uint32_t seen) {
  const Type to = instruction.type;
  const Type from = instruction.source_type;
  if (!Converts(to, from)) {
    return {};
  }
  const Rounding rounding = instruction.rounding;
  if (rounding != Rounding::kNone && (RoundingsOf(to, from) & MaskOf(rounding)) == 0) {
    return WordOf(rounding);
  }
  if (instruction.flush_to_zero && to != kF32 && from != kF32) {
    return "ftz";
  }
  if ((seen & kTakesSat) != 0 && !Contains(kScalars, to)) {
    return "sat";
  }
  const bool narrows =
      Contains(kNarrow, to) && (from == kF32 || from == kF16x2 || Contains(kEighths, from));
  if (instruction.relu && !narrows) {
    return "relu";
  }
  return (seen & kTakesSatFinite) != 0 && !narrows ? "satfinite" : "";
}

bool IsConversionComplete(const Instruction& instruction) {
  const Type to = instruction.type;
  const Type from = instruction.source_type;
  const bool rounds = to == from || RoundingsOf(to, from) == 0;
  return Converts(to, from) && (rounds || instruction.rounding != Rounding::kNone) &&
         (!Contains(kEighths, to) || instruction.saturate);
}

// An approximation is not rounded, and of doubles there is one alone, that flushes.
std::string_view QuotientMisfit(const Instruction& instruction) {
  const bool is_approximate = instruction.approximate || instruction.mode == Mode::kFull;
  if (is_approximate && instruction.rounding != Rounding::kNone) {
    return WordOf(instruction.rounding);
  }
  if (instruction.approximate && instruction.mode == Mode::kFull) {
    return "full";
  }
  const bool is_double = instruction.opcode == Opcode::kRcp && instruction.type == kF64;
  return is_double && instruction.flush_to_zero && !instruction.approximate ? "ftz" : "";
}

// Products saturate in their upper half alone; PTX has no carry out of what is wide.
std::string_view ProductMisfit(const Instruction& instruction) {
  const bool saturates = instruction.saturate && !IsFloat(instruction.type);
  if (saturates && (instruction.mode != Mode::kHi || instruction.carry_out)) {
    return "sat";
  }
  return instruction.carry_out && instruction.mode == Mode::kWide ? "cc" : "";
}

// Atomics of vectors are of floats; the least and greatest of halves are of vectors.
bool IsAtomicComplete(const Instruction& instruction) {
  const bool is_half =
      IsFloat(instruction.type) && SizeOf(instruction.type) <= 4 && instruction.type != kF32;
  if (instruction.vector > 1) {
    return is_half || instruction.type == kF32;
  }
  return !is_half || instruction.atomic_op == AtomicOp::kAdd;
}

bool IsBarrierComplete(const Instruction& instruction, std::size_t types) {
  switch (instruction.mode) {
    case Mode::kRedPopc:
      return types == 1 && instruction.type == kU32;
    case Mode::kRedAnd:
    case Mode::kRedOr:
      return types == 1 && instruction.type == kPred;
    default:
      return types == 0;
  }
}

bool IsWmmaComplete(const Instruction& instruction, std::size_t types) {
  if (instruction.mode == Mode::kMma) {
    return types != 1 && types != 3;
  }
  return types == 1 && instruction.matrix_part != MatrixPart::kNone && !instruction.saturate;
}

}  // namespace

std::string_view FindMisfit(const Instruction& instruction, std::uint32_t seen) {
  switch (instruction.opcode) {
    case Opcode::kAdd:
    case Opcode::kSub:
      return instruction.saturate && instruction.carry_out ? "sat" : "";
    case Opcode::kCvt:
      return ConversionMisfit(instruction, seen);
    case Opcode::kDiv:
    case Opcode::kRcp:
    case Opcode::kSqrt:
      return QuotientMisfit(instruction);
    case Opcode::kFma:
      return instruction.relu && instruction.saturate ? "relu" : "";
    case Opcode::kMad:
    case Opcode::kMad24:
      return ProductMisfit(instruction);
    default:
      return {};
  }
}

bool IsComplete(const Instruction& instruction, std::size_t types) {
  const bool is_integer = !IsFloat(instruction.type);
  const bool rounds = instruction.rounding != Rounding::kNone || instruction.approximate;
  switch (instruction.opcode) {
    case Opcode::kMul:
    case Opcode::kMad:
    case Opcode::kMul24:
    case Opcode::kMad24:
    case Opcode::kMadc:
      return is_integer == (instruction.mode != Mode::kNone);
    case Opcode::kDp2a:
      return instruction.mode != Mode::kNone;
    case Opcode::kVabsdiff4:  // Bytes of different signs are no one's need.
      return instruction.third_type == instruction.source_type;
    case Opcode::kDiv:
      return is_integer || rounds || instruction.mode == Mode::kFull;
    case Opcode::kRcp:
      return rounds &&
             (instruction.type != kF64 || !instruction.approximate || instruction.flush_to_zero);
    case Opcode::kSqrt:
      return rounds;
    case Opcode::kCvt:
      return IsConversionComplete(instruction);
    case Opcode::kWmma:
      return IsWmmaComplete(instruction, types);
    case Opcode::kLd:
    case Opcode::kLdu:
    case Opcode::kSt:
      return SizeOf(instruction.type) * instruction.vector <= 32;
    case Opcode::kAtom:
    case Opcode::kRed:
      return SizeOf(instruction.type) * instruction.vector <= 32 && IsAtomicComplete(instruction);
    case Opcode::kLdmatrix:
    case Opcode::kStmatrix:
    case Opcode::kMovmatrix:
      return instruction.m == 8 && instruction.n == 8 && instruction.k == 0;
    case Opcode::kBar:
      return IsBarrierComplete(instruction, types);
    case Opcode::kCpAsync:
      return (types == 1) == (instruction.mode == Mode::kMbarrierArrive);
    case Opcode::kCpAsyncBulk:
      return types == 0;
    default:
      return true;
  }
}

}  // namespace assay::gpu::ptx
