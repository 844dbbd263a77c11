// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_MEMORY_MEMORY_CHECKER_H_
#define ASSAY_EMULATOR_MEMORY_MEMORY_CHECKER_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "emulator/core/finding_log.h"
#include "emulator/core/warp.h"
#include "emulator/memory/block_order.h"
#include "emulator/memory/checker_state.h"
#include "emulator/report/counters.h"

namespace assay::gpu {

/// A worker's half of memcheck, initcheck and racecheck, and of the counters that need a shadow
/// (compulsory traffic, L2). One per worker, kept from launch to launch: its shadow (half a byte a
/// device byte that a launch touches) is cleared when a launch ends, not given back.
///
/// Calls, in order: BeginLaunch, then for each block BeginBlock, its steps, EndBlock (several
/// blocks may be open at once); then FinishLaunch once for all workers, on any one thread.
class MemoryChecker {
 public:
  /// Covers `memory`, which must outlive it. Null: no address space for the shadow.
  [[nodiscard]] static std::unique_ptr<MemoryChecker> Create(GlobalMemory& memory);
  ~MemoryChecker();
  MemoryChecker(const MemoryChecker&) = delete;
  MemoryChecker& operator=(const MemoryChecker&) = delete;

  void BeginLaunch(const Launch& launch, Worker& worker, BlockOrder order);
  /// Sets Block::shared_shadow, poisons Block::shared and each Warp::local (both must be set).
  void BeginBlock(Block& block);
  void EndBlock(Block& block);

  /// Merges the workers: races between blocks of different workers into `findings`, compulsory
  /// and L2 traffic into `counters`. The result does not depend on how blocks were spread.
  static void FinishLaunch(std::span<MemoryChecker* const> workers, const Launch& launch,
                           FindingLog& findings, LaunchCounters& counters);

  /// What the handlers of ops/ look at.
  CheckerState state;

 private:
  struct Private;
  explicit MemoryChecker(std::unique_ptr<Private> own);
  std::unique_ptr<Private> own_;
};

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_MEMORY_MEMORY_CHECKER_H_
