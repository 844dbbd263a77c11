// SPDX-License-Identifier: Apache-2.0
#include "emulator/ops/pending_copies.h"

#include <algorithm>

#include "emulator/ops/mbarrier.h"

namespace assay::gpu {

PendingCopies& PendingCopiesOf(Warp& warp) {
  if (warp.pending_copies == nullptr) {
    warp.pending_copies = new PendingCopies;
  }
  return *warp.pending_copies;
}

bool CompletePendingCopies(Warp& warp, LaneMask lanes) {
  return warp.pending_copies == nullptr ||
         (CompleteAsyncCopies(warp, lanes) && CompleteBulkCopies(warp, lanes));
}

bool CompletePendingCopiesAt(Block& block, std::uint64_t address) {
  const std::uint64_t mbarrier = SharedOffset(address);
  return std::ranges::all_of(block.warps, [&](Warp& warp) {
    return warp.pending_copies == nullptr ||
           (CompleteAsyncCopiesAt(warp, mbarrier) && CompleteBulkCopiesAt(warp, mbarrier));
  });
}

void DestroyPendingCopies(Warp& warp) {
  delete warp.pending_copies;
  warp.pending_copies = nullptr;
}

}  // namespace assay::gpu
