// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_OPS_PENDING_COPIES_H_
#define ASSAY_EMULATOR_OPS_PENDING_COPIES_H_

#include <cstdint>

#include "emulator/core/warp.h"
#include "emulator/ops/async_copies.h"
#include "emulator/ops/bulk_copies.h"

namespace assay::gpu {

/// What a warp has issued of cp.async and of cp.async.bulk, and nobody has waited for.
///
/// Both copy as late as is legal: at the wait that covers a copy, when somebody waits at an
/// mbarrier that tracks it, or when its thread exits. Until then its destination holds what it
/// held, so that a program that forgets to wait reads that. A warp with very many copies under way
/// performs the oldest of them (also legal), so that no program can exhaust us.
///
/// The functions that perform copies, here and of each kind, return false when the launch is over
/// (Worker::fault is set).
struct PendingCopies {
  AsyncCopies async;
  BulkCopies bulk;
};

/// Those of `warp`; none yet: an empty one is made, which the warp owns until it is destroyed.
[[nodiscard]] PendingCopies& PendingCopiesOf(Warp& warp);
/// When `lanes` exit: performs all copies of theirs, and the arrivals that wait for them.
[[nodiscard]] bool CompletePendingCopies(Warp& warp, LaneMask lanes);
/// For those who wait at the mbarrier at shared address `address`: performs the copies of the whole
/// block that it tracks, and their arrivals.
[[nodiscard]] bool CompletePendingCopiesAt(Block& block, std::uint64_t address);
/// Forgets them: before a Warp is destroyed, and when a new block begins in it.
void DestroyPendingCopies(Warp& warp);

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_OPS_PENDING_COPIES_H_
