// SPDX-License-Identifier: Apache-2.0
#include "emulator/ptx/check_module.h"

#include <cstddef>
#include <unordered_set>

#include "emulator/ptx/signature.h"

namespace assay::gpu::ptx {
namespace {

bool IsBelow(std::int32_t index, std::size_t size) {
  return index >= 0 && static_cast<std::size_t>(index) < size;
}

class FunctionCheck {
 public:
  FunctionCheck(const Module& module, const Function& function)
      : module_(module), function_(function) {
    for (const auto* const list : {&function.returns, &function.parameters, &function.variables}) {
      for (const Variable& variable : *list) {
        names_.insert(variable.name);
      }
    }
  }

  [[nodiscard]] std::string Find() const {
    for (const Instruction& instruction : function_.instructions) {
      if (instruction.guard >= 0 &&
          (!IsBelow(instruction.guard, function_.registers.size()) ||
           function_.registers[static_cast<std::size_t>(instruction.guard)].type != Type::kPred)) {
        return "guard of " + instruction.spelling;
      }
      if (!CheckOperands(instruction).empty()) {
        return CheckOperands(instruction) + " of " + instruction.spelling;
      }
      for (const Operand& operand : instruction.operands) {
        if (!IsConsistent(operand, instruction.opcode)) {
          return "operand of " + instruction.spelling;
        }
      }
    }
    for (const Label& label : function_.labels) {
      if (label.instruction > function_.instructions.size()) {
        return "label " + label.name;
      }
    }
    for (const auto& table : function_.branch_tables) {
      for (const std::uint32_t label : table) {
        if (label >= function_.labels.size()) {
          return "branch table";
        }
      }
    }
    return {};
  }

 private:
  [[nodiscard]] bool IsConsistent(const Operand& operand, Opcode opcode) const {
    switch (operand.kind) {
      case Operand::Kind::kRegister:
        return IsRegister(operand);
      case Operand::Kind::kLabel:
        return IsBelow(operand.index, function_.labels.size());
      case Operand::Kind::kTable:
        return IsBelow(operand.index, opcode == Opcode::kCall ? function_.call_prototypes.size()
                                                              : function_.branch_tables.size());
      case Operand::Kind::kVariable:
        return IsVariable(operand.name);
      case Operand::Kind::kFunction:
        return module_.FindFunction(operand.name) != nullptr;
      case Operand::Kind::kAddress:
        return operand.index < 0 || IsRegister(operand);
      case Operand::Kind::kVector:
        for (const Operand& element : operand.elements) {
          if (!IsConsistent(element, opcode)) {
            return false;
          }
        }
        return true;
      default:
        return true;
    }
  }

  [[nodiscard]] bool IsRegister(const Operand& operand) const {
    return IsBelow(operand.index, function_.registers.size()) &&
           function_.registers[static_cast<std::size_t>(operand.index)].type == operand.type;
  }

  [[nodiscard]] bool IsVariable(const std::string& name) const {
    return names_.contains(name) || module_.FindVariable(name) != nullptr;
  }

  const Module& module_;
  const Function& function_;
  std::unordered_set<std::string> names_;
};

}  // namespace

std::string FindInconsistency(const Module& module) {
  for (const Function& function : module.functions) {
    if (std::string found = FunctionCheck(module, function).Find(); !found.empty()) {
      return function.name + ": " + found;
    }
  }
  for (const Variable& variable : module.variables) {
    if (variable.initial.size() > variable.size_bytes) {
      return variable.name + ": initialiser";
    }
    for (const InitialAddress& address : variable.addresses) {
      if (address.offset_bytes + 8 > variable.size_bytes ||
          (module.FindFunction(address.symbol) == nullptr &&
           module.FindVariable(address.symbol) == nullptr)) {
        return variable.name + ": address of " + address.symbol;
      }
    }
  }
  return {};
}

}  // namespace assay::gpu::ptx
