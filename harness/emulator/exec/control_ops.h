// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_EXEC_CONTROL_OPS_H_
#define ASSAY_EMULATOR_EXEC_CONTROL_OPS_H_

#include "emulator/core/step.h"
#include "emulator/core/warp.h"

namespace assay::gpu {

// What decides where a warp goes on. Operands, by Step field:

/// The first step of each basic block: counts the block, stops where another group of lanes has
/// to be merged with, and when the warp's turn is over. operand[0]: the basic block, [1]: the
/// index of this step, [2]: how many instructions the block has.
[[nodiscard]] Handlers HeadHandlers();

enum class BranchKind : std::uint8_t { kAlways, kGuarded };
/// immediate: how many steps to go (signed, modulo 2^64).
[[nodiscard]] Handlers BranchHandlers(BranchKind kind);
/// operand[0]: the 32-bit index register; operands: the number of targets, then each as the index
/// of a step.
[[nodiscard]] Handlers BranchTableHandlers();
[[nodiscard]] Handlers ExitHandlers(BranchKind kind);

enum class BarrierMode : std::uint8_t { kSync, kArrive, kCount, kAll, kAny };
/// bar.sync, bar.arrive, bar.red; `immediate` is the BarrierMode. operand[0]: the barrier's id,
/// [1]: the count of threads, both 32-bit lanes; of bar.red [2]: the result, [3]: the predicate,
/// [4]: 1 to negate it. ~0: not there.
[[nodiscard]] Handlers BarrierHandlers();

/// Ends the launch with cudaErrorLaunchFailure.
[[nodiscard]] Handlers TrapHandlers();

/// Ends the launch: `immediate` indexes Program::refusals.
[[nodiscard]] Handlers RefuseHandlers();

/// vprintf, __assertfail, malloc, free: `operands` are local offsets, result first.
[[nodiscard]] Handlers PrintfHandlers();
[[nodiscard]] Handlers AssertHandlers();
[[nodiscard]] Handlers MallocHandlers();
[[nodiscard]] Handlers FreeHandlers();

/// The active lanes for which the guard of `step` holds.
[[nodiscard]] inline LaneMask GuardedLanes(const Warp& warp, const Step* step) {
  const auto* guard = reinterpret_cast<const LaneMask*>(warp.registers + step->guard);
  return warp.active & (*guard ^ step->guard_flip);
}

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_EXEC_CONTROL_OPS_H_
