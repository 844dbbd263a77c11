// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_OPS_BULK_COPIES_H_
#define ASSAY_EMULATOR_OPS_BULK_COPIES_H_

#include <cstdint>
#include <vector>

#include "emulator/core/warp.h"
#include "emulator/ops/copy_groups.h"

namespace assay::gpu {

/// One cp.async.bulk of one thread, as it was issued: `size_bytes`, a multiple of 16, between
/// shared offset `shared` and global address `global`.
struct BulkCopy {
  enum class To : std::uint8_t { kShared, kGlobal };

  const Step* step = nullptr;  ///< Whom findings name.
  std::uint32_t lane = 0;
  To to = To::kShared;
  std::uint32_t size_bytes = 0;
  std::uint64_t shared = 0;
  std::uint64_t global = 0;
  std::uint64_t mbarrier = 0;  ///< To shared memory: its shared address.
};

/// Those of a warp that nobody has waited for (pending_copies.h says what that means): to shared
/// memory at an mbarrier, which waits for that many bytes less when they have come; from there for
/// their group. A wait for what has been read alone (.read) waits for what is written too, which is
/// more than it says. That accesses of the two proxies need a fence between them is not looked at.
struct BulkCopies {
  struct Issued {
    BulkCopy copy;
    std::uint32_t group = 0;  ///< Of its lane, as CopyGroups counts them.
  };

  std::vector<Issued> copies;  ///< Oldest first.
  CopyGroups groups;
};

/// Takes note of `copy`; to device memory: in the open group of its lane.
[[nodiscard]] bool IssueBulkCopy(Warp& warp, const BulkCopy& copy);
/// cp.async.bulk.commit_group: closes the open groups of `lanes`.
void CommitBulkCopies(Warp& warp, LaneMask lanes);
/// cp.async.bulk.wait_group: performs all but the `groups_left` youngest groups of `lanes`.
[[nodiscard]] bool WaitForBulkCopies(Warp& warp, LaneMask lanes, std::uint32_t groups_left);
/// For those who wait at the mbarrier at shared offset `mbarrier`: performs the copies of `warp`
/// that it tracks.
[[nodiscard]] bool CompleteBulkCopiesAt(Warp& warp, std::uint64_t mbarrier);
/// When `lanes` exit: performs what they have under way.
[[nodiscard]] bool CompleteBulkCopies(Warp& warp, LaneMask lanes);

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_OPS_BULK_COPIES_H_
