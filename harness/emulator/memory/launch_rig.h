// SPDX-License-Identifier: Apache-2.0
// For tests and benchmarks: a launch made by hand, without decoder or scheduler.
#ifndef ASSAY_EMULATOR_MEMORY_LAUNCH_RIG_H_
#define ASSAY_EMULATOR_MEMORY_LAUNCH_RIG_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "emulator/core/block_rig.h"
#include "emulator/core/program.h"
#include "emulator/core/warp.h"
#include "emulator/memory/global_memory.h"
#include "emulator/memory/memory_checker.h"
#include "emulator/ops/ops.h"
#include "emulator/ptx/module.h"

namespace assay::gpu {

/// A launch of a few blocks on a few workers. Instructions are numbered by whoever runs them.
class LaunchRig {
 public:
  struct Shape {
    std::uint32_t blocks = 1;
    std::uint32_t warps = 1;
    std::uint32_t shared_bytes = 0;
    std::uint32_t local_bytes = 0;
    std::uint32_t workers = 1;  ///< Block b runs on worker b % workers.
    Checking checking = Checking::kOn;
    BlockOrder order = BlockOrder::kIndependent;
    std::uint64_t l2_bytes = std::uint64_t{50} << 20;
    std::vector<std::string> spellings = {};  ///< Of shared accesses below 4 bytes.
  };

  explicit LaunchRig(Shape shape, std::uint64_t seed = 0) : shape_(std::move(shape)) {
    memory = std::move(*GlobalMemory::Create(std::uint64_t{256} << 20, seed));
    program.instructions.resize(kInstructions);
    for (std::size_t i = 0; i < shape_.spellings.size(); ++i) {
      program.instructions[i].opcode = ptx::Opcode::kSt;
      program.instructions[i].space = ptx::Space::kShared;
      program.instructions[i].spelling = shape_.spellings[i];
    }
    options.model.l2_bytes = shape_.l2_bytes;
    launch.program = &program;
    launch.options = &options;
    launch.memory = memory.get();
    launch.threads_per_block = shape_.warps * kWarpSize;
    launch.warps_per_block = shape_.warps;
    launch.shared_bytes = shape_.shared_bytes;
    launch.local_bytes = shape_.local_bytes;
    workers.resize(shape_.workers);
    if (shape_.checking == Checking::kOn) {
      for (std::uint32_t w = 0; w < shape_.workers; ++w) {
        checkers.push_back(MemoryChecker::Create(*memory));
      }
    }
  }

  /// After the allocations that it uses.
  void Begin() {
    for (std::uint32_t w = 0; w < shape_.workers; ++w) {
      workers[w] = Worker{};
      workers[w].accesses.resize(kInstructions);
      if (shape_.checking != Checking::kOn) {
        continue;
      }
      workers[w].checker = checkers[w].get();
      checkers[w]->BeginLaunch(launch, workers[w], shape_.order);
    }
    blocks_.clear();
    for (std::uint32_t b = 0; b < shape_.blocks; ++b) {
      BeginBlock(b);
    }
  }

  /// Ends the blocks and the launch.
  LaunchCounters Finish() {
    LaunchCounters counters;
    findings.Clear();
    std::vector<MemoryChecker*> active;
    active.reserve(checkers.size());
    for (const auto& checker : checkers) {
      active.push_back(checker.get());
    }
    for (BlockRig& each : blocks_) {
      if (!active.empty()) {
        each.block.warps[0].worker->checker->EndBlock(each.block);
      }
    }
    for (const Worker& worker : workers) {
      findings.MergeFrom(worker.findings);
    }
    MemoryChecker::FinishLaunch(active, launch, findings, counters);
    findings.Sort();
    return counters;
  }

  Block& block(std::uint32_t linear = 0) { return blocks_[linear].block; }
  Warp& warp(std::uint32_t linear = 0, std::uint32_t index = 0) {
    return block(linear).warps[index];
  }
  [[nodiscard]] AccessCounters Counters(std::uint32_t instruction) const {
    AccessCounters sum;
    for (const Worker& worker : workers) {
      sum += worker.accesses[instruction];
    }
    return sum;
  }

  static constexpr std::uint32_t kInstructions = 64;
  static constexpr std::uint32_t kSlotBytes = 256;
  static constexpr std::uint32_t kSlots = 12;
  static constexpr std::uint32_t kAddressSlot = 8;
  static constexpr std::uint32_t kGuardSlot = 10;

  /// ld or st of `type` in registers of its own width (16 bits for bytes), values in slots 0 …,
  /// addresses in kAddressSlot. `alter`: what else the instruction says.
  static ptx::Instruction Make(ptx::Opcode opcode, ptx::Space space, ptx::Type type,
                               std::uint32_t vector = 1,
                               const std::function<void(ptx::Instruction&)>& alter = {}) {
    ptx::Instruction instruction;
    instruction.opcode = opcode;
    instruction.space = space;
    instruction.type = type;
    instruction.vector = static_cast<std::uint8_t>(vector);
    const ptx::Type held = ptx::SizeOf(type) == 1 ? ptx::Type::kB16 : type;
    const auto value = [&] {
      ptx::Operand operand{.kind = ptx::Operand::Kind::kRegister, .type = held, .index = 0};
      if (vector == 1) {
        return operand;
      }
      ptx::Operand all{.kind = ptx::Operand::Kind::kVector};
      all.elements.assign(vector, operand);
      return all;
    };
    const ptx::Operand address{
        .kind = ptx::Operand::Kind::kAddress, .type = ptx::Type::kU64, .index = 1};
    if (opcode != ptx::Opcode::kSt && opcode != ptx::Opcode::kRed) {
      instruction.operands.push_back(value());
    }
    instruction.operands.push_back(address);
    if (opcode != ptx::Opcode::kLd) {
      instruction.operands.push_back(value());
    }
    if (alter) {
      alter(instruction);
    }
    return instruction;
  }

