// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_CORE_WARP_H_
#define ASSAY_EMULATOR_CORE_WARP_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/core/device_options.h"
#include "emulator/core/finding_log.h"
#include "emulator/core/step.h"
#include "emulator/report/counters.h"

namespace assay::gpu {

class GlobalMemory;    // memory/global_memory.h: the allocations, shared by all workers
class MemoryChecker;   // memory/memory_checker.h: a worker's shadow and checks
struct PendingCopies;  // ops/pending_copies.h: asynchronous copies not yet waited for
class DeviceHeap;      // exec/device_heap.h
class Footprint;       // memory/footprint.h
struct BlockShadow;    // memory/checker_state.h
struct Program;        // core/program.h
struct Block;
struct Worker;

/// Tags in the top byte of a generic address; global addresses have none.
inline constexpr unsigned kWindowShift = 56;
inline constexpr std::uint64_t kSharedWindow = std::uint64_t{1} << kWindowShift;
inline constexpr std::uint64_t kLocalWindow = std::uint64_t{2} << kWindowShift;
inline constexpr std::uint64_t kParamWindow = std::uint64_t{3} << kWindowShift;

/// What all blocks of a launch share. Constant while it runs, but for `memory`.
struct Launch {
  const Program* program = nullptr;
  const DeviceOptions* options = nullptr;
  GlobalMemory* memory = nullptr;
  DeviceHeap* heap = nullptr;  ///< Of malloc in device code; null when the program has none.
  std::array<std::uint32_t, 3> grid{};
  std::array<std::uint32_t, 3> block{};
  std::uint32_t threads_per_block = 0;
  std::uint32_t warps_per_block = 0;
  std::uint32_t shared_bytes = 0;  ///< Static and dynamic.
  std::uint32_t dynamic_shared_bytes = 0;
  std::uint64_t grid_workspace = 0;  ///< Of cooperative launches: 0 otherwise.
  std::uint32_t local_bytes = 0;     ///< A thread's.
  const std::byte* parameters = nullptr;
  std::uint32_t parameter_bytes = 0;
  std::uint64_t number = 0;        ///< Of the launch, from 0.
  Footprint* footprint = nullptr;  ///< Where what it touched is to be kept; null: nowhere.
};

/// Whether somebody asked that the launch end.
[[nodiscard]] inline bool WasStopped(const Launch& launch) {
  const StopRequest* const stop = launch.options->stop;
  return stop != nullptr && stop->signal.load(std::memory_order_relaxed) != 0;
}

inline constexpr std::uint32_t kBarriers = 16;

/// Why a handler returned nullptr.
enum class Stop : std::uint8_t {
  kNone,
  kExit,        ///< The active lanes ended.
  kReschedule,  ///< At a merge point, or a branch diverged: pick the next group of lanes.
  kBarrier,     ///< The active lanes wait at a barrier of the block (or grid).
  kLanes,       ///< The active lanes wait for others of the warp (`.sync`).
  kTurnOver,    ///< Its turn is over: others go first, then it goes on at Warp::resume.
  kYield,       ///< The same, and it asks that other lanes of its warp go first too.
  kFault,       ///< The launch is over: Worker::fault says why.
};

/// A group of lanes that are at one place.
struct LaneGroup {
  const Step* at = nullptr;  ///< In Program::masked.
  LaneMask lanes = 0;
  Stop waits = Stop::kNone;   ///< kBarrier, kLanes: not to be run before it is released.
  LaneMask wanted = 0;        ///< kLanes: the mask it waits for.
  std::uint32_t barrier = 0;  ///< kBarrier: its id.
};

/// 32 threads. Handlers read and write `registers`, `active`, `stop`, `resume`, `sync_epoch`,
/// `pending_copies`; the rest belongs to the scheduler.
struct Warp {
  std::byte* registers = nullptr;  ///< 64-byte aligned; layout in Step.
  LaneMask active = 0;             ///< Lanes of the group that runs now.
  Stop stop = Stop::kNone;
  const Step* resume = nullptr;  ///< kTurnOver, kYield, kBarrier, kLanes: where to go on.
  /// Where the next group to merge with waits, as an index of steps; block heads look at it.
  std::uint32_t merge_index = ~0U;
  std::uint32_t budget = 1;      ///< Basic blocks until others get a turn.
  LaneMask wanted = 0;           ///< kLanes: the lanes waited for.
  std::uint32_t blocks_run = 0;  ///< Basic blocks since lanes were last made to take turns.
  bool blocked = false;          ///< All its groups wait for other warps.
  bool given_up = false;         ///< The group picked next goes on without the lanes it waits for.
  LaneMask yielded = 0;          ///< Lanes that ran last and gave up their turn.
  std::uint32_t index = 0;       ///< In the block.
  std::uint32_t sync_epoch = 0;  ///< Counts bar.warp.sync and its like, for racecheck.
  LaneMask existing = 0;         ///< Threads of the block that this warp has.
  LaneMask exited = 0;
  LaneMask carry = 0;          ///< CC.CF of each lane, as carry_ops.cc has it.
  std::byte* local = nullptr;  ///< Launch::local_bytes per lane: 4-byte word w of lane l is at
                               ///< (w * 32 + l) * 4.
  const Launch* launch = nullptr;
  Block* block = nullptr;
  Worker* worker = nullptr;
  PendingCopies* pending_copies = nullptr;  ///< Made by the first; owned by ops.
  std::vector<LaneGroup> groups;            ///< Those that do not run now.
};

/// A block that is resident on a worker.
struct Block {
  std::uint32_t linear = 0;  ///< x + grid.x * (y + grid.y * z)
  std::array<std::uint32_t, 3> index{};
  std::uint64_t position = 0;       ///< In schedule order.
  std::byte* shared = nullptr;      ///< Launch::shared_bytes; 128-byte aligned.
  std::uint32_t barrier_epoch = 0;  ///< Counts released barriers, for racecheck.
  std::vector<Warp> warps;
  BlockShadow* shared_shadow = nullptr;            ///< MemoryChecker's.
  std::array<std::uint32_t, kBarriers> arrived{};  ///< Threads that came by bar.arrive.
  /// Instructions of barriers at which threads of it met, and how many had exited before.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> met;
};

/// How a launch ended early.
struct LaunchFault {
  int error = 0;  ///< cudaError_t's number; 0: none.
  std::string detail;
};

/// How often a basic block was entered, by warps and by threads.
struct BlockCount {
  std::uint64_t warps = 0;
  std::uint64_t threads = 0;
};

enum class PrintStream : std::uint8_t { kOut, kErr };

/// What a block printed.
struct Printed {
  std::uint64_t position = 0;  ///< Block::position.
  PrintStream stream = PrintStream::kOut;
  std::string text;
};

/// One core's state during a launch. No two workers share any of it.
struct Worker {
  MemoryChecker* checker = nullptr;      ///< Null: checks are off.
  std::vector<AccessCounters> accesses;  ///< By Step::instruction.
  std::vector<BlockCount> blocks;        ///< By basic block of the program.
  std::vector<std::uint64_t> divergent;  ///< Divergent executions, by Step::instruction.
  FindingLog findings;
  std::vector<Printed> printed;
  std::size_t printed_bytes = 0;
  LaunchFault fault;
  std::uint64_t fault_position = 0;     ///< Block::position of the fault.
  std::uint64_t random_state = 1;       ///< xorshift64; never 0.
  std::uint64_t clock = 0;              ///< %clock64 and %globaltimer; the scheduler advances it.
  std::vector<std::uint64_t> l2_trace;  ///< MemoryChecker's.
};

/// Ends the launch: sets Worker::fault (the first stays) and Warp::stop, returns nullptr.
const Step* Fault(Warp& warp, int error, std::string detail);

/// Reports what `lane` of `warp` did at `step` (see FindingLog; space and address optional).
void Report(Warp& warp, const Step* step, FindingKind kind, Severity severity, std::uint32_t lane,
            MemorySpace space = MemorySpace::kNone, std::uint64_t address = 0,
            std::uint32_t size_bytes = 0, std::string note = {});

/// Parks the active lanes until all of `wanted` that have not exited are at `step` too; for the
/// handler to return. The handler runs again, with more lanes active, when they are; it must have
/// changed nothing. When they can never come, the scheduler reports it (kInvalidMask) and runs
/// the handler with what is there: LanesComplete is true then.
const Step* WaitForLanes(Warp& warp, const Step* step, LaneMask wanted);

/// Whether `wanted` is all active, exited, or has been given up.
[[nodiscard]] inline bool LanesComplete(const Warp& warp, LaneMask wanted) {
  return (wanted & ~warp.active & ~warp.exited & warp.existing) == 0 || warp.stop == Stop::kLanes;
}

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_CORE_WARP_H_
