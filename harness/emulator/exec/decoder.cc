// SPDX-License-Identifier: Apache-2.0
#include "emulator/exec/decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "emulator/exec/control_ops.h"
#include "emulator/exec/register_file.h"
#include "emulator/exec/register_layout.h"
#include "emulator/exec/selected_loads.h"
#include "emulator/memory/order_sensitive.h"
#include "emulator/ops/operand_width.h"
#include "emulator/ops/ops.h"
#include "emulator/report/demangled_kernel.h"

namespace assay::gpu {
namespace {

using ptx::Opcode;
using ptx::Operand;

constexpr std::uint32_t kMostRegisterBytes = 16U << 20;  // Of a warp.

bool TouchesMemory(Opcode opcode) {
  return opcode == Opcode::kLd || opcode == Opcode::kSt || opcode == Opcode::kAtom ||
         opcode == Opcode::kRed;
}

std::uint64_t MatrixFlops(const ptx::Instruction& instruction) {
  const bool multiplies =
      instruction.opcode == Opcode::kMma ||
      (instruction.opcode == Opcode::kWmma && instruction.mode == ptx::Mode::kMma);
  return multiplies ? 2ULL * instruction.m * instruction.n * instruction.k : 0;
}

BarrierMode BarrierModeOf(ptx::Mode mode) {
  switch (mode) {
    case ptx::Mode::kArrive:
      return BarrierMode::kArrive;
    case ptx::Mode::kRedPopc:
      return BarrierMode::kCount;
    case ptx::Mode::kRedAnd:
      return BarrierMode::kAll;
    case ptx::Mode::kRedOr:
      return BarrierMode::kAny;
    default:
      return BarrierMode::kSync;
  }
}

// Whether lanes may have to wait for each other there. A copy is each lane's own.
bool WaitsForLanes(Opcode opcode) {
  return ptx::GroupOf(opcode) == ptx::Group::kWarp && !ptx::IsAsyncCopy(opcode);
}

class Decoder {
 public:
  Decoder(const ptx::Module& module, const ptx::Function& kernel, FlatKernel flat,
          Preemption preemption)
      : module_(module),
        flat_(std::move(flat)),
        preemption_(preemption),
        program_(std::make_unique<Program>()) {
    program_->name = kernel.name;
    program_->demangled = DemangledKernel(kernel.name);
    program_->files = module.files;
    program_->static_shared_bytes = flat_.static_shared_bytes;
    program_->local_bytes = flat_.local_bytes;
  }

  Result<std::unique_ptr<Program>> Run() {
    SinkSelectedLoads(flat_);
    file_ = RegisterFile(LayOutRegisters(flat_, kFirstPlace));
    PlanSteps();
    for (std::uint32_t i = 0; i < flat_.instructions.size(); ++i) {
      if (head_of_[i] != kNoInstruction) {
        AddHead(i);
      }
      ASSAY_RETURN_IF_ERROR(AddStep(i));
    }
    if (file_.SizeBytes() > kMostRegisterBytes) {
      return std::unexpected(Error{
          ErrorKind::kConfiguration, "",
          fmt::format("kernel {}: a warp's registers take more than 16 MiB", program_->demangled),
          "split the kernel"});
    }
    file_.Describe(*program_);
    program_->selected_loads = FindSelectedLoads(flat_, file_.layout());
    return std::move(program_);
  }

 private:
  bool Leads(std::uint32_t i) const {
    const FlatInstruction& instruction = flat_.instructions[i];
    return instruction.kind == FlatKind::kBarrier || instruction.kind == FlatKind::kBuiltin ||
           WaitsForLanes(instruction.ptx.opcode) ||
           (preemption_ == Preemption::kAtMemory && TouchesMemory(instruction.ptx.opcode));
  }
  static bool Ends(const FlatInstruction& instruction) {
    return instruction.kind == FlatKind::kBranch || instruction.kind == FlatKind::kBranchTable ||
           instruction.kind == FlatKind::kExit || instruction.kind == FlatKind::kBarrier;
  }

