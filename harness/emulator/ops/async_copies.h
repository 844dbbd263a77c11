// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_OPS_ASYNC_COPIES_H_
#define ASSAY_EMULATOR_OPS_ASYNC_COPIES_H_

#include <array>
#include <cstdint>

#include "emulator/core/warp.h"

namespace assay::gpu {

/// One cp.async of a warp, as it was issued. Lane l copies from_bytes[l] bytes from global address
/// from[l] to shared offset to[l], and zeros behind them up to `size_bytes` (4, 8 or 16).
struct AsyncCopy {
  const Step* step = nullptr;  ///< Whom findings name.
  LaneMask lanes = 0;
  std::uint32_t size_bytes = 0;
  std::array<std::uint8_t, kWarpSize> from_bytes{};
  alignas(64) std::array<std::uint64_t, kWarpSize> to{};
  alignas(64) std::array<std::uint64_t, kWarpSize> from{};
};

// cp.async copies as late as is legal: at the wait that covers it, when the thread exits, or when
// somebody waits at an mbarrier that tracks it. Until then shared memory holds what it held, so
// that a program that forgets to wait reads that. A warp with very many copies under way performs
// the oldest of them (also legal), so that no program can exhaust us.
//
// The functions that perform copies return false when the launch is over (Worker::fault is set).

/// Takes note of `copy`, in the open group of each of its lanes.
[[nodiscard]] bool IssueAsyncCopy(Warp& warp, const AsyncCopy& copy);
/// cp.async.commit_group: closes the open groups of `lanes`.
void CommitAsyncCopies(Warp& warp, LaneMask lanes);
/// cp.async.wait_group: performs all but the `groups_left` youngest groups of `lanes`.
[[nodiscard]] bool WaitForAsyncCopies(Warp& warp, LaneMask lanes, std::uint32_t groups_left);
/// cp.async.wait_all, and the end of threads: performs all copies of `lanes`, committed or not, and
/// the arrivals that wait for them. For the scheduler to call when lanes exit.
[[nodiscard]] bool CompleteAsyncCopies(Warp& warp, LaneMask lanes);
/// cp.async.mbarrier.arrive: arrives for each of `lanes` at its mbarrier (by shared address), once
/// its copies so far are done.
[[nodiscard]] bool ArriveAfterAsyncCopies(Warp& warp, LaneMask lanes,
                                          const std::uint64_t* mbarriers);
/// For those who wait at the mbarrier at shared address `address`: performs the copies of the
/// whole block that it tracks, then their arrivals.
[[nodiscard]] bool CompleteAsyncCopiesAt(Block& block, std::uint64_t address);
/// Forgets what is pending and all groups: a new block begins in `warp`.
void ResetAsyncCopies(Warp& warp);
/// Before a Warp is destroyed.
void DestroyAsyncCopies(Warp& warp);

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_OPS_ASYNC_COPIES_H_
