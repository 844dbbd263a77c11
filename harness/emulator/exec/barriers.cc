// SPDX-License-Identifier: Apache-2.0
#include "emulator/exec/barriers.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>

#include "emulator/core/program.h"
#include "emulator/exec/control_ops.h"

namespace assay::gpu {
namespace {

std::uint32_t CountOf(LaneMask lanes) { return static_cast<std::uint32_t>(std::popcount(lanes)); }

template <class Visit>
void ForEachWaiting(Block& block, std::uint32_t barrier, Visit visit) {
  for (Warp& warp : block.warps) {
    for (LaneGroup& group : warp.groups) {
      if (group.waits == Stop::kBarrier && group.barrier == barrier) {
        visit(warp, group);
      }
    }
  }
}

// Bit i: some group waits at barrier i.
std::uint32_t BarriersWaitedAt(const Block& block) {
  std::uint32_t barriers = 0;
  for (const Warp& warp : block.warps) {
    for (const LaneGroup& group : warp.groups) {
      barriers |= group.waits == Stop::kBarrier ? 1U << group.barrier : 0;
    }
  }
  return barriers;
}

// How many threads the barrier waits for, as the first that came says; 0: all of the block.
std::uint32_t WantedCount(const Warp& warp, const LaneGroup& group) {
  const std::uint32_t place = group.at->operand[1];
  if (place == ~0U) {
    return 0;
  }
  const auto* values = reinterpret_cast<const std::uint32_t*>(warp.registers + place);
  return values[std::countr_zero(group.lanes)];
}

struct Arrivals {
  std::uint32_t threads = 0;  // Waiting.
  std::uint32_t counted = 0;  // The same, with incomplete warps as 32.
  Warp* first_warp = nullptr;
  LaneGroup* first = nullptr;
};

Arrivals ArrivalsAt(Block& block, std::uint32_t barrier) {
  Arrivals arrivals;
  ForEachWaiting(block, barrier, [&](Warp& warp, LaneGroup& group) {
    arrivals.threads += CountOf(group.lanes);
    arrivals.counted += CountedThreads(warp, group.lanes);
    if (arrivals.first == nullptr) {
      arrivals.first_warp = &warp;
      arrivals.first = &group;
    }
  });
  return arrivals;
}

// How many threads had exited when the block first met at this barrier.
std::uint32_t ExitedAtFirst(Block& block, std::uint32_t instruction, std::uint32_t exited) {
  const auto known =
      std::ranges::find(block.met, instruction, &std::pair<std::uint32_t, std::uint32_t>::first);
  if (known != block.met.end()) {
    return known->second;
  }
  block.met.emplace_back(instruction, exited);
  return exited;
}

// Since Volta a thread that exited counts as one that has come, so that returning early is legal.
// One that has been at the barrier and exited while others come again has left a loop that they
// are in: the barrier is in divergent code.
void ReportExited(Warp& warp, const Step* step, std::uint32_t lane, std::uint32_t exited) {
  const bool left_loop = exited > ExitedAtFirst(*warp.block, step->instruction, exited);
  if (exited == 0) {
    return;
  }
  Report(warp, step, FindingKind::kDivergentBarrier,
         left_loop ? Severity::kError : Severity::kWarning, lane, MemorySpace::kNone, 0, 0,
         left_loop ? "threads of the block that were at it exited, and others came again"
                   : "threads of the block exited before it");
}

void ReportDivergence(Block& block, std::uint32_t barrier, const Arrivals& arrivals,
                      std::uint32_t exited) {
  Warp& warp = *arrivals.first_warp;
  const Step* step = arrivals.first->at;
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(arrivals.first->lanes));
  ReportExited(warp, step, lane, exited);
  ForEachWaiting(block, barrier, [&](Warp& other, LaneGroup& group) {
    if (group.at->instruction == step->instruction) {
      return;
    }
    const auto other_lane = static_cast<std::uint32_t>(std::countr_zero(group.lanes));
    FindingRecord record{
        .kind = FindingKind::kDivergentBarrier,
        .severity = Severity::kError,
        .site = {.instruction = step->instruction,
                 .block = block.linear,
                 .thread = warp.index * kWarpSize + lane},
        .other = {.instruction = group.at->instruction,
                  .block = block.linear,
                  .thread = other.index * kWarpSize + other_lane},
        .has_other = true,
        .position = block.position,
        .note = fmt::format("threads of the {} wait for each other at different places",
                            &other == &warp ? "warp" : "block")};
    warp.worker->findings.Add(std::move(record));
  });
}

// What bar.red gives to each thread that waits.
void Reduce(Block& block, std::uint32_t barrier) {
  std::uint32_t holds = 0;
  std::uint32_t threads = 0;
  ForEachWaiting(block, barrier, [&](Warp& warp, LaneGroup& group) {
    if (group.at->operand[3] == ~0U) {
      return;
    }
    LaneMask value = *reinterpret_cast<const LaneMask*>(warp.registers + group.at->operand[3]);
    value = group.at->operand[4] != 0 ? ~value : value;
    holds += CountOf(value & group.lanes);
    threads += CountOf(group.lanes);
  });
  ForEachWaiting(block, barrier, [&](Warp& warp, LaneGroup& group) {
    if (group.at->operand[2] == ~0U) {
      return;
    }
    std::byte* result = warp.registers + group.at->operand[2];
    if (static_cast<BarrierMode>(group.at->immediate) == BarrierMode::kCount) {
      for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
        if ((group.lanes >> lane & 1U) != 0) {
          reinterpret_cast<std::uint32_t*>(result)[lane] = holds;
        }
      }
      return;
    }
    const bool is_true = static_cast<BarrierMode>(group.at->immediate) == BarrierMode::kAll
                             ? holds == threads
                             : holds != 0;
    auto& predicate = *reinterpret_cast<LaneMask*>(result);
    predicate = is_true ? predicate | group.lanes : predicate & ~group.lanes;
  });
}

}  // namespace

