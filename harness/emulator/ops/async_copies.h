// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_OPS_ASYNC_COPIES_H_
#define ASSAY_EMULATOR_OPS_ASYNC_COPIES_H_

#include <array>
#include <cstdint>
#include <vector>

#include "emulator/core/warp.h"
#include "emulator/ops/copy_groups.h"

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

/// Those of a warp that nobody has waited for (pending_copies.h says what that means).
struct AsyncCopies {
  struct Issued {
    AsyncCopy copy;
    std::array<std::uint32_t, kWarpSize> group{};  ///< Of each lane, as CopyGroups counts them.
  };
  struct Arrival {
    std::uint32_t lane = 0;
    std::uint64_t mbarrier = 0;       ///< Its shared offset.
    std::uint64_t copies_before = 0;  ///< Serial of the first copy that it does not wait for.
  };

  std::vector<Issued> copies;      ///< Oldest first; lanes that are done are taken out.
  std::uint64_t first_serial = 0;  ///< Of copies.front().
  std::vector<Arrival> arrivals;
  CopyGroups groups;
};

/// Takes note of `copy`, in the open group of each of its lanes.
[[nodiscard]] bool IssueAsyncCopy(Warp& warp, const AsyncCopy& copy);
/// cp.async.commit_group: closes the open groups of `lanes`.
void CommitAsyncCopies(Warp& warp, LaneMask lanes);
/// cp.async.wait_group: performs all but the `groups_left` youngest groups of `lanes`.
[[nodiscard]] bool WaitForAsyncCopies(Warp& warp, LaneMask lanes, std::uint32_t groups_left);
/// cp.async.wait_all, and the end of threads: performs all copies of `lanes`, committed or not, and
/// the arrivals that wait for them.
[[nodiscard]] bool CompleteAsyncCopies(Warp& warp, LaneMask lanes);
/// cp.async.mbarrier.arrive: arrives for each of `lanes` at its mbarrier (by shared address), once
/// its copies so far are done.
[[nodiscard]] bool ArriveAfterAsyncCopies(Warp& warp, LaneMask lanes,
                                          const std::uint64_t* mbarriers);
/// For those who wait at the mbarrier at shared offset `mbarrier`: performs the copies of `warp`
/// that it tracks, then their arrivals.
[[nodiscard]] bool CompleteAsyncCopiesAt(Warp& warp, std::uint64_t mbarrier);

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_OPS_ASYNC_COPIES_H_