  /// Decodes `instruction` as number `number`. Results and values begin at slot 0 (of atom: result
  /// 0, operands from slot 1 on).
  static Step Decode(const ptx::Instruction& instruction, std::uint32_t number, bool full) {
    Step step;
    const Handlers handlers = SelectHandlers(instruction);
    step.run = full ? handlers.full : handlers.masked;
    step.instruction = number;
    step.guard = kGuardSlot * kSlotBytes;
    std::uint32_t at = 0;
    std::uint32_t slot = 0;
    for (const ptx::Operand& operand : instruction.operands) {
      if (operand.kind == ptx::Operand::Kind::kAddress) {
        step.operand[at++] = kAddressSlot * kSlotBytes;
        continue;
      }
      const std::size_t count =
          operand.kind == ptx::Operand::Kind::kVector ? operand.elements.size() : 1;
      for (std::size_t i = 0; i < count; ++i) {
        step.operand[at++] = slot++ * kSlotBytes;
      }
    }
    return step;
  }

  template <class T>
  static T* Slot(Warp& warp, std::uint32_t slot) {
    return reinterpret_cast<T*>(warp.registers + slot * kSlotBytes);
  }

  /// Runs it for `lanes` of `warp` at addresses(lane). Whether the launch goes on.
  bool Run(Warp& warp, const ptx::Instruction& instruction, std::uint32_t number, LaneMask lanes,
           const std::function<std::uint64_t(std::uint32_t)>& addresses) {
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      Slot<std::uint64_t>(warp, kAddressSlot)[lane] =
          ((lanes >> lane) & 1U) != 0 ? addresses(lane) : 0;
    }
    warp.active = lanes;
    program.instructions[number].opcode = instruction.opcode;
    const Step step = Decode(instruction, number, lanes == kAllLanes);
    return step.run(warp, &step) == &step + 1;
  }

  std::unique_ptr<GlobalMemory> memory;
  Program program;
  DeviceOptions options;
  Launch launch;
  std::vector<Worker> workers;
  std::vector<std::unique_ptr<MemoryChecker>> checkers;
  FindingLog findings;

 private:
  void BeginBlock(std::uint32_t linear) {
    Worker& worker = workers[linear % shape_.workers];
    Block& block = blocks_
                       .emplace_back(BlockRig::Shape{.warps = shape_.warps,
                                                     .registers = kSlots * kSlotBytes,
                                                     .shared = shape_.shared_bytes,
                                                     .local = shape_.local_bytes},
                                     launch, worker)
                       .block;
    block.linear = linear;
    block.position = linear;
    for (Warp& warp : block.warps) {
      *Slot<LaneMask>(warp, kGuardSlot) = kAllLanes;
    }
    if (worker.checker != nullptr) {
      worker.checker->BeginBlock(block);
    }
  }

  Shape shape_;
  std::deque<BlockRig> blocks_;
};

/// Instructions of a LaunchRig.
inline ptx::Instruction Load(ptx::Space space, ptx::Type type = ptx::Type::kU32,
                             std::uint32_t vector = 1) {
  return LaunchRig::Make(ptx::Opcode::kLd, space, type, vector);
}
inline ptx::Instruction Store(ptx::Space space, ptx::Type type = ptx::Type::kU32,
                              std::uint32_t vector = 1) {
  return LaunchRig::Make(ptx::Opcode::kSt, space, type, vector);
}
inline ptx::Instruction Atomic(ptx::Space space, ptx::AtomicOp op = ptx::AtomicOp::kAdd) {
  return LaunchRig::Make(ptx::Opcode::kAtom, space, ptx::Type::kU32, 1,
                         [op](ptx::Instruction& i) { i.atomic_op = op; });
}

/// Lane l of a slot holds first + l * step.
inline void FillSlot(Warp& warp, std::uint32_t slot, std::uint32_t first, std::uint32_t step) {
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    LaunchRig::Slot<std::uint32_t>(warp, slot)[lane] = first + lane * step;
  }
}

/// Writes all of it, and passes a barrier.
inline void FillShared(LaunchRig& rig, std::uint32_t bytes) {
  for (std::uint32_t at = 0; at < bytes; at += 128) {
    rig.Run(rig.warp(), Store(ptx::Space::kShared), 60, kAllLanes,
            [&](std::uint32_t l) { return at + 4 * l; });
  }
  ++rig.block().barrier_epoch;
}

inline std::vector<FindingKind> Kinds(const FindingLog& log) {
  std::vector<FindingKind> kinds;
  for (const FindingRecord& record : log.records()) {
    kinds.push_back(record.kind);
  }
  return kinds;
}

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_MEMORY_LAUNCH_RIG_H_
