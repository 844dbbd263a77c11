// SPDX-License-Identifier: Apache-2.0
#include "emulator/exec/register_layout.h"

#include <algorithm>
#include <array>
#include <map>
#include <queue>
#include <utility>

#include "emulator/ptx/operand_pattern.h"

namespace assay::gpu {
namespace {

using ptx::Operand;

// Beyond this many bits of liveness, every register gets a place of its own.
constexpr std::uint64_t kMostLivenessBits = std::uint64_t{1} << 31;

// How many leading operands `instruction` writes.
std::size_t DestinationCount(const ptx::Instruction& instruction) {
  std::size_t count = 0;
  while (count < instruction.operands.size() &&
         ptx::PlaceOf(instruction, count).role == ptx::Role::kDestination) {
    ++count;
  }
  return count;
}

void Collect(const Operand& operand, std::vector<std::uint32_t>& registers) {
  if (operand.kind == Operand::Kind::kRegister ||
      (operand.kind == Operand::Kind::kAddress && operand.index >= 0)) {
    registers.push_back(static_cast<std::uint32_t>(operand.index));
  }
  for (const Operand& element : operand.elements) {
    Collect(element, registers);
  }
}

using Bits = std::vector<std::uint64_t>;
void Set(Bits& bits, std::uint32_t i) { bits[i / 64] |= std::uint64_t{1} << (i % 64); }
void Reset(Bits& bits, std::uint32_t i) { bits[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }

struct FlowBlock {
  std::uint32_t first = 0;
  std::uint32_t end = 0;
  std::vector<std::uint32_t> successors = {};
  Bits live_in = {};
  Bits live_out = {};
};

bool EndsBlock(const FlatInstruction& instruction) {
  return instruction.kind == FlatKind::kBranch || instruction.kind == FlatKind::kBranchTable ||
         instruction.kind == FlatKind::kExit;
}

std::vector<FlowBlock> FlowOf(const FlatKernel& kernel) {
  const auto count = static_cast<std::uint32_t>(kernel.instructions.size());
  std::vector<bool> leads(count + 1, false);
  leads[0] = true;
  for (std::uint32_t i = 0; i < count; ++i) {
    for (const std::uint32_t target : kernel.instructions[i].targets) {
      leads[target] = true;
    }
    if (EndsBlock(kernel.instructions[i])) {
      leads[i + 1] = true;
    }
  }
  std::vector<FlowBlock> blocks;
  std::vector<std::uint32_t> block_of(count + 1, 0);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (leads[i]) {
      blocks.push_back({.first = i});
    }
    block_of[i] = static_cast<std::uint32_t>(blocks.size() - 1);
    blocks.back().end = i + 1;
  }
  for (std::uint32_t b = 0; b < blocks.size(); ++b) {
    const FlatInstruction& last = kernel.instructions[blocks[b].end - 1];
    for (const std::uint32_t target : last.targets) {
      if (target < count) {
        blocks[b].successors.push_back(block_of[target]);
      }
    }
    const bool falls_through = !EndsBlock(last) || last.ptx.guard >= 0;
    if (falls_through && b + 1 < blocks.size()) {
      blocks[b].successors.push_back(b + 1);
    }
  }
  return blocks;
}

struct Interval {
  std::uint32_t start = ~0U;
  std::uint32_t end = 0;
  void Cover(std::uint32_t at) {
    start = std::min(start, at);
    end = std::max(end, at);
  }
};

// Which registers are alive where each block begins and ends: the least fixed point of the
// equations of liveness, from the last block to the first until nothing changes.
void FindLiveRegisters(const FlatKernel& kernel, const std::vector<RegisterUse>& uses,
                       std::vector<FlowBlock>& blocks) {
  const std::size_t words = (kernel.registers.size() + 63) / 64;
  for (FlowBlock& block : blocks) {
    block.live_in.assign(words, 0);
    block.live_out.assign(words, 0);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = blocks.size(); b-- > 0;) {
      FlowBlock& block = blocks[b];
      for (const std::uint32_t successor : block.successors) {
        for (std::size_t w = 0; w < words; ++w) {
          block.live_out[w] |= blocks[successor].live_in[w];
        }
      }
      Bits live = block.live_out;
      for (std::uint32_t i = block.end; i-- > block.first;) {
        // A guarded write leaves the old value in the other lanes.
        if (kernel.instructions[i].ptx.guard < 0) {
          for (const std::uint32_t reg : uses[i].writes) {
            Reset(live, reg);
          }
        }
        for (const std::uint32_t reg : uses[i].reads) {
          Set(live, reg);
        }
      }
      if (live != block.live_in) {
        block.live_in = std::move(live);
        changed = true;
      }
    }
  }
}

// The span of instructions, in their order, over which each register is alive.
std::vector<Interval> Intervals(const FlatKernel& kernel, const std::vector<RegisterUse>& uses,
                                std::vector<FlowBlock>& blocks) {
  FindLiveRegisters(kernel, uses, blocks);
  std::vector<Interval> intervals(kernel.registers.size());
  for (std::uint32_t i = 0; i < uses.size(); ++i) {
    for (const auto* list : {&uses[i].reads, &uses[i].writes}) {
      for (const std::uint32_t reg : *list) {
        intervals[reg].Cover(i);
      }
    }
  }
  for (const FlowBlock& block : blocks) {
    for (std::size_t w = 0; w < block.live_in.size(); ++w) {
      for (std::uint64_t bits = block.live_in[w]; bits != 0; bits &= bits - 1) {
        intervals[w * 64 + static_cast<std::size_t>(__builtin_ctzll(bits))].Cover(block.first);
      }
      for (std::uint64_t bits = block.live_out[w]; bits != 0; bits &= bits - 1) {
        intervals[w * 64 + static_cast<std::size_t>(__builtin_ctzll(bits))].Cover(block.end - 1);
      }
    }
  }
  return intervals;
}

RegisterLayout OnePlaceEach(const FlatKernel& kernel, std::uint32_t first_byte) {
  RegisterLayout layout{.size_bytes = first_byte, .reads_before_writes = true};
  for (const ptx::Type type : kernel.registers) {
    layout.offset_bytes.push_back(layout.size_bytes);
    layout.size_bytes += std::max<std::uint32_t>(RegisterBytes(type), 64);
  }
  return layout;
}

}  // namespace

