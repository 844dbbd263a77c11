// SPDX-License-Identifier: Apache-2.0
#include "emulator/ptx/matrix.h"

#include <algorithm>
#include <array>

#include "emulator/ptx/grammar.h"

namespace assay::gpu::ptx {
namespace {

using enum Type;

constexpr TypeSet kBytes = SetOf(kS8, kU8);
constexpr TypeSet kNibbles = SetOf(kS4, kU4);
constexpr TypeSet kBit = SetOf(kB1);

struct Shape {
  std::uint16_t m;
  std::uint16_t n;
  std::uint16_t k;
  TypeSet inputs;
};

constexpr std::array kMmaShapes = {
    Shape{8, 8, 4, SetOf(kF16, kF64)},
    Shape{16, 8, 4, SetOf(kTf32, kF64)},
    Shape{16, 8, 8, SetOf(kF16, kBf16, kTf32, kF64)},
    Shape{16, 8, 16, SetOf(kF16, kBf16, kF64) | kBytes},
    Shape{16, 8, 32, kBytes | kNibbles},
    Shape{16, 8, 64, kNibbles},
    Shape{8, 8, 16, kBytes},
    Shape{8, 8, 32, kNibbles},
    Shape{8, 8, 128, kBit},
    Shape{16, 8, 128, kBit},
    Shape{16, 8, 256, kBit},
};
constexpr std::array kWmmaShapes = {
    Shape{16, 16, 16, SetOf(kF16, kBf16) | kBytes},
    Shape{8, 32, 16, SetOf(kF16, kBf16) | kBytes},
    Shape{32, 8, 16, SetOf(kF16, kBf16) | kBytes},
    Shape{16, 16, 8, SetOf(kTf32)},
    Shape{8, 8, 4, SetOf(kF64)},
    Shape{8, 8, 32, kNibbles},
    Shape{8, 8, 128, kBit},
};

// What inputs of type `input` can be summed in.
TypeSet SumsOf(Type input) {
  switch (input) {
    case kF16:
      return SetOf(kF16, kF32);
    case kBf16:
    case kTf32:
      return SetOf(kF32);
    case kF64:
      return SetOf(kF64);
    default:
      return SetOf(kS32);
  }
}

bool AreInputsAlike(Type a, Type b) {
  const auto both = [a, b](TypeSet set) { return Contains(set, a) && Contains(set, b); };
  return a == b || both(kBytes) || both(kNibbles);
}

// mma sums halves into what it adds to, but for its smallest product, which may widen it.
bool AreSumsAlike(const Instruction& instruction) {
  const bool may_widen =
      instruction.opcode == Opcode::kWmma || (instruction.m == 8 && instruction.type == kF32);
  return may_widen || instruction.type == instruction.fourth_type;
}

bool HasLayout(const Instruction& instruction) {
  const bool is_mma = instruction.opcode == Opcode::kMma;
  const bool is_free = is_mma ? instruction.m == 8 && instruction.source_type == kF16
                              : !Contains(kNibbles | kBit, instruction.source_type);
  return is_free || (instruction.row_a && !instruction.row_b);
}

const Shape* FindShape(const Instruction& instruction) {
  const auto matches = [&](const Shape& shape) {
    return shape.m == instruction.m && shape.n == instruction.n && shape.k == instruction.k;
  };
  if (instruction.opcode == Opcode::kMma) {
    const auto found = std::ranges::find_if(kMmaShapes, matches);
    return found == kMmaShapes.end() ? nullptr : &*found;
  }
  const auto found = std::ranges::find_if(kWmmaShapes, matches);
  return found == kWmmaShapes.end() ? nullptr : &*found;
}

bool IsMoved(const Shape& shape, const Instruction& instruction) {
  const bool is_input =
      instruction.matrix_part == MatrixPart::kA || instruction.matrix_part == MatrixPart::kB;
  if (is_input) {
    const bool is_plain =
        instruction.matrix_part == MatrixPart::kA ? instruction.row_a : !instruction.row_b;
    return instruction.mode == Mode::kLoad && Contains(shape.inputs, instruction.type) &&
           (is_plain || !Contains(kNibbles | kBit, instruction.type));
  }
  const bool is_whole =
      (instruction.matrix_part == MatrixPart::kC) == (instruction.mode == Mode::kLoad);
  TypeSet sums = 0;
  for (const Type input : {kF16, kBf16, kTf32, kF64, kS8, kS4, kB1}) {
    sums |= Contains(shape.inputs, input) ? SumsOf(input) : 0;
  }
  return is_whole && Contains(sums, instruction.type);
}

std::uint32_t BitsOf(Type type) {
  switch (type) {
    case kB1:
      return 1;
    case kS4:
    case kU4:
      return 4;
    default:
      return SizeOf(type) * 8;
  }
}

}  // namespace

bool IsMatrixOperation(const Instruction& instruction) {
  const Shape* const shape = FindShape(instruction);
  if (shape == nullptr) {
    return false;
  }
  if (instruction.opcode == Opcode::kWmma && instruction.mode != Mode::kMma) {
    return IsMoved(*shape, instruction);
  }
  const Type input = instruction.source_type;
  const TypeSet sums = SumsOf(input);
  return Contains(shape->inputs, input) && AreInputsAlike(input, instruction.third_type) &&
         Contains(sums, instruction.type) && Contains(sums, instruction.fourth_type) &&
         AreSumsAlike(instruction) && (input == kB1) == (instruction.bool_op != BoolOp::kNone) &&
         HasLayout(instruction);
}

std::uint32_t FragmentElements(const Instruction& instruction, MatrixPart part) {
  static constexpr std::uint32_t kLanes = 32;
  static constexpr std::uint32_t kBitsOfLanes = kLanes * 32;
  const bool is_mma = instruction.opcode == Opcode::kMma;
  const bool moves = !is_mma && instruction.mode != Mode::kMma;
  // Four 8×8×4 products of halves are computed at once.
  const bool is_quad = is_mma && instruction.m == 8 && instruction.source_type == kF16;
  if (part == MatrixPart::kC || part == MatrixPart::kD) {
    const bool is_c = part == MatrixPart::kC && !moves;
    const Type type = is_c ? instruction.fourth_type : instruction.type;
    const std::uint32_t elements =
        is_quad ? 8 : std::uint32_t{instruction.m} * instruction.n / kLanes;
    return type == kF16 ? elements / 2 : elements;
  }
  const bool is_a = part == MatrixPart::kA;
  const Type type = moves  ? instruction.type
                    : is_a ? instruction.source_type
                           : instruction.third_type;
  if (!is_mma && type == kF16) {
    return 8;  // Each element is in two lanes.
  }
  if (is_quad) {
    return 2;
  }
  const std::uint32_t elements =
      std::uint32_t{is_a ? instruction.m : instruction.n} * instruction.k;
  return type == kF64 ? elements / kLanes : elements * BitsOf(type) / kBitsOfLanes;
}

}  // namespace assay::gpu::ptx
