// SPDX-License-Identifier: Apache-2.0
#include "emulator/exec/selected_loads.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>

namespace assay::gpu {
namespace {

using ptx::Operand;

struct UseCounts {
  std::vector<std::uint32_t> reads, writes;  // By register: instructions that do.
};

UseCounts CountUses(const std::vector<RegisterUse>& uses, std::size_t registers) {
  UseCounts counts{.reads = std::vector<std::uint32_t>(registers, 0),
                   .writes = std::vector<std::uint32_t>(registers, 0)};
  const auto once = [](const std::vector<std::uint32_t>& each, std::vector<std::uint32_t>& sums) {
    for (auto at = each.begin(); at != each.end(); ++at) {
      sums[*at] += std::find(each.begin(), at, *at) == at ? 1U : 0U;
    }
  };
  for (const RegisterUse& use : uses) {
    once(use.reads, counts.reads);
    once(use.writes, counts.writes);
  }
  return counts;
}

bool Has(const std::vector<std::uint32_t>& registers, std::uint32_t wanted) {
  return std::ranges::find(registers, wanted) != registers.end();
}

bool Is(const Operand& operand, std::uint32_t reg) {
  return operand.kind == Operand::Kind::kRegister &&
         static_cast<std::uint32_t>(operand.index) == reg;
}

/// The predicate of a selection that takes `value` where it is true, or false.
struct Selection {
  std::uint32_t predicate = 0;
  bool takes_if_true = false;
};

// Nothing: it reads `value` in another way.
std::optional<Selection> SelectionOf(const FlatInstruction& flat, std::uint32_t value) {
  const ptx::Instruction& selp = flat.ptx;
  if (flat.kind != FlatKind::kOrdinary || selp.opcode != ptx::Opcode::kSelp || selp.guard >= 0 ||
      selp.operands.size() != 4 || selp.operands[3].kind != Operand::Kind::kRegister ||
      Is(selp.operands[1], value) == Is(selp.operands[2], value)) {
    return std::nullopt;
  }
  const bool first = Is(selp.operands[1], value);
  return Selection{.predicate = static_cast<std::uint32_t>(selp.operands[3].index),
                   .takes_if_true = first != selp.operands[3].negated};
}

// Whether it does nothing but compute registers from registers.
bool IsArithmetic(const FlatInstruction& flat) {
  using ptx::Opcode;
  if (flat.kind != FlatKind::kOrdinary) {
    return false;
  }
  switch (flat.ptx.opcode) {
    case Opcode::kSetp:
    case Opcode::kSelp:
    case Opcode::kMov:
    case Opcode::kCvt:
    case Opcode::kAdd:
    case Opcode::kSub:
    case Opcode::kMul:
    case Opcode::kMad:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
    case Opcode::kNot:
    case Opcode::kShl:
    case Opcode::kShr:
      return std::ranges::none_of(flat.ptx.operands, [](const Operand& operand) {
        return operand.kind == Operand::Kind::kAddress;
      });
    default:
      return false;
  }
}

class Finder {
 public:
  explicit Finder(const FlatKernel& kernel)
      : kernel_(kernel), joins_(kernel.instructions.size() + 1, false) {
    uses_.reserve(kernel.instructions.size());
    for (const FlatInstruction& instruction : kernel.instructions) {
      uses_.push_back(UseOf(instruction));
      for (const std::uint32_t target : instruction.targets) {
        joins_[target] = true;
      }
    }
    counts_ = CountUses(uses_, kernel.registers.size());
  }

  /// The register that a load gives its only value; nothing: it is no such load.
  std::optional<std::uint32_t> ValueOf(std::uint32_t i) const {
    const FlatInstruction& load = kernel_.instructions[i];
    const bool is_load = load.kind == FlatKind::kOrdinary && load.ptx.opcode == ptx::Opcode::kLd;
    if (!is_load || uses_[i].writes.size() != 1 || counts_.writes[uses_[i].writes[0]] != 1) {
      return std::nullopt;
    }
    return uses_[i].writes[0];
  }

  std::optional<SelectedLoad> Look(std::uint32_t i, const RegisterLayout& layout) const {
    const auto value = ValueOf(i);
    if (!value) {
      return std::nullopt;
    }
    SelectedLoad found{.instruction = i};
    std::vector<std::uint32_t> changed;  // Since the load.
    for (std::uint32_t j = i + 1; j < uses_.size() && !joins_[j]; ++j) {
      if (Has(uses_[j].reads, *value)) {
        const auto selection = SelectionOf(kernel_.instructions[j], *value);
        if (!selection || Has(changed, selection->predicate)) {
          return std::nullopt;
        }
        found.choices.push_back({.predicate = layout.offset_bytes[selection->predicate],
                                 .flip = selection->takes_if_true ? 0 : kAllLanes});
      }
      if (found.choices.size() == counts_.reads[*value]) {
        return found.choices.empty() ? std::nullopt : std::optional(found);
      }
      if (!kernel_.instructions[j].targets.empty()) {
        break;
      }
      changed.insert(changed.end(), uses_[j].writes.begin(), uses_[j].writes.end());
    }
    return std::nullopt;
  }

  /// The selection that reads the load's value first, if the load may as well come just before.
  std::optional<std::uint32_t> FirstSelection(std::uint32_t i) const {
    const auto value = ValueOf(i);
    if (!value) {
      return std::nullopt;
    }
    for (std::uint32_t j = i + 1; j < uses_.size() && !joins_[j]; ++j) {
      if (Has(uses_[j].reads, *value)) {
        return SelectionOf(kernel_.instructions[j], *value) ? std::optional(j) : std::nullopt;
      }
      const bool disturbs = std::ranges::any_of(
          uses_[j].writes, [&](std::uint32_t reg) { return Has(uses_[i].reads, reg); });
      if (disturbs || !IsArithmetic(kernel_.instructions[j])) {
        return std::nullopt;
      }
    }
    return std::nullopt;
  }

  /// After the instruction at `i` of the kernel was moved to just before `j`.
  void Moved(std::uint32_t i, std::uint32_t j) {
    std::rotate(uses_.begin() + i, uses_.begin() + i + 1, uses_.begin() + j);
  }

 private:
  const FlatKernel& kernel_;
  std::vector<RegisterUse> uses_;
  std::vector<bool> joins_;  // By instruction: some branch leads there.
  UseCounts counts_;
};

bool Selects(const FlatKernel& kernel) {
  return std::ranges::any_of(kernel.instructions, [](const FlatInstruction& each) {
    return each.ptx.opcode == ptx::Opcode::kSelp;
  });
}

}  // namespace

void SinkSelectedLoads(FlatKernel& kernel) {
  if (!Selects(kernel)) {
    return;
  }
  Finder finder(kernel);
  for (auto i = static_cast<std::uint32_t>(kernel.instructions.size()); i-- > 0;) {
    if (const auto selection = finder.FirstSelection(i)) {
      const auto at = kernel.instructions.begin();
      std::rotate(at + i, at + i + 1, at + *selection);
      finder.Moved(i, *selection);
    }
  }
}

std::vector<SelectedLoad> FindSelectedLoads(const FlatKernel& kernel,
                                            const RegisterLayout& layout) {
  if (!Selects(kernel)) {
    return {};
  }
  const Finder finder(kernel);
  std::vector<SelectedLoad> found;
  for (std::uint32_t i = 0; i < kernel.instructions.size(); ++i) {
    if (auto load = finder.Look(i, layout)) {
      found.push_back(*std::move(load));
    }
  }
  return found;
}

}  // namespace assay::gpu
