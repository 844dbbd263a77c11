// SPDX-License-Identifier: Apache-2.0
#include "emulator/exec/lane_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "emulator/core/program.h"
#include "emulator/exec/control_ops.h"

namespace assay::gpu {
namespace {

const Step* InMasked(const Program& program, const Step* step) {
  return &program.masked[IndexOf(program, step)];
}

bool IsWarpBarrier(const Program& program, const LaneGroup& group) {
  return group.waits == Stop::kLanes &&
         program.instructions[group.at->instruction].opcode == ptx::Opcode::kBarWarp;
}

// Groups at one place, in one state, are one group.
void AddGroup(Warp& warp, const LaneGroup& added) {
  for (LaneGroup& group : warp.groups) {
    if (group.at == added.at && group.waits == added.waits) {
      group.lanes |= added.lanes;
      group.wanted |= added.wanted;
      return;
    }
  }
  warp.groups.push_back(added);
}

// Releases the groups whose lanes have come. bar.warp.sync is one barrier wherever in the program
// it is.
void ReleaseLanes(Warp& warp) {
  const Program& program = *warp.launch->program;
  LaneMask at_warp_barrier = 0;
  for (const LaneGroup& group : warp.groups) {
    at_warp_barrier |= IsWarpBarrier(program, group) ? group.lanes : 0;
  }
  for (LaneGroup& group : warp.groups) {
    if (group.waits != Stop::kLanes) {
      continue;
    }
    const LaneMask missing = group.wanted & ~group.lanes & ~warp.exited & warp.existing;
    if (missing == 0) {
      group.waits = Stop::kNone;
    } else if (IsWarpBarrier(program, group) && (missing & ~at_warp_barrier) == 0) {
      group.waits = Stop::kNone;
      ++group.at;
      ++warp.sync_epoch;
    }
  }
}

// Of the groups that can go on; null: all wait.
const LaneGroup* LowestGroup(const Warp& warp) {
  const LaneGroup* best = nullptr;
  for (const LaneMask excluded : {warp.yielded, LaneMask{0}}) {
    for (const LaneGroup& group : warp.groups) {
      const bool eligible = group.waits == Stop::kNone && (group.lanes & excluded) == 0;
      if (eligible && (best == nullptr || group.at < best->at)) {
        best = &group;
      }
    }
    if (best != nullptr) {
      break;
    }
  }
  return best;
}

}  // namespace

bool PickGroup(Warp& warp, LaneGroup& chosen) {
  ReleaseLanes(warp);
  const LaneGroup* best = LowestGroup(warp);
  if (best == nullptr) {
    return false;
  }
  chosen = *best;
  chosen.lanes = 0;
  warp.merge_index = ~0U;
  const Program& program = *warp.launch->program;
  std::erase_if(warp.groups, [&](const LaneGroup& group) {
    if (group.waits != Stop::kNone) {
      return false;
    }
    if (group.at == chosen.at) {
      chosen.lanes |= group.lanes;
      return true;
    }
    if (group.at > chosen.at) {
      warp.merge_index = std::min(warp.merge_index, IndexOf(program, group.at));
    }
    return false;
  });
  warp.yielded = 0;
  return true;
}

void ParkActiveLanes(Warp& warp) {
  const Program& program = *warp.launch->program;
  switch (warp.stop) {
    case Stop::kNone:
    case Stop::kExit:
    case Stop::kFault:
      break;
    case Stop::kReschedule:
      if (warp.resume != nullptr) {
        AddGroup(warp, {.at = InMasked(program, warp.resume), .lanes = warp.active});
      }
      break;
    case Stop::kTurnOver:
    case Stop::kYield:
      AddGroup(warp, {.at = InMasked(program, warp.resume), .lanes = warp.active});
      // Lanes that ask for it, or run for very long, let the others of their warp go on first;
      // the end of a turn alone must not change which lanes meet where.
      if (warp.stop == Stop::kYield || warp.blocks_run >= kTurn) {
        warp.yielded = warp.active;
        warp.blocks_run = 0;
      }
      break;
    case Stop::kBarrier: {
      const auto* ids =
          reinterpret_cast<const std::uint32_t*>(warp.registers + warp.resume->operand[0]);
      AddGroup(warp, {.at = InMasked(program, warp.resume),
                      .lanes = warp.active,
                      .waits = Stop::kBarrier,
                      .barrier = ids[std::countr_zero(warp.active)]});
      break;
    }
    case Stop::kLanes:
      AddGroup(warp, {.at = InMasked(program, warp.resume),
                      .lanes = warp.active,
                      .waits = Stop::kLanes,
                      .wanted = warp.wanted});
      break;
  }
}

bool GiveUpLanes(Block& block) {
  for (Warp& warp : block.warps) {
    for (LaneGroup& group : warp.groups) {
      if (group.waits != Stop::kLanes) {
        continue;
      }
      const LaneMask missing = group.wanted & ~group.lanes & ~warp.exited & warp.existing;
      Report(warp, group.at, FindingKind::kInvalidMask, Severity::kError,
             static_cast<std::uint32_t>(std::countr_zero(group.lanes)), MemorySpace::kNone, 0, 0,
             fmt::format("lanes {:#010x} of the mask {:#010x} never come", missing, group.wanted));
      group.waits = Stop::kNone;
      // Nothing else of the warp can run, so this group is the one that is picked.
      warp.given_up = true;
      warp.blocked = false;
      return true;
    }
  }
  return false;
}

}  // namespace assay::gpu
