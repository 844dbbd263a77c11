// SPDX-License-Identifier: Apache-2.0
// Theory. CUDA leaves open in which order blocks, warps and lanes that have diverged run; it
// promises that each lane goes on in the end, even while it waits for another one of its warp
// (independent thread scheduling), and that of the blocks only those do that are resident. Any
// order that keeps this gives results that a GPU may give. This scheduler takes one that is the
// same in every run.
//
// Lanes. The lanes at one place of a warp are one group, and the group lowest in the program runs
// (lane_groups.cc). Compilers place the code where the sides of a branch meet behind both, so that
// the side which is through waits there for the other, and they go on as one group: the convergence
// that hardware finds, without computing where it is. Where code lies otherwise, only the number
// of instructions of the warp is larger.
//
// Progress. A warp's turn ends after some number of basic blocks, and lanes that yield or have run
// for a whole turn let the others of their warp go first. So whoever can go on does in the end. A
// block in which nobody can is released from its barriers; where that releases none, lanes
// that wait in vain for others of their warp are let go on, with a finding, or it is a deadlock.
// Blocks run one by one, as long as they end. Those that only take turns may wait for another
// block: then more become resident, twice as many each time, up to what the GPU holds. Memory of
// many blocks does not fit caches, and a launch takes several times as long: so blocks whose order
// cannot show have as much time in short turns as in long ones. What never ends meets the limit of
// instructions.
#include "emulator/exec/scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>
#include <utility>

#include "emulator/core/program.h"
#include "emulator/exec/barriers.h"
#include "emulator/exec/control_ops.h"
#include "emulator/exec/lane_groups.h"
#include "emulator/memory/memory_checker.h"
#include "emulator/report/cuda_error.h"

