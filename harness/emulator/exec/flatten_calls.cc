// SPDX-License-Identifier: Apache-2.0
// Calls of a flat kernel: of functions, which are inlined, of builtins, and through pointers.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "emulator/exec/flattener.h"

namespace assay::gpu {
namespace {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;

constexpr std::size_t kDeepestCall = 256;

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

std::size_t CountOf(const Operand* list) { return list == nullptr ? 0 : list->elements.size(); }

Instruction Unguarded(Instruction instruction) {
  instruction.guard = -1;
  return instruction;
}

// An instruction without operands at the place of `call`; its opcode is for the caller to set.
Instruction Bare(const Instruction& call) {
  Instruction bare = Unguarded(call);
  bare.operands.clear();
  return bare;
}

}  // namespace

Flattener::CallParts Flattener::PartsOf(const Instruction& call) {
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

// Whether `callee` is active already, or calls are nested too deep.
bool Flattener::IsRecursion(const Instance& caller, const ptx::Function& callee) {
  std::size_t depth = 0;
  for (const Instance* at = &caller; at != nullptr; at = at->caller) {
    if (at->function == &callee) {
      return true;
    }
    ++depth;
  }
  return depth > kDeepestCall;
}

Status Flattener::AddCall(Instance& instance, const Instruction& call) {
  const std::uint32_t after = NewLabels(1);
  if (call.guard >= 0) {
    Instruction skip = Bare(call);
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

Status Flattener::AddDirectCall(Instance& instance, const Instruction& call,
                                const CallParts& parts) {
  const std::string& name = parts.target->name;
  const ptx::Function* callee = module_.FindFunction(name);
  if (callee != nullptr && !callee->is_declaration) {
    if (IsRecursion(instance, *callee)) {
      return std::unexpected(Fault(call, fmt::format("recursion: {} calls itself", name),
                                   "the emulated GPU runs no recursive device functions"));
    }
    return InlineCall(instance, call, parts, *callee);
  }
  if (const auto builtin = FindBuiltin(name)) {
    return AddBuiltin(instance, call, parts, *builtin);
  }
  return Refuse(instance, call,
                fmt::format("device function {} is not supported by the emulated GPU", name));
}

Status Flattener::AddBuiltin(const Instance& instance, const Instruction& call,
                             const CallParts& parts, Builtin builtin) {
  ASSAY_RETURN_IF_ERROR(Add(instance, Bare(call), FlatKind::kBuiltin));
  FlatInstruction& flat = flat_.instructions.back();
  flat.builtin = builtin;
  for (const Operand* list : {parts.returns, parts.arguments}) {
    const bool is_result = list == parts.returns;
    if (is_result && CountOf(list) == 0) {
      flat.slots.push_back(~0U);
    }
    for (const Operand& element : list == nullptr ? std::vector<Operand>{} : list->elements) {
      const auto location = Find(instance, element.name);
      flat.slots.push_back(location ? static_cast<std::uint32_t>(location->address) : ~0U);
    }
  }
  return {};
}

// Gives `variables` of `callee` the places of what the call names. False: they do not match.
bool Flattener::Bind(const Instance& caller, const Operand* list,
                     const std::vector<ptx::Variable>& variables, Instance& callee) const {
  if (CountOf(list) != variables.size()) {
    return false;
  }
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const auto location = Find(caller, list->elements[i].name);
    if (!location) {
      return false;
    }
    callee.names[variables[i].name] = *location;
  }
  return true;
}

Status Flattener::InlineCall(Instance& instance, const Instruction& call, const CallParts& parts,
                             const ptx::Function& callee) {
  Instance inner{.function = &callee,
                 .caller = &instance,
                 .return_label = NewLabels(1),
                 .frame_end = AlignUp(instance.frame_end, kFrameAlign)};
  if (!Bind(instance, parts.returns, callee.returns, inner) ||
      !Bind(instance, parts.arguments, callee.parameters, inner)) {
    return std::unexpected(
        Fault(call, fmt::format("the call of {} does not match its parameters", callee.name),
              "arguments of calls are .param variables in what nvcc writes; compile it again"));
  }
  return Inline(inner);
}

// One comparison and one inlined copy for each function that the pointer may hold.
Status Flattener::AddIndirectCall(Instance& instance, const Instruction& call,
                                  const CallParts& parts, std::uint32_t after) {
  for (const ptx::Function* candidate : shared_.address_taken) {
    if (MayCall(instance, call, parts, *candidate)) {
      ASSAY_RETURN_IF_ERROR(AddCandidate(instance, call, parts, *candidate, after));
    }
  }
  return Refuse(instance, Unguarded(call), "a call through a pointer to no device function");
}

bool Flattener::MayCall(const Instance& instance, const Instruction& call, const CallParts& parts,
                        const ptx::Function& candidate) const {
  return !candidate.is_declaration && CountOf(parts.returns) == candidate.returns.size() &&
         CountOf(parts.arguments) == candidate.parameters.size() &&
         HasPrototype(instance, call, candidate) && addresses_.function(candidate.name).has_value();
}

// `candidate`, for lanes whose pointer holds it; they go on at `after`, others behind the copy.
Status Flattener::AddCandidate(Instance& instance, const Instruction& call, const CallParts& parts,
                               const ptx::Function& candidate, std::uint32_t after) {
  const std::uint32_t next = NewLabels(1);
  ASSAY_RETURN_IF_ERROR(AddBranchIfNot(instance, call, *parts.target, candidate, next));
  if (IsRecursion(instance, candidate)) {
    ASSAY_RETURN_IF_ERROR(
        Refuse(instance, Unguarded(call),
               fmt::format("recursion through a pointer: {} calls itself", candidate.name)));
  } else {
    ASSAY_RETURN_IF_ERROR(InlineCall(instance, call, parts, candidate));
    Instruction leave = Bare(call);
    leave.opcode = Opcode::kBra;
    leave.guard_negated = false;
    ASSAY_RETURN_IF_ERROR(Add(instance, leave, FlatKind::kBranch));
    flat_.instructions.back().targets = {after};
  }
  Place(next);
  return {};
}

// Branches to the label `next` where `pointer` is not the address of `candidate`.
Status Flattener::AddBranchIfNot(const Instance& instance, const Instruction& call,
                                 const Operand& pointer, const ptx::Function& candidate,
                                 std::uint32_t next) {
  const auto predicate =
      static_cast<std::int32_t>(flat_.registers.size()) - instance.first_register;
  flat_.registers.push_back(ptx::Type::kPred);
  Instruction compare = Unguarded(call);
  compare.opcode = Opcode::kSetp;
  compare.spelling = "setp.ne.u64";
  compare.type = ptx::Type::kU64;
  compare.compare = ptx::Compare::kNe;
  compare.operands = {
      {.kind = Operand::Kind::kRegister, .type = ptx::Type::kPred, .index = predicate},
      pointer,
      {.kind = Operand::Kind::kImmediate,
       .type = ptx::Type::kU64,
       .bits = addresses_.function(candidate.name).value_or(0)}};
  ASSAY_RETURN_IF_ERROR(Add(instance, compare, FlatKind::kOrdinary));
  Instruction branch = Bare(call);
  branch.opcode = Opcode::kBra;
  branch.guard = predicate;
  branch.guard_negated = false;
  ASSAY_RETURN_IF_ERROR(Add(instance, branch, FlatKind::kBranch));
  flat_.instructions.back().targets = {next};
  return {};
}

// Whether `candidate` has the parameters of the call's prototype, if it has one.
bool Flattener::HasPrototype(const Instance& instance, const Instruction& call,
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

}  // namespace assay::gpu
