// SPDX-License-Identifier: Apache-2.0
#include "emulator/exec/flatten.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "emulator/exec/shared_layout.h"

namespace assay::gpu {
namespace {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::Space;

constexpr std::size_t kLargestProgram = 2'000'000;
constexpr std::size_t kDeepestCall = 256;
constexpr std::uint32_t kFrameAlign = 16;

std::uint32_t AlignUp(std::uint32_t value, std::uint32_t align) {
  return align <= 1 ? value : (value + align - 1) / align * align;
}

// Where a name of a function body is.
struct Location {
  Space space = Space::kGlobal;
  std::uint64_t address = 0;
};

// One inlined copy of a function.
struct Instance {
  const ptx::Function* function = nullptr;
  const Instance* caller = nullptr;
  std::int32_t first_register = 0;
  std::uint32_t first_label = 0;
  std::uint32_t return_label = 0;
  std::uint32_t frame_end = 0;
  std::map<std::string, Location, std::less<>> names = {};
};

bool Calls(const Instance* instance, const ptx::Function& function) {
  for (; instance != nullptr; instance = instance->caller) {
    if (instance->function == &function) {
      return true;
    }
  }
  return false;
}

std::size_t DepthOf(const Instance* instance) {
  std::size_t depth = 0;
  for (; instance != nullptr; instance = instance->caller) {
    ++depth;
  }
  return depth;
}

std::optional<Builtin> FindBuiltin(std::string_view name) {
  if (name == "vprintf") {
    return Builtin::kPrintf;
  }
  if (name == "__assertfail") {
    return Builtin::kAssert;
  }
  if (name == "malloc") {
    return Builtin::kMalloc;
  }
  if (name == "free") {
    return Builtin::kFree;
  }
  return std::nullopt;
}

class Flattener {
 public:
  Flattener(const ptx::Module& module, const ptx::Function& kernel,
            const ModuleAddresses& addresses)
      : module_(module), kernel_(kernel), addresses_(addresses) {}

