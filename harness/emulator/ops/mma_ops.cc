// SPDX-License-Identifier: Apache-2.0
// mma.sync: D = A * B + C. Layouts and arithmetic are in mma_core.h; f64 is here.
#include <cstdint>

#include "emulator/ops/mma_core.h"
#include "emulator/ops/select.h"

namespace assay::gpu::ASSAY_GPU_ISA {
namespace {

using ptx::Type;

/// 8*kBlocks rows of A, kChunks times 16 bytes of k, 8 columns of B. Flat operands: the registers
/// of D, A (chunk by chunk, blocks of rows within), B, C.
template <class ElementsOfA, class ElementsOfB, class ResultType, unsigned kBlocks,
          unsigned kChunks, Form kForm>
const Step* Mma(Warp& warp, const Step* step) {
  const LaneMask executed = LanesToRun<kForm>(warp, step);
  const Step* next = nullptr;
  if (!WholeWarpArrived<kForm>(warp, step, executed, next)) {
    return next;
  }
  constexpr unsigned kResults = kBlocks * ResultType::kRegisters;
  constexpr unsigned kRegistersOfA = kBlocks * kChunks;
  const std::uint32_t* d = OperandTable(step);
  const std::uint32_t* a = d + kResults;
  const std::uint32_t* b = a + kRegistersOfA;
  const std::uint32_t* c = b + kChunks;

  const std::uint32_t* columns[kChunks];
  for (unsigned i = 0; i < kChunks; ++i) {
    columns[i] = Lanes<std::uint32_t>(warp, b[i]);
  }
  ColumnsOfB<ElementsOfB, kChunks> right;
  ExpandB<ElementsOfB, kChunks>(columns, right);
  Results results[kBlocks];
  for (unsigned block = 0; block < kBlocks; ++block) {
    RowsOfA<ElementsOfA, kChunks> left;
    for (unsigned i = 0; i < kChunks; ++i) {
      ElementsOfA::Expand(Lanes<std::uint32_t>(warp, a[i * kBlocks + block]), left.part[i]);
    }
    ResultType::Load(warp, c + block * ResultType::kRegisters, results[block]);
    Multiply(left, right, results[block]);
  }
  // D may be a register of A, B or C: stored when all of them have been read.
  for (unsigned block = 0; block < kBlocks; ++block) {
    const unsigned first = block * ResultType::kRegisters;
    ResultType::Store(warp, d + first, c + first, results[block], executed);
  }
  return step + 1;
}

/// f64: a register of A is 8 rows by 4 of k, one element a lane. Each result takes one fused
/// multiply-add for each k, in ascending order.
template <unsigned kBlocks, unsigned kChunks, Form kForm>
const Step* MmaDouble(Warp& warp, const Step* step) {
  const LaneMask executed = LanesToRun<kForm>(warp, step);
  const Step* next = nullptr;
  if (!WholeWarpArrived<kForm>(warp, step, executed, next)) {
    return next;
  }
  const std::uint32_t* d = OperandTable(step);
  const std::uint32_t* a = d + 2 * kBlocks;
  const std::uint32_t* b = a + kBlocks * kChunks;
  const std::uint32_t* c = b + kChunks;
  alignas(64) double results[kBlocks * 2][kWarpSize];
  for (unsigned i = 0; i < kBlocks * 2; ++i) {
    const double* from = Lanes<double>(warp, c[i]);
    double* to = results[i];
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      to[lane] = from[lane];
    }
    for (unsigned chunk = 0; chunk < kChunks; ++chunk) {
      const double* rows = Lanes<double>(warp, a[chunk * kBlocks + i / 2]);
      const double* columns = Lanes<double>(warp, b[chunk]);
      for (unsigned k = 0; k < 4; ++k) {
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
          const unsigned column = 2 * (lane % 4) + i % 2;
          to[lane] = __builtin_fma(rows[(lane & ~3U) + k], columns[column * 4 + k], to[lane]);
        }
      }
    }
  }
  for (unsigned i = 0; i < kBlocks * 2; ++i) {
    StoreLanes(Lanes<double>(warp, d[i]), results[i], executed);
  }
  return step + 1;
}

template <class ElementsOfA, class ElementsOfB, class ResultType, unsigned kBlocks,
          unsigned kChunks>
constexpr Handlers kMma{Mma<ElementsOfA, ElementsOfB, ResultType, kBlocks, kChunks, Form::kFull>,
                        Mma<ElementsOfA, ElementsOfB, ResultType, kBlocks, kChunks, Form::kMasked>};

template <unsigned kBlocks, unsigned kChunks>
constexpr Handlers kMmaDouble{MmaDouble<kBlocks, kChunks, Form::kFull>,
                              MmaDouble<kBlocks, kChunks, Form::kMasked>};

struct Shape {
  unsigned blocks = 0;  ///< Of 8 rows.
  unsigned chunks = 0;  ///< Of 16 bytes of k (32 of f64).
};

/// With k elements of `bits`.
Shape ShapeOf(const ptx::Instruction& instruction, unsigned bits, unsigned chunk_bits) {
  const unsigned k_bits = instruction.k * bits;
  if (instruction.n != 8 || instruction.m % 8 != 0 || k_bits % chunk_bits != 0) {
    return {};
  }
  return {.blocks = instruction.m / 8U, .chunks = k_bits / chunk_bits};
}