  // Decides where basic blocks begin, and with that the index of every step.
  void PlanSteps() {
    const std::size_t count = flat_.instructions.size();
    std::vector<bool> leads(count + 1, false);
    leads[0] = true;
    for (std::uint32_t i = 0; i < count; ++i) {
      for (const std::uint32_t target : flat_.instructions[i].targets) {
        leads[target] = true;
      }
      leads[i] = leads[i] || Leads(i);
      leads[i + 1] = leads[i + 1] || Ends(flat_.instructions[i]);
    }
    head_of_.assign(count, kNoInstruction);
    std::uint32_t step = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (leads[i]) {
        head_of_[i] = step++;
        program_->blocks.push_back({.first_step = head_of_[i]});
      }
      ++program_->blocks.back().step_count;
      ++step;
    }
    program_->full.reserve(step);
    program_->masked.reserve(step);
    program_->instructions.reserve(count);
  }

  void Push(Step step, Handlers handlers) {
    step.run = handlers.full;
    program_->full.push_back(step);
    step.run = handlers.masked;
    program_->masked.push_back(step);
  }

  void AddHead(std::uint32_t i) {
    const std::uint32_t block = next_block_++;
    Step step;
    step.operand[0] = block;
    step.operand[1] = head_of_[i];
    step.operand[2] = program_->blocks[block].step_count;
    step.instruction = kNoInstruction;
    Push(step, HeadHandlers());
  }

  Error Unsupported(const ptx::Instruction& instruction) const {
    return {ErrorKind::kConfiguration, PlaceOf(module_, instruction),
            fmt::format("kernel {}: {} is not supported by the emulated GPU", program_->demangled,
                        instruction.spelling),
            "say so in an issue, with the source line"};
  }

  Status AddStep(std::uint32_t i) {
    const FlatInstruction& flat = flat_.instructions[i];
    const bool guarded = flat.ptx.guard >= 0;
    Step step;
    step.instruction = i;
    step.guard = guarded ? file_.RegisterPlace(flat.ptx.guard) : kTruePlace;
    step.guard_flip = guarded && flat.ptx.guard_negated ? kAllLanes : 0;
    Describe(flat);
    if (flat.kind != FlatKind::kOrdinary) {
      const Handlers handlers = PlaceControl(flat, step);
      Push(step, handlers);
      return {};
    }
    Handlers handlers = SelectHandlers(flat.ptx);
    if (handlers.full == nullptr || handlers.masked == nullptr) {
      return std::unexpected(Unsupported(flat.ptx));
    }
    PlaceOperands(flat.ptx, step);
    if (guarded) {
      handlers.full = handlers.masked;
    }
    Push(step, handlers);
    return {};
  }

  // Adds to the program what is known of an instruction besides its handlers.
  void Describe(const FlatInstruction& flat) {
    program_->instructions.push_back({.spelling = flat.ptx.spelling,
                                      .opcode = flat.ptx.opcode,
                                      .type = flat.ptx.type,
                                      .space = flat.ptx.space,
                                      .source = flat.ptx.source,
                                      .ptx_line = flat.ptx.ptx_line,
                                      .basic_block = next_block_ - 1,
                                      .matrix_flops = MatrixFlops(flat.ptx),
                                      .guarded = flat.ptx.guard >= 0});
    program_->uses_heap =
        program_->uses_heap || flat.builtin == Builtin::kMalloc || flat.builtin == Builtin::kFree;
    program_->order_sensitive =
        program_->order_sensitive || program_->uses_heap || OrderSensitive(flat.ptx);
  }

  // The handlers of what control_ops and builtins run, with their operands in `step`.
  Handlers PlaceControl(const FlatInstruction& flat, Step& step) {
    const BranchKind branch = flat.ptx.guard >= 0 ? BranchKind::kGuarded : BranchKind::kAlways;
    switch (flat.kind) {
      case FlatKind::kBranch:
        step.immediate = Distance(flat.targets[0]);
        return BranchHandlers(branch);
      case FlatKind::kBranchTable:
        step.operand[0] = Place(flat.ptx, 0, flat.ptx.operands.at(0));
        step.operands = Table(flat);
        return BranchTableHandlers();
      case FlatKind::kExit:
        return ExitHandlers(branch);
      case FlatKind::kTrap:
        return TrapHandlers();
      case FlatKind::kBarrier:
        PlaceBarrier(flat.ptx, step);
        return BarrierHandlers();
      case FlatKind::kBuiltin:
        step.operands = Keep(flat.slots);
        return BuiltinHandlers(flat.builtin);
      case FlatKind::kRefuse:
        step.immediate = program_->refusals.size();
        program_->refusals.push_back(flat.refusal);
        return RefuseHandlers();
      case FlatKind::kOrdinary:
        break;
    }
    return {};
  }

