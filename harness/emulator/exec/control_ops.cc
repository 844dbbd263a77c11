// SPDX-License-Identifier: Apache-2.0
#include "emulator/exec/control_ops.h"

#include <algorithm>
#include <bit>

#include "emulator/core/program.h"
#include "emulator/exec/barriers.h"
#include "emulator/ops/pending_copies.h"
#include "emulator/report/cuda_error.h"

namespace assay::gpu {
namespace {

const Step* Head(Warp& warp, const Step* step) {
  if (step->operand[1] >= warp.merge_index) [[unlikely]] {
    warp.stop = Stop::kReschedule;
    warp.resume = step;
    return nullptr;
  }
  if (--warp.budget == 0) [[unlikely]] {
    warp.stop = Stop::kTurnOver;
    warp.resume = step;
    return nullptr;
  }
  Worker& worker = *warp.worker;
  BlockCount& count = worker.blocks[step->operand[0]];
  ++count.warps;
  count.threads += static_cast<unsigned>(std::popcount(warp.active));
  worker.clock += step->operand[2];
  return step + 1;
}

const Step* Always(Warp&, const Step* step) {
  return step + static_cast<std::int64_t>(step->immediate);
}

// Leaves `other` for later and goes on, in the masked form, with `lanes`.
const Step* Diverge(Warp& warp, std::uint32_t to, LaneMask lanes, std::uint32_t other_to,
                    LaneMask other) {
  const Program& program = *warp.launch->program;
  if (other_to < to) {
    std::swap(to, other_to);
    std::swap(lanes, other);
  }
  warp.groups.push_back({.at = &program.masked[other_to], .lanes = other});
  warp.merge_index = std::min(warp.merge_index, other_to);
  warp.active = lanes;
  return &program.masked[to];
}

const Step* Guarded(Warp& warp, const Step* step) {
  const LaneMask taken = GuardedLanes(warp, step);
  const Step* target = step + static_cast<std::int64_t>(step->immediate);
  if (taken == warp.active) {
    return target;
  }
  if (taken == 0) {
    return step + 1;
  }
  ++warp.worker->divergent[step->instruction];
  const Program& program = *warp.launch->program;
  return Diverge(warp, IndexOf(program, target), taken, IndexOf(program, step + 1),
                 warp.active & ~taken);
}

const Step* BranchTable(Warp& warp, const Step* step) {
  const auto* indices = reinterpret_cast<const std::uint32_t*>(warp.registers + step->operand[0]);
  const std::uint32_t count = step->operands[0];
  LaneMask remaining = GuardedLanes(warp, step);
  const LaneMask passing = warp.active & ~remaining;
  const Program& program = *warp.launch->program;
  std::uint32_t targets = 0;
  if (passing != 0) {
    warp.groups.push_back({.at = &program.masked[IndexOf(program, step + 1)], .lanes = passing});
    ++targets;
  }
  while (remaining != 0) {
    const std::uint32_t index = indices[std::countr_zero(remaining)];
    LaneMask same = 0;
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      same |= static_cast<LaneMask>(indices[lane] == index) << lane;
    }
    same &= remaining;
    remaining &= ~same;
    if (index >= count) {
      return Fault(warp, cuda_error::kLaunchFailure, "a branch table was indexed past its end");
    }
    warp.groups.push_back({.at = &program.masked[step->operands[1 + index]], .lanes = same});
    ++targets;
  }
  warp.worker->divergent[step->instruction] += targets > 1 ? 1 : 0;
  // The scheduler picks among the groups; none is running any more.
  warp.active = 0;
  warp.stop = Stop::kReschedule;
  warp.resume = nullptr;
  return nullptr;
}

const Step* Exit(Warp& warp, const Step*) {
  if (!CompletePendingCopies(warp, warp.active)) {
    return nullptr;
  }
  warp.exited |= warp.active;
  warp.active = 0;
  warp.stop = Stop::kExit;
  return nullptr;
}

const Step* ExitGuarded(Warp& warp, const Step* step) {
  const LaneMask leaving = GuardedLanes(warp, step);
  if (leaving == warp.active) {
    return Exit(warp, step);
  }
  if (leaving == 0) {
    return step + 1;
  }
  if (!CompletePendingCopies(warp, leaving)) {
    return nullptr;
  }
  warp.exited |= leaving;
  warp.active &= ~leaving;
  const Program& program = *warp.launch->program;
  return &program.masked[IndexOf(program, step + 1)];
}

std::uint32_t FirstLaneOf(const Warp& warp, std::uint32_t offset, LaneMask lanes) {
  const auto* values = reinterpret_cast<const std::uint32_t*>(warp.registers + offset);
  return values[std::countr_zero(lanes)];
}

const Step* Barrier(Warp& warp, const Step* step) {
  const LaneMask lanes = GuardedLanes(warp, step);
  if (lanes == 0) {
    return step + 1;
  }
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
  const std::uint32_t id = FirstLaneOf(warp, step->operand[0], lanes);
  const bool counted = step->operand[1] != ~0U;
  const std::uint32_t count = counted ? FirstLaneOf(warp, step->operand[1], lanes) : 0;
  if (id >= kBarriers || (counted && (count == 0 || count % kWarpSize != 0))) {
    Report(warp, step, FindingKind::kInvalidBarrier, Severity::kError, lane, MemorySpace::kNone, 0,
           0,
           id >= kBarriers ? "barriers are 0 to 15"
                           : "a barrier's count of threads is a multiple of 32");
    return Fault(warp, cuda_error::kLaunchFailure, "invalid barrier");
  }
  if (static_cast<BarrierMode>(step->immediate) == BarrierMode::kArrive) {
    warp.block->arrived[id] += CountedThreads(warp, lanes);
    return step + 1;
  }
  if (lanes != warp.active) {
    const Program& program = *warp.launch->program;
    warp.groups.push_back(
        {.at = &program.masked[IndexOf(program, step + 1)], .lanes = warp.active & ~lanes});
    warp.active = lanes;
  }
  warp.stop = Stop::kBarrier;
  warp.resume = step;
  return nullptr;
}

const Step* Trap(Warp& warp, const Step* step) {
  const LaneMask lanes = GuardedLanes(warp, step);
  if (lanes == 0) {
    return step + 1;
  }
  Report(warp, step, FindingKind::kTrap, Severity::kError,
         static_cast<std::uint32_t>(std::countr_zero(lanes)));
  return Fault(warp, cuda_error::kLaunchFailure, "the kernel executed a trap");
}

const Step* Refuse(Warp& warp, const Step* step) {
  const LaneMask lanes = warp.active;
  const std::string& why = warp.launch->program->refusals[step->immediate];
  Report(warp, step, FindingKind::kUnsupported, Severity::kError,
         static_cast<std::uint32_t>(std::countr_zero(lanes)), MemorySpace::kNone, 0, 0, why);
  return Fault(warp, cuda_error::kNotSupported, why);
}

}  // namespace

Handlers HeadHandlers() { return {Head, Head}; }
Handlers BranchHandlers(BranchKind kind) {
  return kind == BranchKind::kAlways ? Handlers{Always, Always} : Handlers{Guarded, Guarded};
}
Handlers BranchTableHandlers() { return {BranchTable, BranchTable}; }
Handlers ExitHandlers(BranchKind kind) {
  return kind == BranchKind::kAlways ? Handlers{Exit, Exit} : Handlers{ExitGuarded, ExitGuarded};
}
Handlers BarrierHandlers() { return {Barrier, Barrier}; }
Handlers TrapHandlers() { return {Trap, Trap}; }
Handlers RefuseHandlers() { return {Refuse, Refuse}; }

}  // namespace assay::gpu
