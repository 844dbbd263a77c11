// SPDX-License-Identifier: Apache-2.0
#include "emulator/exec/shared_layout.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string_view>

namespace assay::gpu {
namespace {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::Space;

constexpr std::uint32_t kDynamicAlign = 16;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 31;  // A launch refuses far less.

void VisitOperands(const std::vector<Operand>& operands,
                   const std::function<void(const Operand&)>& visit) {
  for (const Operand& operand : operands) {
    visit(operand);
    VisitOperands(operand.elements, visit);
  }
}

bool IsDirect(const Instruction& call) {
  return std::ranges::any_of(call.operands, [](const Operand& operand) {
    return operand.kind == Operand::Kind::kFunction;
  });
}

// The functions whose address is in an initialiser or an operand that no call names directly.
std::vector<const ptx::Function*> AddressTaken(const ptx::Module& module) {
  std::set<std::string_view> names;
  for (const ptx::Variable& variable : module.variables) {
    for (const ptx::InitialAddress& address : variable.addresses) {
      names.insert(address.symbol);
    }
  }
  for (const ptx::Function& function : module.functions) {
    for (const Instruction& instruction : function.instructions) {
      if (instruction.opcode != Opcode::kCall) {
        VisitOperands(instruction.operands, [&](const Operand& operand) {
          if (!operand.name.empty()) {
            names.insert(operand.name);
          }
        });
      }
    }
  }
  std::vector<const ptx::Function*> taken;
  for (const ptx::Function& function : module.functions) {
    if (names.contains(function.name)) {
      taken.push_back(&function);
    }
  }
  return taken;
}

// A shared variable and the function that declares it; null: the module.
using Declared = std::pair<const ptx::Function*, const ptx::Variable*>;

// Walks the functions that a kernel can reach.
class Reach {
 public:
  Reach(const ptx::Module& module, const ptx::Function& kernel)
      : module_(module), to_visit_{&kernel} {}

  std::vector<Declared> SharedVariables(std::vector<const ptx::Function*>& address_taken) {
    while (!to_visit_.empty()) {
      const ptx::Function* function = to_visit_.back();
      to_visit_.pop_back();
      if (reached_.insert(function).second) {
        Visit(*function, address_taken);
      }
    }
    return std::move(found_);
  }

 private:
  void Visit(const ptx::Function& function, std::vector<const ptx::Function*>& address_taken) {
    for (const ptx::Variable& variable : function.variables) {
      if (variable.space == Space::kShared) {
        found_.emplace_back(&function, &variable);
      }
    }
    for (const Instruction& instruction : function.instructions) {
      VisitOperands(instruction.operands, [&](const Operand& operand) { Note(operand); });
      if (!calls_pointers_ && instruction.opcode == Opcode::kCall && !IsDirect(instruction)) {
        calls_pointers_ = true;
        address_taken = AddressTaken(module_);
        to_visit_.insert(to_visit_.end(), address_taken.begin(), address_taken.end());
      }
    }
  }

  void Note(const Operand& operand) {
    if (operand.kind == Operand::Kind::kFunction) {
      if (const ptx::Function* callee = module_.FindFunction(operand.name)) {
        to_visit_.push_back(callee);
      }
    } else if (!operand.name.empty()) {
      const ptx::Variable* variable = module_.FindVariable(operand.name);
      if (variable != nullptr && variable->space == Space::kShared &&
          noted_.insert(variable->name).second) {
        found_.emplace_back(nullptr, variable);
      }
    }
  }

  const ptx::Module& module_;
  std::vector<const ptx::Function*> to_visit_;
  std::set<const ptx::Function*> reached_;
  std::set<std::string_view> noted_;
  std::vector<Declared> found_;
  bool calls_pointers_ = false;
};

std::uint64_t AlignUp(std::uint64_t value, std::uint64_t align) {
  return align <= 1 ? value : (value + align - 1) / align * align;
}

}  // namespace

SharedLayout LayOutShared(const ptx::Module& module, const ptx::Function& kernel) {
  SharedLayout layout;
  const std::vector<Declared> declared =
      Reach(module, kernel).SharedVariables(layout.address_taken);
  std::uint64_t end = 0;
  std::uint32_t dynamic_align = kDynamicAlign;
  for (const auto& [function, variable] : declared) {
    if (variable->size_bytes == 0) {
      dynamic_align = std::max(dynamic_align, variable->align_bytes);
      continue;
    }
    end = AlignUp(end, variable->align_bytes);
    layout.offsets[{function, variable->name}] = end;
    end = std::min(end + variable->size_bytes, kMostBytes);
  }
  const std::uint64_t dynamic = AlignUp(end, dynamic_align);
  layout.static_bytes = static_cast<std::uint32_t>(end);
  for (const auto& [function, variable] : declared) {
    if (variable->size_bytes == 0) {
      layout.offsets[{function, variable->name}] = dynamic;
      layout.static_bytes = static_cast<std::uint32_t>(dynamic);
    }
  }
  return layout;
}

}  // namespace assay::gpu