  static Handlers BuiltinHandlers(Builtin builtin) {
    switch (builtin) {
      case Builtin::kPrintf:
        return PrintfHandlers();
      case Builtin::kAssert:
        return AssertHandlers();
      case Builtin::kMalloc:
        return MallocHandlers();
      case Builtin::kFree:
        return FreeHandlers();
      case Builtin::kNone:
        break;
    }
    return RefuseHandlers();
  }

  // From the step that is being added to the head of `target`.
  std::uint64_t Distance(std::uint32_t target) const {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(head_of_[target]) -
                                      static_cast<std::int64_t>(program_->full.size()));
  }

  const std::uint32_t* Keep(std::vector<std::uint32_t> values) {
    program_->long_operands.push_back(std::move(values));
    return program_->long_operands.back().data();
  }

  const std::uint32_t* Table(const FlatInstruction& flat) {
    std::vector<std::uint32_t> table = {static_cast<std::uint32_t>(flat.targets.size())};
    for (const std::uint32_t target : flat.targets) {
      table.push_back(head_of_[target]);
    }
    return Keep(std::move(table));
  }

  void PlaceBarrier(const ptx::Instruction& instruction, Step& step) {
    const bool reduces = instruction.mode == ptx::Mode::kRedPopc ||
                         instruction.mode == ptx::Mode::kRedAnd ||
                         instruction.mode == ptx::Mode::kRedOr;
    const auto& operands = instruction.operands;
    const std::size_t first = reduces ? 1 : 0;
    const std::size_t last = operands.size() - (reduces && !operands.empty() ? 1 : 0);
    step.immediate = static_cast<std::uint64_t>(BarrierModeOf(instruction.mode));
    step.operand[0] = first < last ? file_.PlaceOf(operands[first], 4) : file_.ConstantPlace(0, 4);
    step.operand[1] = first + 1 < last ? file_.PlaceOf(operands[first + 1], 4) : ~0U;
    step.operand[2] = reduces ? file_.PlaceOf(operands[0], WidthOf(operands[0])) : ~0U;
    step.operand[3] = reduces ? file_.PlaceOf(operands.back(), 0) : ~0U;
    step.operand[4] = reduces && operands.back().negated ? 1 : 0;
  }
  static std::uint32_t WidthOf(const Operand& operand) { return ptx::SizeOf(operand.type); }

  void PlaceOperands(const ptx::Instruction& instruction, Step& step) {
    std::vector<std::uint32_t> places;
    std::size_t index = 0;
    std::size_t addresses = 0;
    for (const Operand& operand : instruction.operands) {
      if (operand.kind == Operand::Kind::kVector) {
        for (const Operand& element : operand.elements) {
          places.push_back(Place(instruction, index++, element));
        }
        continue;
      }
      places.push_back(Place(instruction, index++, operand));
      if (operand.kind == Operand::Kind::kAddress) {
        if (addresses++ == 0) {
          step.immediate = static_cast<std::uint64_t>(operand.offset);
        } else {
          places.push_back(file_.ConstantPlace(static_cast<std::uint64_t>(operand.offset), 8));
        }
      }
    }
    std::copy_n(places.begin(), std::min<std::size_t>(places.size(), step.operand.size()),
                step.operand.begin());
    if (places.size() > step.operand.size()) {
      step.operands = Keep(std::move(places));
    }
  }

  std::uint32_t Place(const ptx::Instruction& instruction, std::size_t index,
                      const Operand& operand) {
    return file_.PlaceOf(operand, OperandWidth(instruction, index));
  }

  const ptx::Module& module_;
  FlatKernel flat_;
  Preemption preemption_;
  RegisterFile file_;
  std::uint32_t next_block_ = 0;
  std::vector<std::uint32_t> head_of_;  // The step of the block head before each instruction.
  std::unique_ptr<Program> program_;
};

}  // namespace

Result<std::unique_ptr<Program>> Decode(const ptx::Module& module, const ptx::Function& kernel,
                                        const ModuleAddresses& addresses, Preemption preemption) {
  ASSAY_ASSIGN_OR_RETURN(FlatKernel flat, Flatten(module, kernel, addresses));
  return Decoder(module, kernel, std::move(flat), preemption).Run();
}

}  // namespace assay::gpu
