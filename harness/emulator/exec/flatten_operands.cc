// SPDX-License-Identifier: Apache-2.0
// Operands of a flat kernel: its registers, and the addresses that names stand for.
#include <fmt/format.h>

#include <utility>

#include "emulator/exec/flattener.h"

namespace assay::gpu {

using ptx::Instruction;
using ptx::Operand;
using ptx::Space;

Status Flattener::ResolveOperand(const Instance& instance, Instruction& instruction,
                                 Operand& operand) {
  for (Operand& element : operand.elements) {
    ASSAY_RETURN_IF_ERROR(ResolveOperand(instance, instruction, element));
  }
  if (operand.kind == Operand::Kind::kRegister ||
      (operand.kind == Operand::Kind::kAddress && operand.index >= 0)) {
    operand.index += instance.first_register;
  }
  if (operand.kind == Operand::Kind::kFunction) {
    const auto address = addresses_.function(operand.name);
    if (!address) {
      return std::unexpected(Fault(instruction, fmt::format("no function {}", operand.name),
                                   "link the code that defines it"));
    }
    operand.kind = Operand::Kind::kImmediate;
    operand.bits = *address;
    return {};
  }
  if (operand.name.empty() ||
      (operand.kind != Operand::Kind::kVariable && operand.kind != Operand::Kind::kAddress)) {
    return {};
  }
  return ResolveName(instance, instruction, operand);
}

Status Flattener::ResolveName(const Instance& instance, Instruction& instruction,
                              Operand& operand) {
  auto location = Find(instance, operand.name);
  if (!location) {
    if (const auto function = addresses_.function(operand.name)) {
      location = {Space::kGlobal, *function};
    } else {
      return std::unexpected(Fault(instruction, fmt::format("no variable {}", operand.name),
                                   "link the code that defines it"));
    }
  }
  const std::uint64_t address = location->address + static_cast<std::uint64_t>(operand.offset);
  if (operand.kind == Operand::Kind::kVariable) {
    operand.kind = Operand::Kind::kImmediate;
    operand.bits = address;
    return {};
  }
  operand.offset = static_cast<std::int64_t>(address);
  operand.name.clear();
  if (instruction.space == Space::kParam && location->space == Space::kLocal) {
    instruction.space = Space::kLocal;
  }
  return {};
}

std::optional<Flattener::Location> Flattener::Find(const Instance& instance,
                                                   const std::string& name) const {
  if (const auto found = instance.names.find(name); found != instance.names.end()) {
    return found->second;
  }
  const ptx::Variable* variable = module_.FindVariable(name);
  if (variable != nullptr && variable->space == Space::kShared) {
    const auto shared = shared_.offsets.find({nullptr, name});
    return shared == shared_.offsets.end()
               ? std::nullopt
               : std::optional(Location{Space::kShared, shared->second});
  }
  const auto address = addresses_.variable(name);
  return address ? std::optional(Location{Space::kGlobal, *address}) : std::nullopt;
}

}  // namespace assay::gpu
