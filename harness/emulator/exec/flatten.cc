// SPDX-License-Identifier: Apache-2.0
#include "emulator/exec/flatten.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "emulator/exec/flattener.h"

namespace assay::gpu {
namespace {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::Space;

constexpr std::size_t kLargestProgram = 2'000'000;
constexpr std::uint64_t kMostLocalBytes = std::uint64_t{1} << 29;

}  // namespace

Result<FlatKernel> Flattener::Run() {
  shared_ = LayOutShared(module_, kernel_);
  flat_.static_shared_bytes = shared_.static_bytes;
  Instance root{.function = &kernel_};
  const auto offsets = ParameterOffsets(kernel_);
  for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) {
    root.names[kernel_.parameters[i].name] = {Space::kParam, offsets[i]};
  }
  ASSAY_RETURN_IF_ERROR(Inline(root));
  // Code may run off the end of a function body.
  AddExit();
  ResolveLabels();
  flat_.local_bytes = AlignUp(flat_.local_bytes, kFrameAlign);
  return std::move(flat_);
}

Error Flattener::Fault(const Instruction& instruction, std::string cause,
                       std::string remedy) const {
  return {ErrorKind::kConfiguration, PlaceOf(module_, instruction),
          fmt::format("kernel {}: {}", kernel_.name, cause), std::move(remedy)};
}

Status Flattener::Inline(Instance& instance) {
  const ptx::Function& function = *instance.function;
  instance.first_register = static_cast<std::int32_t>(flat_.registers.size());
  for (const ptx::Register& reg : function.registers) {
    flat_.registers.push_back(reg.type);
  }
  instance.first_label = NewLabels(function.labels.size());
  if (instance.caller == nullptr) {
    instance.return_label = NewLabels(1);
  }
  ASSAY_RETURN_IF_ERROR(PlaceVariables(instance));
  return AddBody(instance);
}

Status Flattener::PlaceVariables(Instance& instance) {
  const ptx::Function& function = *instance.function;
  for (const ptx::Variable& variable : function.variables) {
    if (variable.space == Space::kShared) {
      instance.names[variable.name] = {Space::kShared,
                                       shared_.offsets.at({&function, variable.name})};
      continue;
    }
    const auto align = std::max<std::uint32_t>(variable.align_bytes, 4);
    const std::uint64_t start = AlignUp(instance.frame_end, align);
    if (start + variable.size_bytes > kMostLocalBytes) {
      return std::unexpected(Error{ErrorKind::kConfiguration, "",
                                   fmt::format("kernel {}: more than 512 MiB of local memory a "
                                               "thread ({})",
                                               kernel_.name, variable.name),
                                   "a GPU gives 512 KiB"});
    }
    instance.names[variable.name] = {Space::kLocal, start};
    instance.frame_end = static_cast<std::uint32_t>(start + variable.size_bytes);
  }
  flat_.local_bytes = std::max(flat_.local_bytes, instance.frame_end);
  return {};
}

Status Flattener::AddBody(Instance& instance) {
  const ptx::Function& function = *instance.function;
  std::size_t label = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> labels;
  labels.reserve(function.labels.size());
  for (std::size_t i = 0; i < function.labels.size(); ++i) {
    labels.emplace_back(function.labels[i].instruction, static_cast<std::uint32_t>(i));
  }
  std::ranges::sort(labels);
  for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
    for (; label < labels.size() && labels[label].first <= i; ++label) {
      Place(instance.first_label + labels[label].second);
    }
    ASSAY_RETURN_IF_ERROR(AddInstruction(instance, function.instructions[i]));
    if (flat_.instructions.size() > kLargestProgram) {
      return std::unexpected(Fault(function.instructions[i],
                                   "its calls, written out, pass 2 million instructions",
                                   "call fewer functions through pointers"));
    }
  }
  for (; label < labels.size(); ++label) {
    Place(instance.first_label + labels[label].second);
  }
  Place(instance.return_label);
  return {};
}

