// SPDX-License-Identifier: Apache-2.0
// For tests and benchmarks: blocks, warps and workers made by hand, without decoder or scheduler.
#ifndef ASSAY_EMULATOR_MEMORY_WARP_RIG_H_
#define ASSAY_EMULATOR_MEMORY_WARP_RIG_H_

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "emulator/core/program.h"
#include "emulator/core/warp.h"
#include "emulator/memory/global_memory.h"
#include "emulator/memory/memory_checker.h"
#include "emulator/ops/ops.h"
#include "emulator/ptx/module.h"

namespace assay::gpu {

/// A launch of a few blocks on a few workers. Instructions are numbered by whoever runs them.
class WarpRig {
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

  explicit WarpRig(Shape shape, std::uint64_t seed = 0) : shape_(std::move(shape)) {
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
    blocks.resize(shape_.blocks);
    storage_.resize(shape_.blocks);
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
    for (Block& block : blocks) {
      if (!active.empty()) {
        block.warps[0].worker->checker->EndBlock(block);
      }
    }
    for (const Worker& worker : workers) {
      findings.MergeFrom(worker.findings);
    }
    MemoryChecker::FinishLaunch(active, launch, findings, counters);
    findings.Sort();
    return counters;
  }

  Warp& warp(std::uint32_t block = 0, std::uint32_t index = 0) {
    return blocks[block].warps[index];
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
  std::vector<Block> blocks;
  FindingLog findings;

 private:
  struct alignas(128) Line {
    std::array<std::byte, 128> bytes{};
  };
  struct Storage {
    std::vector<Line> registers, shared, local;
  };

  void BeginBlock(std::uint32_t b) {
    Block& block = blocks[b];
    Storage& storage = storage_[b];
    Worker& worker = workers[b % shape_.workers];
    block = Block{};
    block.linear = b;
    block.position = b;
    storage.shared.assign(shape_.shared_bytes / 128 + 1, {});
    block.shared = storage.shared.front().bytes.data();
    const std::size_t register_lines = kSlots * kSlotBytes / 128;
    const std::size_t local_lines = shape_.local_bytes * kWarpSize / 128 + 1;
    storage.registers.assign(register_lines * shape_.warps, {});
    storage.local.assign(local_lines * shape_.warps, {});
    block.warps.resize(shape_.warps);
    for (std::uint32_t w = 0; w < shape_.warps; ++w) {
      Warp& warp = block.warps[w];
      warp.index = w;
      warp.existing = kAllLanes;
      warp.active = kAllLanes;
      warp.registers = storage.registers[w * register_lines].bytes.data();
      warp.local = storage.local[w * local_lines].bytes.data();
      warp.launch = &launch;
      warp.block = &block;
      warp.worker = &worker;
      *Slot<LaneMask>(warp, kGuardSlot) = kAllLanes;
    }
    if (worker.checker != nullptr) {
      worker.checker->BeginBlock(block);
    }
  }

  Shape shape_;
  std::vector<Storage> storage_;
};

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_MEMORY_WARP_RIG_H_
