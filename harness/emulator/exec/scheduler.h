// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_EXEC_SCHEDULER_H_
#define ASSAY_EMULATOR_EXEC_SCHEDULER_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/core/warp.h"
#include "emulator/exec/block_storage.h"
#include "emulator/exec/start_order.h"

namespace assay::gpu {

/// What workers of one launch share.
struct SharedProgress {
  std::atomic<std::uint64_t> next_position{0};
  /// Blocks at later positions are not started: a block before them ended the launch.
  std::atomic<std::uint64_t> last_position{~std::uint64_t{0}};
  /// Of the blocks that have ended: the limit is the launch's, however blocks are shared out.
  std::atomic<std::uint64_t> warp_instructions{0};
};

enum class Residency : std::uint8_t {
  kAsNeeded,  ///< One block at a time; more when those that run wait for others.
  kAll,       ///< All blocks of the grid at once: cooperative launches.
};

/// Runs blocks of a launch on one core. A warp runs until it waits, exits or has had its turn;
/// within it, the group of lanes with the lowest place in the program goes first, and groups
/// that meet become one. A block whose warps only take turns may be waiting for another block: more
/// blocks are then made resident, as many as the GPU would hold.
class Scheduler {
 public:
  Scheduler(const Launch& launch, const StartOrder& order, Worker& worker, SharedProgress& progress,
            Residency residency);

  /// Returns when all blocks have run, or Worker::fault says why not.
  void Run();

 private:
  enum class Outcome : std::uint8_t { kFinished, kTurnOver, kFault };

  bool AdmitNext();
  [[nodiscard]] std::uint32_t Patience() const;
  void AdmitMore(bool progressed);
  Outcome RunBlock(Block& block);
  bool RunWarps(Block& block);
  void RunWarp(Warp& warp);
  std::uint32_t TurnLength();
  void OrderWarps(const Block& block);
  void CountInstructions();
  bool PastLimit() const;
  bool MustStop() const;
  void FaultOnStop(Warp& warp, const Step* at);
  void StopOthers();

  const Launch& launch_;
  const StartOrder& order_;
  Worker& worker_;
  SharedProgress& progress_;
  Residency residency_;
  std::uint64_t most_resident_;
  BlockStorage storage_;
  std::vector<std::unique_ptr<ResidentBlock>> resident_;
  std::vector<std::uint32_t> warp_order_;
  std::uint64_t admit_at_once_ = 1;
  std::uint32_t turns_without_progress_ = 0;
  std::uint64_t counted_clock_ = 0;  ///< What of the worker's clock is in `progress_`.
  bool all_admitted_ = false;
  bool backwards_ = false;
};

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_EXEC_SCHEDULER_H_