  Result<FlatKernel> Run() {
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

 private:
  Error Fault(const Instruction& instruction, std::string cause, std::string remedy) const {
    return {ErrorKind::kConfiguration, PlaceOf(module_, instruction),
            fmt::format("kernel {}: {}", kernel_.name, cause), std::move(remedy)};
  }

  Status Inline(Instance& instance) {
    const ptx::Function& function = *instance.function;
    instance.first_register = static_cast<std::int32_t>(flat_.registers.size());
    for (const ptx::Register& reg : function.registers) {
      flat_.registers.push_back(reg.type);
    }
    instance.first_label = NewLabels(function.labels.size());
    if (instance.caller == nullptr) {
      instance.return_label = NewLabels(1);
    }
    for (const ptx::Variable& variable : function.variables) {
      if (variable.space == Space::kShared) {
        instance.names[variable.name] = {Space::kShared,
                                         shared_.offsets.at({&function, variable.name})};
        continue;
      }
      const auto align = std::max<std::uint32_t>(variable.align_bytes, 4);
      const std::uint64_t start = AlignUp(instance.frame_end, align);
      if (start + variable.size_bytes > (std::uint64_t{1} << 29)) {
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

  Status AddInstruction(Instance& instance, const Instruction& source) {
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
        flat_.instructions.back().targets = {
            instance.first_label + static_cast<std::uint32_t>(source.operands.at(0).index)};
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
  Status AddCachePolicy(const Instance& instance, const Instruction& source) {
    Instruction move = source;
    move.opcode = Opcode::kMov;
    move.space = Space::kGeneric;
    move.operands.resize(1);
    move.operands.push_back({.kind = Operand::Kind::kImmediate, .type = ptx::Type::kU64});
    return Add(instance, move, FlatKind::kOrdinary);
  }

  Status Refuse(const Instance& instance, const Instruction& source, std::string why) {
    Instruction bare = source;
    bare.operands.clear();
    ASSAY_RETURN_IF_ERROR(Add(instance, bare, FlatKind::kRefuse));
    flat_.instructions.back().refusal = std::move(why);
    return {};
  }

  Status Add(const Instance& instance, const Instruction& source, FlatKind kind) {
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

  Status ResolveOperand(const Instance& instance, Instruction& instruction, Operand& operand) {
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

  std::optional<Location> Find(const Instance& instance, const std::string& name) const {
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

  // Parts of `call (returns), target, (arguments), prototype`.
  struct CallParts {
    const Operand* returns = nullptr;
    const Operand* target = nullptr;
    const Operand* arguments = nullptr;
    const Operand* prototype = nullptr;
  };
  static CallParts PartsOf(const Instruction& call) {
    CallParts parts;
    for (const Operand& operand : call.operands) {
      if (operand.kind == Operand::Kind::kVector) {
        (parts.target == nullptr ? parts.returns : parts.arguments) = &operand;
      } else if (operand.kind == Operand::Kind::kTable) {
        parts.prototype = &operand;
      } else {
        parts.target = &operand;
      }
    }
    return parts;
  }

  Status AddCall(Instance& instance, const Instruction& call) {
    const std::uint32_t after = NewLabels(1);
    Instruction bare = call;
    bare.operands.clear();
    bare.guard = -1;
    if (call.guard >= 0) {
      Instruction skip = bare;
      skip.opcode = Opcode::kBra;
      skip.guard = call.guard;
      skip.guard_negated = !call.guard_negated;
      ASSAY_RETURN_IF_ERROR(Add(instance, skip, FlatKind::kBranch));
      flat_.instructions.back().targets = {after};
    }
    const CallParts parts = PartsOf(call);
    if (parts.target == nullptr) {
      return std::unexpected(Fault(call, "a call without a target", "compile it again"));
    }
    if (parts.target->kind == Operand::Kind::kFunction) {
      ASSAY_RETURN_IF_ERROR(AddDirectCall(instance, call, parts));
    } else {
      ASSAY_RETURN_IF_ERROR(AddIndirectCall(instance, call, parts, after));
    }
    Place(after);
    return {};
  }

  Status AddDirectCall(Instance& instance, const Instruction& call, const CallParts& parts) {
    const std::string& name = parts.target->name;
    const ptx::Function* callee = module_.FindFunction(name);
    if (callee != nullptr && !callee->is_declaration) {
      if (Calls(&instance, *callee) || DepthOf(&instance) > kDeepestCall) {
        return std::unexpected(Fault(call, fmt::format("recursion: {} calls itself", name),
                                     "the emulated GPU runs no recursive device functions"));
      }
      return InlineCall(instance, call, parts, *callee);
    }
    const auto builtin = FindBuiltin(name);
    if (!builtin) {
      return Refuse(instance, call,
                    fmt::format("device function {} is not supported by the emulated GPU", name));
    }
    Instruction bare = call;
    bare.operands.clear();
    bare.guard = -1;
    ASSAY_RETURN_IF_ERROR(Add(instance, bare, FlatKind::kBuiltin));
    FlatInstruction& flat = flat_.instructions.back();
    flat.builtin = *builtin;
    for (const Operand* list : {parts.returns, parts.arguments}) {
      const bool is_result = list == parts.returns;
      if (is_result && (list == nullptr || list->elements.empty())) {
        flat.slots.push_back(~0U);
      }
      for (const Operand& element : list == nullptr ? std::vector<Operand>{} : list->elements) {
        const auto location = Find(instance, element.name);
        flat.slots.push_back(location ? static_cast<std::uint32_t>(location->address) : ~0U);
      }
    }
    return {};
  }

  Status InlineCall(Instance& instance, const Instruction& call, const CallParts& parts,
                    const ptx::Function& callee) {
    Instance inner{.function = &callee,
                   .caller = &instance,
                   .return_label = NewLabels(1),
                   .frame_end = AlignUp(instance.frame_end, kFrameAlign)};
    const auto bind = [&](const Operand* list, const std::vector<ptx::Variable>& variables) {
      const std::size_t count = list == nullptr ? 0 : list->elements.size();
      if (count != variables.size()) {
        return false;
      }
      for (std::size_t i = 0; i < count; ++i) {
        const auto location = Find(instance, list->elements[i].name);
        if (!location) {
          return false;
        }
        inner.names[variables[i].name] = *location;
      }
      return true;
    };
    if (!bind(parts.returns, callee.returns) || !bind(parts.arguments, callee.parameters)) {
      return std::unexpected(
          Fault(call, fmt::format("the call of {} does not match its parameters", callee.name),
                "arguments of calls are .param variables in what nvcc writes; compile it again"));
    }
    return Inline(inner);
  }

  // One comparison and one inlined copy for each function that the pointer may hold.
  Status AddIndirectCall(Instance& instance, const Instruction& call, const CallParts& parts,
                         std::uint32_t after) {
    const auto matches = [](const Operand* list, const std::vector<ptx::Variable>& variables) {
      return (list == nullptr ? 0 : list->elements.size()) == variables.size();
    };
    for (const ptx::Function* candidate : shared_.address_taken) {
      if (candidate->is_declaration || !matches(parts.returns, candidate->returns) ||
          !matches(parts.arguments, candidate->parameters) ||
          !SameSizes(instance, call, *candidate)) {
        continue;
      }
      const auto address = addresses_.function(candidate->name);
      if (!address) {
        continue;
      }
      const std::uint32_t next = NewLabels(1);
      const auto predicate = static_cast<std::int32_t>(flat_.registers.size());
      flat_.registers.push_back(ptx::Type::kPred);
      Instruction compare = call;
      compare.guard = -1;
      compare.opcode = Opcode::kSetp;
      compare.spelling = "setp.ne.u64";
      compare.type = ptx::Type::kU64;
      compare.compare = ptx::Compare::kNe;
      Operand target = *parts.target;
      compare.operands = {
          {.kind = Operand::Kind::kRegister,
           .type = ptx::Type::kPred,
           .index = predicate - instance.first_register},
          std::move(target),
          {.kind = Operand::Kind::kImmediate, .type = ptx::Type::kU64, .bits = *address}};
      ASSAY_RETURN_IF_ERROR(Add(instance, compare, FlatKind::kOrdinary));
      Instruction branch = call;
      branch.operands.clear();
      branch.opcode = Opcode::kBra;
      branch.guard = predicate - instance.first_register;
      branch.guard_negated = false;
      ASSAY_RETURN_IF_ERROR(Add(instance, branch, FlatKind::kBranch));
      flat_.instructions.back().targets = {next};
      if (Calls(&instance, *candidate) || DepthOf(&instance) > kDeepestCall) {
        ASSAY_RETURN_IF_ERROR(
            Refuse(instance, Unguarded(call),
                   fmt::format("recursion through a pointer: {} calls itself", candidate->name)));
      } else {
        ASSAY_RETURN_IF_ERROR(InlineCall(instance, call, parts, *candidate));
        Instruction leave = branch;
        leave.guard = -1;
        ASSAY_RETURN_IF_ERROR(Add(instance, leave, FlatKind::kBranch));
        flat_.instructions.back().targets = {after};
      }
      Place(next);
    }
    return Refuse(instance, Unguarded(call), "a call through a pointer to no device function");
  }

  static Instruction Unguarded(Instruction instruction) {
    instruction.guard = -1;
    return instruction;
  }

  bool SameSizes(const Instance& instance, const Instruction& call,
                 const ptx::Function& candidate) const {
    const CallParts parts = PartsOf(call);
    if (parts.prototype == nullptr || parts.prototype->index < 0 ||
        static_cast<std::size_t>(parts.prototype->index) >=
            instance.function->call_prototypes.size()) {
      return true;
    }
    const auto& prototype =
        instance.function->call_prototypes[static_cast<std::size_t>(parts.prototype->index)];
    const auto same = [](const std::vector<ptx::Variable>& a, const std::vector<ptx::Variable>& b) {
      return std::ranges::equal(a, b, {}, &ptx::Variable::size_bytes, &ptx::Variable::size_bytes);
    };
    return same(prototype.returns, candidate.returns) &&
           same(prototype.parameters, candidate.parameters);
  }

  void AddExit() {
    FlatInstruction exit{.kind = FlatKind::kExit};
    exit.ptx.opcode = Opcode::kExit;
    exit.ptx.spelling = "ret";
    flat_.instructions.push_back(std::move(exit));
  }

  std::uint32_t NewLabels(std::size_t count) {
    const auto first = static_cast<std::uint32_t>(label_places_.size());
    label_places_.resize(label_places_.size() + count, 0);
    return first;
  }
  void Place(std::uint32_t label) {
    label_places_[label] = static_cast<std::uint32_t>(flat_.instructions.size());
  }
  void ResolveLabels() {
    for (FlatInstruction& instruction : flat_.instructions) {
      for (std::uint32_t& target : instruction.targets) {
        target = label_places_[target];
      }
    }
  }

  const ptx::Module& module_;
  const ptx::Function& kernel_;
  const ModuleAddresses& addresses_;
  FlatKernel flat_;
  std::vector<std::uint32_t> label_places_;
  SharedLayout shared_;
};

}  // namespace

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
