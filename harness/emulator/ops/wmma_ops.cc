// SPDX-License-Identifier: Apache-2.0
// wmma.mma: products of the fragments that wmma.load and wmma.store move (wmma_fragment.h), in the
// layouts and arithmetic of mma.sync (mma_core.h): one block of 8 rows of A by 8 columns of B after
// the other. Full warps run the masked form too: a look at the mask costs little beside the rest.
#include <cstdint>
#include <type_traits>

#include "emulator/ops/mma_core.h"
#include "emulator/ops/wmma_select.h"

namespace assay::gpu::ASSAY_GPU_ISA {
namespace {

using ptx::Mode;
using ptx::Type;

/// Registers of a fragment of A or B whose elements need `distinct`: those of f16 have more.
template <class Elements>
constexpr std::uint32_t RegistersOfFactor(std::uint32_t distinct) {
  return std::is_same_v<Elements, HalfElements> ? 8 : distinct;
}

template <class Elements, class ResultD, class ResultC, unsigned kRows, unsigned kColumns,
          unsigned kChunks>
const Step* WmmaMultiply(Warp& warp, const Step* step) {
  const LaneMask executed = LanesToRun<Form::kMasked>(warp, step);
  const Step* next = nullptr;
  if (!WholeWarpArrived<Form::kMasked>(warp, step, executed, next)) {
    return next;
  }
  const std::uint32_t* d = OperandTable(step);
  const std::uint32_t* a = d + kRows * kColumns * ResultD::kRegisters;
  const std::uint32_t* b = a + RegistersOfFactor<Elements>(kRows * kChunks);
  const std::uint32_t* c = b + RegistersOfFactor<Elements>(kColumns * kChunks);
  RowsOfA<Elements, kChunks> left[kRows];
  for (unsigned row = 0; row < kRows; ++row) {
    for (unsigned i = 0; i < kChunks; ++i) {
      Elements::Expand(Lanes<std::uint32_t>(warp, a[i * kRows + row]), left[row].part[i]);
    }
  }
  Results results[kColumns * kRows];
  for (unsigned column = 0; column < kColumns; ++column) {
    const std::uint32_t* registers[kChunks];
    for (unsigned i = 0; i < kChunks; ++i) {
      registers[i] = Lanes<std::uint32_t>(warp, b[column * kChunks + i]);
    }
    ColumnsOfB<Elements, kChunks> right;
    ExpandB<Elements, kChunks>(registers, right);
    for (unsigned row = 0; row < kRows; ++row) {
      const unsigned block = column * kRows + row;
      ResultC::Load(warp, c + block * ResultC::kRegisters, results[block]);
      Multiply(left[row], right, results[block]);
    }
  }
  for (unsigned block = 0; block < kColumns * kRows; ++block) {
    ResultD::Store(warp, d + block * ResultD::kRegisters, c + block * ResultC::kRegisters,
                   results[block], executed);
  }
  return step + 1;
}

template <class Elements, class ResultD, class ResultC, unsigned kRows, unsigned kColumns,
          unsigned kChunks>
Handlers Multiplies(const ptx::Instruction& instruction) {
  const bool fits =
      ElementCount(instruction, 0) == kRows * kColumns * ResultD::kRegisters &&
      ElementCount(instruction, 1) == RegistersOfFactor<Elements>(kRows * kChunks) &&
      ElementCount(instruction, 2) == RegistersOfFactor<Elements>(kColumns * kChunks) &&
      ElementCount(instruction, 3) == kRows * kColumns * ResultC::kRegisters;
  if (!fits) {
    return {};
  }
  constexpr Handler kBoth = WmmaMultiply<Elements, ResultD, ResultC, kRows, kColumns, kChunks>;
  return {.full = kBoth, .masked = kBoth};
}

template <class Elements, class ResultD, class ResultC, unsigned kChunks>
Handlers MultiplyShapes(const ptx::Instruction& instruction) {
  if (instruction.k != 16) {
    return {};
  }
  if (instruction.m == 16 && instruction.n == 16) {
    return Multiplies<Elements, ResultD, ResultC, 2, 2, kChunks>(instruction);
  }
  if (instruction.m == 32 && instruction.n == 8) {
    return Multiplies<Elements, ResultD, ResultC, 4, 1, kChunks>(instruction);
  }
  if (instruction.m == 8 && instruction.n == 32) {
    return Multiplies<Elements, ResultD, ResultC, 1, 4, kChunks>(instruction);
  }
  return {};
}

template <class Elements>
Handlers MultiplyIntegers(const ptx::Instruction& instruction) {
  using Saturating = IntegerResults<Saturation::kSaturates>;
  using Wrapping = IntegerResults<Saturation::kWraps>;
  return instruction.saturate ? MultiplyShapes<Elements, Saturating, Saturating, 1>(instruction)
                              : MultiplyShapes<Elements, Wrapping, Wrapping, 1>(instruction);
}

Handlers MultiplyHalves(const ptx::Instruction& instruction, Type c) {
  if (instruction.saturate) {
    return {};
  }
  if (instruction.type == Type::kF32) {
    return c == Type::kF32
               ? MultiplyShapes<HalfElements, FloatResults, FloatResults, 2>(instruction)
               : MultiplyShapes<HalfElements, FloatResults, HalfResults, 2>(instruction);
  }
  return c == Type::kF32 ? MultiplyShapes<HalfElements, HalfResults, FloatResults, 2>(instruction)
                         : MultiplyShapes<HalfElements, HalfResults, HalfResults, 2>(instruction);
}

Handlers SelectMultiply(const ptx::Instruction& instruction) {
  if (instruction.operands.size() != 4 || instruction.bool_op != ptx::BoolOp::kNone) {
    return {};
  }
  // `.f32.f16` are the types of D and C: those of A and B are f16.
  if (instruction.third_type == Type::kNone) {
    return MultiplyHalves(instruction, instruction.source_type);
  }
  if (instruction.source_type != instruction.third_type) {
    return {};
  }
  switch (instruction.source_type) {
    case Type::kF16:
      return MultiplyHalves(instruction, instruction.fourth_type);
    case Type::kBf16:
      return MultiplyShapes<BrainElements, FloatResults, FloatResults, 2>(instruction);
    case Type::kTf32:
      return instruction.m == 16 && instruction.n == 16 && instruction.k == 8
                 ? Multiplies<Tf32Elements, FloatResults, FloatResults, 2, 2, 2>(instruction)
                 : Handlers{};
    case Type::kS8:
      return MultiplyIntegers<IntegerElements<8, Sign::kSigned>>(instruction);
    case Type::kU8:
      return MultiplyIntegers<IntegerElements<8, Sign::kUnsigned>>(instruction);
    case Type::kF64:
      return instruction.m == 8 ? SelectMmaDouble(instruction) : Handlers{};
    default:
      return {};
  }
}

}  // namespace

Handlers SelectWmma(const ptx::Instruction& instruction) {
  switch (instruction.mode) {
    case Mode::kLoad:
      return SelectWmmaLoad(instruction);
    case Mode::kStore:
      return SelectWmmaStore(instruction);
    case Mode::kMma:
      return SelectMultiply(instruction);
    default:
      return {};
  }
}

}  // namespace assay::gpu::ASSAY_GPU_ISA