/// Whether the operands are as many as the shape takes.
bool FitsShape(const ptx::Instruction& instruction, Shape shape, unsigned result_registers) {
  const unsigned results = shape.blocks * result_registers;
  return instruction.operands.size() == 4 && ElementCount(instruction, 0) == results &&
         ElementCount(instruction, 1) == shape.blocks * shape.chunks &&
         ElementCount(instruction, 2) == shape.chunks && ElementCount(instruction, 3) == results;
}

template <class Elements, class ResultType>
Handlers OfFloatShape(const ptx::Instruction& instruction, unsigned bits) {
  const Shape shape = ShapeOf(instruction, bits, 128);
  if (shape.blocks != 2 || !FitsShape(instruction, shape, ResultType::kRegisters)) {
    return {};
  }
  if (shape.chunks == 1) {
    return kMma<Elements, Elements, ResultType, 2, 1>;
  }
  return shape.chunks == 2 ? kMma<Elements, Elements, ResultType, 2, 2> : Handlers{};
}

template <class ElementsOfA, class ElementsOfB, Saturation kSaturation>
Handlers OfIntegerShape(const ptx::Instruction& instruction, unsigned bits) {
  using ResultType = IntegerResults<kSaturation>;
  const Shape shape = ShapeOf(instruction, bits, 128);
  if (!FitsShape(instruction, shape, ResultType::kRegisters)) {
    return {};
  }
  if (shape.blocks == 1 && shape.chunks == 1) {
    return kMma<ElementsOfA, ElementsOfB, ResultType, 1, 1>;
  }
  if (shape.blocks != 2) {
    return {};
  }
  if (shape.chunks == 1) {
    return kMma<ElementsOfA, ElementsOfB, ResultType, 2, 1>;
  }
  return shape.chunks == 2 ? kMma<ElementsOfA, ElementsOfB, ResultType, 2, 2> : Handlers{};
}

template <class ElementsOfA, class ElementsOfB>
Handlers OfSaturation(const ptx::Instruction& instruction, unsigned bits) {
  return instruction.saturate
             ? OfIntegerShape<ElementsOfA, ElementsOfB, Saturation::kSaturates>(instruction, bits)
             : OfIntegerShape<ElementsOfA, ElementsOfB, Saturation::kWraps>(instruction, bits);
}

template <unsigned kBits>
Handlers OfSigns(const ptx::Instruction& instruction, bool a_signed, bool b_signed) {
  using Signed = IntegerElements<kBits, Sign::kSigned>;
  using Unsigned = IntegerElements<kBits, Sign::kUnsigned>;
  if (a_signed) {
    return b_signed ? OfSaturation<Signed, Signed>(instruction, kBits)
                    : OfSaturation<Signed, Unsigned>(instruction, kBits);
  }
  return b_signed ? OfSaturation<Unsigned, Signed>(instruction, kBits)
                  : OfSaturation<Unsigned, Unsigned>(instruction, kBits);
}

template <class Elements>
Handlers OfFloatResults(const ptx::Instruction& instruction, unsigned bits) {
  const bool is_f32 = instruction.type == Type::kF32 && instruction.fourth_type == Type::kF32;
  return is_f32 ? OfFloatShape<Elements, FloatResults>(instruction, bits) : Handlers{};
}

Handlers SelectInteger(const ptx::Instruction& instruction) {
  const Type a = instruction.source_type;
  const Type b = instruction.third_type;
  const bool bytes = (a == Type::kS8 || a == Type::kU8) && (b == Type::kS8 || b == Type::kU8);
  const bool nibbles = (a == Type::kS4 || a == Type::kU4) && (b == Type::kS4 || b == Type::kU4);
  if (bytes) {
    return OfSigns<8>(instruction, a == Type::kS8, b == Type::kS8);
  }
  return nibbles ? OfSigns<4>(instruction, a == Type::kS4, b == Type::kS4) : Handlers{};
}

}  // namespace

Handlers SelectMmaDouble(const ptx::Instruction& instruction) {
  const Shape shape = ShapeOf(instruction, 64, 256);
  if (!FitsShape(instruction, shape, 2)) {
    return {};
  }
  if (shape.blocks == 1 && shape.chunks == 1) {
    return kMmaDouble<1, 1>;
  }
  if (shape.blocks != 2) {
    return {};
  }
  switch (shape.chunks) {
    case 1:
      return kMmaDouble<2, 1>;
    case 2:
      return kMmaDouble<2, 2>;
    case 4:
      return kMmaDouble<2, 4>;
    default:
      return {};
  }
}

Handlers SelectMma(const ptx::Instruction& instruction) {
  if (!instruction.row_a || instruction.row_b || instruction.bool_op != ptx::BoolOp::kNone) {
    return {};
  }
  if (instruction.type == Type::kS32) {
    return SelectInteger(instruction);
  }
  if (instruction.source_type != instruction.third_type) {
    return {};
  }
  switch (instruction.source_type) {
    case Type::kF16:
      if (instruction.type == Type::kF16 && instruction.fourth_type == Type::kF16) {
        return OfFloatShape<HalfElements, HalfResults>(instruction, 16);
      }
      return OfFloatResults<HalfElements>(instruction, 16);
    case Type::kBf16:
      return OfFloatResults<BrainElements>(instruction, 16);
    case Type::kTf32:
      return OfFloatResults<Tf32Elements>(instruction, 32);
    case Type::kF64:
      return instruction.type == Type::kF64 ? SelectMmaDouble(instruction) : Handlers{};
    default:
      return {};
  }
}

}  // namespace assay::gpu::ASSAY_GPU_ISA
