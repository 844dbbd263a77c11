// SPDX-License-Identifier: Apache-2.0
#include "emulator/ops/operand_width.h"

#include <algorithm>

#include "emulator/ptx/operand_pattern.h"

namespace assay::gpu {

namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::Type;

constexpr std::uint32_t kAddress = 8;
constexpr std::uint32_t kNarrowest = 2;  ///< Registers of a byte are held in two.

/// Of a register of `type`.
std::uint32_t Held(Type type) {
  return type == Type::kPred ? 0 : std::max(ptx::SizeOf(type), kNarrowest);
}

struct Found {
  const Operand* operand = nullptr;
  std::size_t index = 0;              ///< In Instruction::operands.
  std::uint32_t vector_elements = 0;  ///< Of the vector that it is in; 0: in none.
};

Found Find(const Instruction& instruction, std::size_t flat_index) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    const Operand& operand = instruction.operands[i];
    const bool is_vector = operand.kind == Operand::Kind::kVector;
    const std::size_t count = is_vector ? operand.elements.size() : 1;
    if (flat_index < next + count) {
      return {.operand = is_vector ? &operand.elements[flat_index - next] : &operand,
              .index = i,
              .vector_elements = is_vector ? static_cast<std::uint32_t>(count) : 0};
    }
    next += count;
  }
  return {};
}

/// What the handler takes at this place when the operand is no register.
std::uint32_t AtPlace(const Instruction& instruction, const Found& found) {
  const ptx::Place place = ptx::PlaceOf(instruction, found.index);
  if (place.role == ptx::Role::kNone) {
    return 0;
  }
  const std::uint32_t width = Held(place.type);
  const bool is_share = place.shape == ptx::OperandShape::kPacked && found.vector_elements != 0;
  return is_share ? std::max(width / found.vector_elements, kNarrowest) : width;
}

}  // namespace

std::uint32_t OperandWidth(const ptx::Instruction& instruction, std::size_t operand_index) {
  const Found found = Find(instruction, operand_index);
  if (found.operand == nullptr) {
    return 0;
  }
  const bool typed = found.operand->type != Type::kNone;
  switch (found.operand->kind) {
    case Operand::Kind::kLabel:
    case Operand::Kind::kFunction:
    case Operand::Kind::kTable:
    case Operand::Kind::kVector:
      return 0;
    case Operand::Kind::kAddress:
      return found.operand->index >= 0 && typed ? Held(found.operand->type) : kAddress;
    case Operand::Kind::kRegister:
      return typed ? Held(found.operand->type) : AtPlace(instruction, found);
    default:
      return AtPlace(instruction, found);
  }
}

}  // namespace assay::gpu
