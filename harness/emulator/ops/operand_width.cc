// SPDX-License-Identifier: Apache-2.0
#include "emulator/ops/operand_width.h"

#include <algorithm>

namespace assay::gpu {

namespace {

using ptx::Instruction;
using ptx::Mode;
using ptx::Opcode;
using ptx::Operand;
using ptx::Type;

constexpr std::uint32_t kWord = 4;
constexpr std::uint32_t kAddress = 8;

/// Of a register of `type`.
std::uint32_t Held(Type type) {
  switch (type) {
    case Type::kPred:
    case Type::kB1:
      return 0;
    case Type::kB8:
    case Type::kU8:
    case Type::kS8:
      return 2;
    case Type::kNone:
    case Type::kU4:
    case Type::kS4:
      return kWord;
    default:
      return ptx::SizeOf(type);
  }
}

struct Place {
  const Operand* operand = nullptr;
  std::uint32_t vector_elements = 0;  ///< Of the vector that it is in; 0: in none.
  std::size_t first_source = 0;       ///< Flat index of the first operand after the first one.
};

Place Find(const Instruction& instruction, std::size_t flat_index) {
  Place place;
  std::size_t next = 0;
  for (const Operand& operand : instruction.operands) {
    const bool is_vector = operand.kind == Operand::Kind::kVector;
    const std::size_t count = is_vector ? operand.elements.size() : 1;
    if (next == 0) {
      place.first_source = count;
    }
    if (flat_index >= next && flat_index < next + count) {
      place.operand = is_vector ? &operand.elements[flat_index - next] : &operand;
      place.vector_elements = is_vector ? static_cast<std::uint32_t>(count) : 0;
    }
    next += count;
  }
  return place;
}

/// For operands 0, 1, 2 … of an instruction whose first is a result.
std::uint32_t AtMultiply(const Instruction& instruction, std::size_t index) {
  const std::uint32_t width = Held(instruction.type);
  const bool doubled = instruction.mode == Mode::kWide && (index == 0 || index == 3);
  return doubled ? 2 * width : width;
}

std::uint32_t AtSetPredicate(const Instruction& instruction, std::size_t index) {
  const std::size_t first = instruction.has_second_destination ? 2 : 1;
  return index == first || index == first + 1 ? Held(instruction.type) : 0;
}

std::uint32_t AtLop3(const Instruction& instruction, std::size_t index) {
  if (!instruction.has_second_destination) {
    return kWord;
  }
  constexpr std::size_t kPredicateResult = 1;
  constexpr std::size_t kPredicateSource = 6;
  return index == kPredicateResult || index == kPredicateSource ? 0 : kWord;
}

std::uint32_t AtShuffle(const Instruction& instruction, std::size_t index) {
  return instruction.has_second_destination && index == 1 ? 0 : kWord;
}

std::uint32_t AtVote(const Instruction& instruction, std::size_t index) {
  if (index == 0) {
    return instruction.mode == Mode::kBallot ? kWord : 0;
  }
  return index == 1 ? 0 : kWord;
}

std::uint32_t AtMatch(const Instruction& instruction, std::size_t index) {
  const std::size_t value = instruction.has_second_destination ? 2 : 1;
  if (index == value) {
    return Held(instruction.type);
  }
  return index == 1 ? 0 : kWord;
}

std::uint32_t AtBarrier(const Instruction& instruction, std::size_t index) {
  const bool reduces = instruction.mode == Mode::kRedPopc || instruction.mode == Mode::kRedAnd ||
                       instruction.mode == Mode::kRedOr;
  if (!reduces) {
    return kWord;
  }
  if (index == 0) {
    return instruction.mode == Mode::kRedPopc ? kWord : 0;
  }
  return index + 1 == instruction.operands.size() ? 0 : kWord;
}

std::uint32_t AtMbarrier(const Instruction& instruction, std::size_t index, bool is_sink) {
  switch (instruction.mode) {
    case Mode::kTestWait:
    case Mode::kTryWait:
      return index == 0 ? 0 : kWord;
    case Mode::kPendingCount:
      return index == 1 ? 8 : kWord;
    default:
      return is_sink ? 8 : kWord;  // a state, or a count
  }
}

std::uint32_t AtMove(const Instruction& instruction, const Place& place) {
  const std::uint32_t width = Held(instruction.type);
  return place.vector_elements == 0 ? width : std::max(width / place.vector_elements, 2U);
}

/// What the handler takes at this place when the operand is no register.
std::uint32_t AtPlace(const Instruction& instruction, std::size_t index, const Place& place) {
  const std::uint32_t width = Held(instruction.type);
  switch (instruction.opcode) {
    case Opcode::kMul:
    case Opcode::kMad:
    case Opcode::kMadc:
      return AtMultiply(instruction, index);
    case Opcode::kShl:
    case Opcode::kShr:
    case Opcode::kSzext:
      return index == 2 ? kWord : width;
    case Opcode::kBfe:
      return index >= 2 ? kWord : width;
    case Opcode::kBfi:
      return index >= 3 ? kWord : width;
    case Opcode::kBfind:
    case Opcode::kPopc:
    case Opcode::kClz:
      return index == 0 ? kWord : width;
    case Opcode::kShf:
    case Opcode::kFns:
    case Opcode::kBmsk:
    case Opcode::kPrmt:
    case Opcode::kDp2a:
    case Opcode::kDp4a:
    case Opcode::kActivemask:
    case Opcode::kRedux:
    case Opcode::kNanosleep:
    case Opcode::kBarWarp:
    case Opcode::kLdmatrix:
    case Opcode::kStmatrix:
    case Opcode::kMovmatrix:
    case Opcode::kCpAsync:
    case Opcode::kBrx:
    case Opcode::kPmevent:
      return kWord;
    case Opcode::kLop3:
      return AtLop3(instruction, index);
    case Opcode::kSetp:
      return AtSetPredicate(instruction, index);
    case Opcode::kSet:
      if (index == 0) {
        return width;
      }
      return index <= 2 ? Held(instruction.source_type) : 0;
    case Opcode::kSelp:
      return index == 3 ? 0 : width;
    case Opcode::kSlct:
      return index == 3 ? Held(instruction.source_type) : width;
    case Opcode::kTestp:
    case Opcode::kIsspacep:
      if (index == 0) {
        return 0;
      }
      return instruction.opcode == Opcode::kTestp ? width : kAddress;
    case Opcode::kCvt:
      return index == 0 ? width : Held(instruction.source_type);
    case Opcode::kMov:
      return AtMove(instruction, place);
    case Opcode::kShfl:
    case Opcode::kElect:
      return AtShuffle(instruction, index);
    case Opcode::kVote:
      return AtVote(instruction, index);
    case Opcode::kMatch:
      return AtMatch(instruction, index);
    case Opcode::kBar:
      return AtBarrier(instruction, index);
    case Opcode::kMbarrier:
      return AtMbarrier(instruction, index, place.operand->kind == Operand::Kind::kSink);
    case Opcode::kMma:
    case Opcode::kWmma: {
      // Fragments are 32-bit registers, but those of f64; a stride is 32 bits.
      const bool is_element = place.vector_elements != 0;
      return is_element && instruction.type == Type::kF64 ? 8 : kWord;
    }
    case Opcode::kLd:
    case Opcode::kLdu:
      return index < place.first_source ? width : 8;  // behind the address: a cache policy
    default:
      return width;
  }
}

}  // namespace

std::uint32_t OperandWidth(const ptx::Instruction& instruction, std::size_t operand_index) {
  const Place place = Find(instruction, operand_index);
  if (place.operand == nullptr) {
    return 0;
  }
  const bool typed = place.operand->type != Type::kNone;
  switch (place.operand->kind) {
    case Operand::Kind::kLabel:
    case Operand::Kind::kFunction:
    case Operand::Kind::kTable:
    case Operand::Kind::kVector:
      return 0;
    case Operand::Kind::kAddress:
      return place.operand->index >= 0 && typed ? Held(place.operand->type) : kAddress;
    case Operand::Kind::kRegister:
      return typed ? Held(place.operand->type) : AtPlace(instruction, operand_index, place);
    default:
      return AtPlace(instruction, operand_index, place);
  }
}

}  // namespace assay::gpu