std::uint32_t CountedThreads(const Warp& warp, LaneMask lanes) {
  return lanes == (warp.existing & ~warp.exited) ? kWarpSize : CountOf(lanes);
}

bool ReleaseBarriers(Block& block) {
  const std::uint32_t waited_at = BarriersWaitedAt(block);
  if (waited_at == 0) {
    return false;
  }
  std::uint32_t existing = 0;
  std::uint32_t exited = 0;
  for (const Warp& warp : block.warps) {
    existing += CountOf(warp.existing);
    exited += CountOf(warp.exited);
  }
  bool released = false;
  for (std::uint32_t left = waited_at; left != 0; left &= left - 1) {
    const auto barrier = static_cast<std::uint32_t>(std::countr_zero(left));
    const Arrivals arrivals = ArrivalsAt(block, barrier);
    const std::uint32_t wanted = WantedCount(*arrivals.first_warp, *arrivals.first);
    const bool complete = wanted == 0
                              ? arrivals.threads + block.arrived[barrier] >= existing - exited
                              : arrivals.counted + block.arrived[barrier] >= wanted;
    if (!complete) {
      continue;
    }
    if (arrivals.first_warp->worker->checker != nullptr && wanted == 0) {
      ReportDivergence(block, barrier, arrivals, exited);
    }
    Reduce(block, barrier);
    ForEachWaiting(block, barrier, [](Warp& warp, LaneGroup& group) {
      group.waits = Stop::kNone;
      ++group.at;
      warp.blocked = false;
    });
    block.arrived[barrier] = 0;
    ++block.barrier_epoch;
    released = true;
  }
  return released;
}

void ReportDeadlock(Block& block) {
  std::string note;
  Warp* first = nullptr;
  const Step* at = nullptr;
  std::uint32_t lane = 0;
  std::uint32_t told = 0;
  for (Warp& warp : block.warps) {
    for (const LaneGroup& group : warp.groups) {
      if (first == nullptr) {
        first = &warp;
        at = group.at;
        lane = static_cast<std::uint32_t>(std::countr_zero(group.lanes));
      }
      if (++told > 8 || group.at->instruction == kNoInstruction) {
        continue;
      }
      const InstructionInfo& info = warp.launch->program->instructions[group.at->instruction];
      note += fmt::format("{}warp {} lanes {:#010x} at {} (line {})", note.empty() ? "" : ", ",
                          warp.index, group.lanes, info.spelling, info.source.line);
    }
  }
  if (first != nullptr) {
    Report(*first, at, FindingKind::kDeadlock, Severity::kError, lane, MemorySpace::kNone, 0, 0,
           note);
    Fault(*first, 702, "deadlock: every thread waits for another; " + note);
  }
}

}  // namespace assay::gpu
