// SPDX-License-Identifier: Apache-2.0
#include "emulator/ptx/signature.h"

#include <algorithm>
#include <cstdint>

#include "emulator/ptx/operand_pattern.h"

namespace assay::gpu::ptx {
namespace {

class Matcher {
 public:
  explicit Matcher(const Instruction& instruction)
      : instruction_(instruction), pattern_(instruction) {}

  [[nodiscard]] bool IsReadApart() const { return pattern_.IsReadApart(); }

  /// The first operand that does not fit, with the operand that may be missing or without it,
  /// whichever comes further; operands.size() + 1: all fit.
  [[nodiscard]] std::size_t Match() const {
    return std::max(Match(Optional::kThere), Match(Optional::kMissing));
  }

 private:
  [[nodiscard]] std::size_t Match(Optional optional) const {
    const auto& operands = instruction_.operands;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (!Fits(operands[i], pattern_.At(i, optional))) {
        return i;
      }
    }
    return pattern_.Count(optional) == operands.size() ? operands.size() + 1 : operands.size();
  }

  [[nodiscard]] bool Fits(const Operand& operand, const Place& place) const {
    switch (place.role) {
      case Role::kAddress:
        return FitsAddress(operand);
      case Role::kNumber:
        return operand.kind == Operand::Kind::kImmediate && IsInteger(operand.type);
      case Role::kDestination:
        return FitsShape(operand, place, &Matcher::FitsDestination);
      case Role::kSource:
        return FitsShape(operand, place, &Matcher::FitsSource);
      default:
        return false;
    }
  }

  // An address of 32 bits can only be one in a window of its own.
  [[nodiscard]] bool FitsAddress(const Operand& operand) const {
    if (operand.kind != Operand::Kind::kAddress) {
      return false;
    }
    const Space space = SpaceOf(operand);
    const bool is_wide = space == Space::kGeneric || space == Space::kGlobal;
    return operand.index < 0 || SizeOf(operand.type) == 8 ||
           (SizeOf(operand.type) == 4 && !is_wide);
  }

  // Of what is copied the first address is where to, and the third an mbarrier's.
  [[nodiscard]] Space SpaceOf(const Operand& operand) const {
    if (instruction_.to_space == Space::kGeneric) {
      return instruction_.space;
    }
    const Operand* first = instruction_.operands.data();
    if (&operand == first) {
      return instruction_.to_space;
    }
    return &operand == first + 1 ? instruction_.space : Space::kShared;
  }

  using Check = bool (Matcher::*)(const Operand&, const Place&) const;

  [[nodiscard]] bool FitsShape(const Operand& operand, const Place& place, Check check) const {
    const bool is_vector = operand.kind == Operand::Kind::kVector;
    switch (place.shape) {
      case OperandShape::kElements:
      case OperandShape::kFragment:
        return place.elements != 0 &&
               (is_vector ? FitsElements(operand, place, check)
                          : place.elements == 1 && (this->*check)(operand, place));
      case OperandShape::kPacked:
        return is_vector ? FitsPacked(operand, place) : (this->*check)(operand, place);
      default:
        return (this->*check)(operand, place);
    }
  }

  [[nodiscard]] bool FitsElements(const Operand& operand, const Place& place, Check check) const {
    return operand.elements.size() == place.elements &&
           std::ranges::all_of(operand.elements, [&](const Operand& element) {
             return (this->*check)(element, place);
           });
  }

  // Registers of any widths, which are together as wide as the type. What is no register has an
  // equal share.
  [[nodiscard]] static bool FitsPacked(const Operand& operand, const Place& place) {
    const auto other =
        place.role == Role::kSource ? Operand::Kind::kImmediate : Operand::Kind::kSink;
    std::uint32_t bytes = 0;
    for (const Operand& element : operand.elements) {
      const bool is_register = element.kind == Operand::Kind::kRegister && !element.negated;
      if (!is_register && element.kind != other) {
        return false;
      }
      const std::uint32_t share =
          SizeOf(place.type) / static_cast<std::uint32_t>(operand.elements.size());
      if (!is_register && IsFloat(element.type) && SizeOf(element.type) != share) {
        return false;
      }
      bytes += is_register ? SizeOf(element.type) : share;
    }
    return bytes == SizeOf(place.type) && !operand.elements.empty();
  }

  [[nodiscard]] bool FitsDestination(const Operand& operand, const Place& place) const {
    return operand.kind == Operand::Kind::kSink ||
           (operand.kind == Operand::Kind::kRegister && !operand.negated &&
            FitsRegister(operand.type, place));
  }

  [[nodiscard]] bool FitsSource(const Operand& operand, const Place& place) const {
    switch (operand.kind) {
      case Operand::Kind::kRegister:
        return (!operand.negated || place.type == Type::kPred) && FitsRegister(operand.type, place);
      case Operand::Kind::kSpecial:
        return place.type != Type::kPred;
      case Operand::Kind::kImmediate:
        return FitsLiteral(operand.type, place.type);
      case Operand::Kind::kVariable:
      case Operand::Kind::kFunction:
        return IsInteger(place.type) && SizeOf(place.type) >= 4 && SizeOf(place.type) <= 8;
      default:
        return false;
    }
  }

  // A float literal is a float of its width, or the bits of one. Literals of add.f32 and the like
  // have been brought to its width before.
  [[nodiscard]] static bool FitsLiteral(Type has, Type wants) {
    if (IsFloat(wants) || IsFloat(has)) {
      const bool takes_floats = IsFloat(wants) || (wants >= Type::kB8 && wants <= Type::kB128);
      return IsFloat(has) && takes_floats && SizeOf(has) == SizeOf(wants);
    }
    return true;
  }

  [[nodiscard]] static bool FitsRegister(Type has, const Place& wants) {
    if (has == Type::kPred || wants.type == Type::kPred) {
      return has == wants.type;
    }
    return SizeOf(has) == SizeOf(wants.type) ||
           (wants.or_wider && SizeOf(has) > SizeOf(wants.type));
  }

  const Instruction& instruction_;
  OperandPattern pattern_;
};

// Numbers that size what execution does, and that PTX fixes.
std::string CheckNumbers(const Instruction& instruction) {
  if (instruction.opcode == Opcode::kCpAsync && instruction.mode == Mode::kNone) {
    const std::uint64_t bytes = instruction.operands[2].bits;
    const bool is_small = (bytes == 4 || bytes == 8) && instruction.cache_all;
    if (bytes != 16 && !is_small) {
      return "size " + std::to_string(bytes);
    }
  }
  if (instruction.opcode == Opcode::kLop3 && instruction.operands[4].bits > 0xff) {
    return "truth table " + std::to_string(instruction.operands[4].bits);
  }
  return {};
}

}  // namespace

std::string CheckOperands(const Instruction& instruction) {
  const Matcher matcher(instruction);
  if (matcher.IsReadApart()) {
    return {};
  }
  const std::size_t fitting = matcher.Match();
  if (fitting > instruction.operands.size()) {
    return CheckNumbers(instruction);
  }
  if (instruction.opcode == Opcode::kMov) {  // It takes what is as wide on both sides.
    return "operands of another width";
  }
  if (fitting == instruction.operands.size()) {
    return "number of operands, " + std::to_string(fitting);
  }
  return "operand " + std::to_string(fitting + 1) + " of another kind or width";
}

}  // namespace assay::gpu::ptx