Status Flattener::AddInstruction(Instance& instance, const Instruction& source) {
  switch (source.opcode) {
    case Opcode::kCall:
      return AddCall(instance, source);
    case Opcode::kRet:
      if (instance.caller == nullptr) {
        return Add(instance, source, FlatKind::kExit);
      }
      ASSAY_RETURN_IF_ERROR(Add(instance, source, FlatKind::kBranch));
      flat_.instructions.back().targets = {instance.return_label};
      return {};
    case Opcode::kExit:
      return Add(instance, source, FlatKind::kExit);
    case Opcode::kBra:
      ASSAY_RETURN_IF_ERROR(Add(instance, source, FlatKind::kBranch));
      flat_.instructions.back().targets = {instance.first_label +
                                           static_cast<std::uint32_t>(source.operands.at(0).index)};
      return {};
    case Opcode::kBrx: {
      ASSAY_RETURN_IF_ERROR(Add(instance, source, FlatKind::kBranchTable));
      const auto table = static_cast<std::size_t>(source.operands.at(1).index);
      for (const std::uint32_t target : instance.function->branch_tables.at(table)) {
        flat_.instructions.back().targets.push_back(instance.first_label + target);
      }
      return {};
    }
    case Opcode::kTrap:
    case Opcode::kBrkpt:
      return Add(instance, source, FlatKind::kTrap);
    case Opcode::kBar:
      return Add(instance, source, FlatKind::kBarrier);
    case Opcode::kCreatePolicy:
      return AddCachePolicy(instance, source);
    case Opcode::kUnsupported:
      return Refuse(instance, source,
                    fmt::format("{} is not supported by the emulated GPU", source.spelling));
    default:
      return Add(instance, source, FlatKind::kOrdinary);
  }
}

// A cache policy is advice that nothing here takes: every one of them is 0.
Status Flattener::AddCachePolicy(const Instance& instance, const Instruction& source) {
  Instruction move = source;
  move.opcode = Opcode::kMov;
  move.space = Space::kGeneric;
  move.operands.resize(1);
  move.operands.push_back({.kind = Operand::Kind::kImmediate, .type = ptx::Type::kU64});
  return Add(instance, move, FlatKind::kOrdinary);
}

Status Flattener::Refuse(const Instance& instance, const Instruction& source, std::string why) {
  Instruction bare = source;
  bare.operands.clear();
  ASSAY_RETURN_IF_ERROR(Add(instance, bare, FlatKind::kRefuse));
  flat_.instructions.back().refusal = std::move(why);
  return {};
}

Status Flattener::Add(const Instance& instance, const Instruction& source, FlatKind kind) {
  FlatInstruction flat{.kind = kind, .ptx = source};
  if (flat.ptx.guard >= 0) {
    flat.ptx.guard += instance.first_register;
  }
  for (Operand& operand : flat.ptx.operands) {
    ASSAY_RETURN_IF_ERROR(ResolveOperand(instance, flat.ptx, operand));
  }
  flat_.instructions.push_back(std::move(flat));
  return {};
}

void Flattener::AddExit() {
  FlatInstruction exit{.kind = FlatKind::kExit};
  exit.ptx.opcode = Opcode::kExit;
  exit.ptx.spelling = "ret";
  flat_.instructions.push_back(std::move(exit));
}

std::uint32_t Flattener::NewLabels(std::size_t count) {
  const auto first = static_cast<std::uint32_t>(label_places_.size());
  label_places_.resize(label_places_.size() + count, 0);
  return first;
}
void Flattener::Place(std::uint32_t label) {
  label_places_[label] = static_cast<std::uint32_t>(flat_.instructions.size());
}
void Flattener::ResolveLabels() {
  for (FlatInstruction& instruction : flat_.instructions) {
    for (std::uint32_t& target : instruction.targets) {
      target = label_places_[target];
    }
  }
}

std::string PlaceOf(const ptx::Module& module, const ptx::Instruction& instruction) {
  if (instruction.source.line != 0 && instruction.source.file < module.files.size()) {
    return fmt::format("{}:{}", module.files[instruction.source.file], instruction.source.line);
  }
  return fmt::format("PTX line {}", instruction.ptx_line);
}

std::vector<std::uint32_t> ParameterOffsets(const ptx::Function& kernel) {
  std::vector<std::uint32_t> offsets;
  std::uint32_t end = 0;
  for (const ptx::Variable& parameter : kernel.parameters) {
    end = AlignUp(end, std::max<std::uint32_t>(parameter.align_bytes, 1));
    offsets.push_back(end);
    end += static_cast<std::uint32_t>(parameter.size_bytes);
  }
  offsets.push_back(end);
  return offsets;
}

Result<FlatKernel> Flatten(const ptx::Module& module, const ptx::Function& kernel,
                           const ModuleAddresses& addresses) {
  return Flattener(module, kernel, addresses).Run();
}

}  // namespace assay::gpu