namespace assay::gpu {
namespace {

// Turns instead of kTurn: while blocks wait for each other, and the longest of Schedule::kRandom.
constexpr std::uint32_t kShortTurn = 1U << 11;
constexpr std::uint32_t kRandomTurn = 24;
constexpr std::uint64_t kMostResidentBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kRandomResident = 4;
constexpr std::uint32_t kPatience = 8;     // Turns of a block that only computes for long.
constexpr std::uint64_t kBlockCost = 128;  // Warp-instructions that starting a block counts for.

std::uint64_t NextRandom(std::uint64_t& state) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

}  // namespace

Scheduler::Scheduler(const Launch& launch, const StartOrder& order, Worker& worker,
                     SharedProgress& progress, Residency residency)
    : launch_(launch),
      order_(order),
      worker_(worker),
      progress_(progress),
      residency_(residency),
      most_resident_(std::clamp<std::uint64_t>(
          kMostResidentBytes / BlockStorage::BytesPerBlock(launch), 1, order.window())),
      storage_(launch, worker) {
  if (residency_ == Residency::kAll) {
    most_resident_ = order.size();
    admit_at_once_ = order.size();
  } else if (launch.options->schedule == Schedule::kRandom) {
    admit_at_once_ = kRandomResident;
  }
}

bool Scheduler::AdmitNext() {
  const std::uint64_t position = progress_.next_position.fetch_add(1, std::memory_order_relaxed);
  if (position >= order_.size() ||
      position > progress_.last_position.load(std::memory_order_relaxed)) {
    all_admitted_ = true;
    return false;
  }
  const std::uint64_t linear = order_.BlockAt(position);
  worker_.clock += kBlockCost;
  resident_.push_back(storage_.Take(position, linear));
  resident_.back()->random_state =
      MixSeed(launch_.options->seed ^ MixSeed(launch_.number ^ MixSeed(linear))) | 1;
  if (worker_.checker != nullptr) {
    worker_.checker->BeginBlock(resident_.back()->block);
  }
  return true;
}

// Turns of resident blocks in which none of them ends, before more become resident.
std::uint32_t Scheduler::Patience() const {
  constexpr std::uint32_t kShortTurns = kTurn / kRandomTurn;  // As long as a turn elsewhere.
  const bool in_short_turns =
      launch_.options->schedule == Schedule::kRandom && !launch_.program->order_sensitive;
  return in_short_turns ? kPatience * kShortTurns : kPatience;
}

void Scheduler::AdmitMore(bool progressed) {
  // Blocks that get nowhere may be waiting for others: twice as many each time finds them soon.
  turns_without_progress_ = progressed ? 0 : turns_without_progress_ + 1;
  if (turns_without_progress_ >= Patience() && !resident_.empty()) {
    admit_at_once_ = std::max<std::uint64_t>(admit_at_once_, resident_.size() * 2);
  }
  const std::uint64_t wanted = std::min(admit_at_once_, most_resident_);
  while (!all_admitted_ && resident_.size() < std::max<std::uint64_t>(wanted, 1)) {
    AdmitNext();
  }
}

void Scheduler::Run() {
  bool progressed = true;
  while (true) {
    AdmitMore(progressed);
    if (resident_.empty()) {
      return;
    }
    progressed = false;
    // Chains of blocks that wait for their neighbours resolve in one of the two directions.
    backwards_ = !backwards_;
    const std::size_t count = resident_.size();
    for (std::size_t i = 0; i < count; ++i) {
      auto& resident = resident_[backwards_ ? count - 1 - i : i];
      worker_.random_state = resident->random_state;
      const Outcome outcome = RunBlock(resident->block);
      resident->random_state = worker_.random_state;
      if (outcome == Outcome::kFault) {
        StopOthers();
        return;
      }
      if (outcome == Outcome::kFinished) {
        CountInstructions();
        if (MustStop()) {
          FaultOnStop(resident->block.warps.front(), launch_.program->masked.data());
          StopOthers();
          return;
        }
        progressed = true;
        if (worker_.checker != nullptr) {
          worker_.checker->EndBlock(resident->block);
        }
        storage_.GiveBack(std::move(resident));
      }
    }
    std::erase(resident_, nullptr);
  }
}

Scheduler::Outcome Scheduler::RunBlock(Block& block) {
  while (true) {
    const bool yielded = RunWarps(block);
    if (worker_.fault.error != 0) {
      return Outcome::kFault;
    }
    const bool finished = std::ranges::all_of(
        block.warps, [](const Warp& warp) { return warp.exited == warp.existing; });
    if (finished) {
      return Outcome::kFinished;
    }
    // Also where they only meet at barriers, for ever.
    if (MustStop()) {
      Warp& warp = *std::ranges::find_if(
          block.warps, [](const Warp& each) { return each.exited != each.existing; });
      FaultOnStop(warp, warp.groups.front().at);
      return Outcome::kFault;
    }
    if (ReleaseBarriers(block)) {
      continue;
    }
    if (yielded) {
      return Outcome::kTurnOver;
    }
    if (!GiveUpLanes(block)) {
      ReportDeadlock(block);
      return Outcome::kFault;
    }
  }
}

void Scheduler::OrderWarps(const Block& block) {
  warp_order_.resize(block.warps.size());
  std::iota(warp_order_.begin(), warp_order_.end(), 0U);
  switch (launch_.options->schedule) {
    case Schedule::kAscending:
      break;
    case Schedule::kReversed:
      std::ranges::reverse(warp_order_);
      break;
    case Schedule::kRandom:
      for (std::size_t i = warp_order_.size(); i > 1; --i) {
        std::swap(warp_order_[i - 1], warp_order_[NextRandom(worker_.random_state) % i]);
      }
      break;
  }
}

// Runs every warp that can for one turn. True: some of them could go on.
bool Scheduler::RunWarps(Block& block) {
  OrderWarps(block);
  bool yielded = false;
  for (const std::uint32_t index : warp_order_) {
    Warp& warp = block.warps[index];
    if (warp.exited == warp.existing || warp.blocked) {
      continue;
    }
    RunWarp(warp);
    if (worker_.fault.error != 0) {
      return false;
    }
    yielded = yielded || (warp.exited != warp.existing && !warp.blocked);
  }
  return yielded;
}

std::uint32_t Scheduler::TurnLength() {
  if (launch_.options->schedule == Schedule::kRandom) {
    return 1 + static_cast<std::uint32_t>(NextRandom(worker_.random_state) % kRandomTurn);
  }
  // Elsewhere turns do not depend on what runs beside: the order of a block's warps is its own.
  const bool may_wait = residency_ == Residency::kAll || launch_.program->order_sensitive;
  return may_wait && resident_.size() > 1 ? kShortTurn : kTurn;
}

// Runs `warp` until it waits for other warps, exits, or has had its turn.
void Scheduler::RunWarp(Warp& warp) {
  const Program& program = *launch_.program;
  warp.budget = TurnLength();
  warp.blocks_run += warp.budget;
  LaneGroup group;
  while (PickGroup(warp, group)) {
    warp.active = group.lanes;
    warp.stop = warp.given_up ? Stop::kLanes : Stop::kNone;
    warp.given_up = false;
    const Step* step =
        warp.active == kAllLanes ? &program.full[IndexOf(program, group.at)] : group.at;
    while (step != nullptr) {
      step = step->run(warp, step);
    }
    ParkActiveLanes(warp);
    if (warp.stop == Stop::kFault || warp.stop == Stop::kTurnOver || warp.stop == Stop::kYield) {
      return;
    }
  }
  warp.blocked = warp.exited != warp.existing;
}

// Blocks that start later than the one that ended the launch need not run.
void Scheduler::StopOthers() {
  const std::uint64_t position = worker_.fault_position;
  std::uint64_t last = progress_.last_position.load(std::memory_order_relaxed);
  while (position < last && !progress_.last_position.compare_exchange_weak(last, position)) {
  }
}

void Scheduler::CountInstructions() {
  progress_.warp_instructions.fetch_add(worker_.clock - counted_clock_, std::memory_order_relaxed);
  counted_clock_ = worker_.clock;
}

bool Scheduler::PastLimit() const {
  const std::uint64_t ended = progress_.warp_instructions.load(std::memory_order_relaxed);
  const std::uint64_t warp_instructions = ended + worker_.clock - counted_clock_;
  return warp_instructions * kWarpSize > launch_.options->instruction_limit;
}

bool Scheduler::MustStop() const { return PastLimit() || WasStopped(launch_); }

void Scheduler::FaultOnStop(Warp& warp, const Step* at) {
  // The head of a basic block has no instruction of its own; the step behind it has.
  const Step* step = at->instruction == kNoInstruction ? at + 1 : at;
  const LaneMask lanes = warp.groups.empty() ? warp.existing : warp.groups.front().lanes;
  const std::string why =
      WasStopped(launch_)
          ? "the kernel was still running when the program was asked to stop"
          : fmt::format("the kernel did not end within the limit of instructions ({} of threads)",
                        launch_.options->instruction_limit);
  Report(warp, step, FindingKind::kWatchdog, Severity::kError,
         static_cast<std::uint32_t>(std::countr_zero(lanes)), MemorySpace::kNone, 0, 0, why);
  Fault(warp, cuda_error::kLaunchTimeout, why);
}

}  // namespace assay::gpu