std::uint32_t RegisterBytes(ptx::Type type) {
  if (type == ptx::Type::kPred) {
    return 4;
  }
  return std::max<std::uint32_t>(ptx::SizeOf(type), 2) * 32;
}

RegisterUse UseOf(const FlatInstruction& instruction) {
  RegisterUse use;
  const std::size_t destinations =
      instruction.kind == FlatKind::kOrdinary || instruction.kind == FlatKind::kBarrier
          ? DestinationCount(instruction.ptx)
          : 0;
  for (std::size_t i = 0; i < instruction.ptx.operands.size(); ++i) {
    Collect(instruction.ptx.operands[i], i < destinations ? use.writes : use.reads);
  }
  if (instruction.ptx.guard >= 0) {
    use.reads.push_back(static_cast<std::uint32_t>(instruction.ptx.guard));
  }
  return use;
}

RegisterLayout LayOutRegisters(const FlatKernel& kernel, std::uint32_t first_byte) {
  std::vector<FlowBlock> blocks = FlowOf(kernel);
  if (static_cast<std::uint64_t>(blocks.size()) * kernel.registers.size() * 2 > kMostLivenessBits) {
    return OnePlaceEach(kernel, first_byte);
  }
  std::vector<RegisterUse> uses;
  uses.reserve(kernel.instructions.size());
  for (const FlatInstruction& instruction : kernel.instructions) {
    uses.push_back(UseOf(instruction));
  }
  const std::vector<Interval> intervals = Intervals(kernel, uses, blocks);

  std::vector<std::uint32_t> order;
  for (std::uint32_t reg = 0; reg < intervals.size(); ++reg) {
    if (intervals[reg].start != ~0U) {
      order.push_back(reg);
    }
  }
  std::ranges::sort(order, {}, [&](std::uint32_t reg) { return intervals[reg].start; });

  RegisterLayout layout{.offset_bytes = std::vector<std::uint32_t>(intervals.size(), first_byte),
                        .size_bytes = first_byte};
  layout.reads_before_writes =
      std::ranges::any_of(blocks.front().live_in, [](std::uint64_t word) { return word != 0; });
  using Busy = std::pair<std::uint32_t, std::uint32_t>;  // end, offset
  struct Places {
    std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy;
    std::vector<std::uint32_t> free;
  };
  std::map<std::uint32_t, Places> classes;  // by size in bytes
  for (const std::uint32_t reg : order) {
    // A whole line for a predicate, so that what is packed beside it stays aligned.
    const std::uint32_t size = std::max<std::uint32_t>(RegisterBytes(kernel.registers[reg]), 64);
    Places& places = classes[size == 64 && kernel.registers[reg] == ptx::Type::kPred ? 4 : size];
    // An instruction may write one result before it has read all it reads, so a place is free
    // only after the instruction that reads it last.
    while (!places.busy.empty() && places.busy.top().first < intervals[reg].start) {
      places.free.push_back(places.busy.top().second);
      places.busy.pop();
    }
    if (places.free.empty()) {
      places.free.push_back(layout.size_bytes);
      layout.size_bytes += size;
    }
    layout.offset_bytes[reg] = places.free.back();
    places.free.pop_back();
    places.busy.emplace(intervals[reg].end, layout.offset_bytes[reg]);
  }
  return layout;
}

}  // namespace assay::gpu
