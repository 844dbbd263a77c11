// SPDX-License-Identifier: Apache-2.0
#include "emulator/ops/bulk_copies.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "emulator/memory/global_memory.h"
#include "emulator/memory/lane_access.h"
#include "emulator/ops/mbarrier.h"
#include "emulator/ops/pending_copies.h"

namespace assay::gpu {

namespace {

constexpr std::size_t kMostCopies = 512;
constexpr std::uint32_t kPieceBytes = 16;

// Whether all of it may be copied.
bool IsRight(const Warp& warp, const BulkCopy& copy) {
  const std::uint64_t shared_bytes = warp.launch->shared_bytes;
  const Allocation* allocation = warp.launch->memory->Find(copy.global);
  return copy.shared % kPieceBytes == 0 && copy.global % kPieceBytes == 0 &&
         allocation != nullptr &&
         copy.size_bytes <= allocation->address + allocation->size_bytes - copy.global &&
         copy.shared <= shared_bytes && copy.size_bytes <= shared_bytes - copy.shared;
}

// `pieces` of 16 bytes from byte `done` on, one of each lane of `lanes`, whose first is `lane`.
bool CopyPieces(Warp& warp, const BulkCopy& copy, std::uint32_t done, std::uint32_t lane,
                std::uint32_t pieces) {
  alignas(64) std::array<std::uint64_t, kWarpSize> shared{};
  alignas(64) std::array<std::uint64_t, kWarpSize> global{};
  alignas(64) std::array<std::byte, std::size_t{kWarpSize} * kPieceBytes> values{};
  LaneMask lanes = 0;
  for (std::uint32_t i = 0; i < pieces; ++i) {
    shared[lane + i] = copy.shared + done + i * kPieceBytes;
    global[lane + i] = copy.global + done + i * kPieceBytes;
    lanes |= LaneMask{1} << (lane + i);
  }
  const bool to_shared = copy.to == BulkCopy::To::kShared;
  const auto [from_space, to_space] = to_shared
                                          ? std::pair(ptx::Space::kGlobal, ptx::Space::kShared)
                                          : std::pair(ptx::Space::kShared, ptx::Space::kGlobal);
  return ReadLanes(warp, copy.step, from_space, lanes, to_shared ? global.data() : shared.data(),
                   kPieceBytes, values.data()) &&
         WriteLanes(warp, copy.step, to_space, lanes, to_shared ? shared.data() : global.data(),
                    kPieceBytes, values.data());
}

// By all lanes together, so that 512 bytes are one request, as of a warp's loads. What goes wrong
// is copied by its own thread, which the finding names.
bool Perform(Warp& warp, const BulkCopy& copy) {
  const bool together = IsRight(warp, copy);
  const std::uint32_t most = together ? kWarpSize : 1;
  for (std::uint32_t done = 0; done < copy.size_bytes;) {
    const std::uint32_t pieces = std::min(most, (copy.size_bytes - done) / kPieceBytes);
    if (!CopyPieces(warp, copy, done, together ? 0 : copy.lane, pieces)) {
      return false;
    }
    done += pieces * kPieceBytes;
  }
  if (copy.to == BulkCopy::To::kShared) {
    if (std::uint64_t* state = MbarrierAt(*warp.block, warp.launch->shared_bytes, copy.mbarrier);
        state != nullptr) {
      ExpectBytes(*warp.block, *state, -std::int64_t{copy.size_bytes});
    }
  }
  return true;
}

/// Performs, oldest first, those of which due(issued) holds.
template <class Due>
bool PerformDue(Warp& warp, Due due) {
  if (warp.pending_copies == nullptr) {
    return true;
  }
  bool alive = true;
  std::erase_if(warp.pending_copies->bulk.copies, [&](const BulkCopies::Issued& issued) {
    if (!alive || !due(issued)) {
      return false;
    }
    alive = Perform(warp, issued.copy);
    return true;
  });
  return alive;
}

}  // namespace

bool IssueBulkCopy(Warp& warp, const BulkCopy& copy) {
  BulkCopies& bulk = PendingCopiesOf(warp).bulk;
  if (bulk.copies.size() >= kMostCopies) {
    const BulkCopies::Issued* first_kept = bulk.copies.data() + kMostCopies / 2;
    if (!PerformDue(warp, [&](const BulkCopies::Issued& issued) { return &issued < first_kept; })) {
      return false;
    }
  }
  bulk.copies.push_back({.copy = copy, .group = bulk.groups.open[copy.lane]});
  return true;
}

void CommitBulkCopies(Warp& warp, LaneMask lanes) {
  PendingCopiesOf(warp).bulk.groups.Commit(lanes);
}

bool WaitForBulkCopies(Warp& warp, LaneMask lanes, std::uint32_t groups_left) {
  return PerformDue(warp, [&](const BulkCopies::Issued& issued) {
    const BulkCopy& copy = issued.copy;
    return copy.to == BulkCopy::To::kGlobal && ((lanes >> copy.lane) & 1U) != 0 &&
           warp.pending_copies->bulk.groups.IsWaitedFor(copy.lane, issued.group, groups_left);
  });
}

bool CompleteBulkCopiesAt(Warp& warp, std::uint64_t mbarrier) {
  return PerformDue(warp, [&](const BulkCopies::Issued& issued) {
    return issued.copy.to == BulkCopy::To::kShared &&
           SharedOffset(issued.copy.mbarrier) == mbarrier;
  });
}

bool CompleteBulkCopies(Warp& warp, LaneMask lanes) {
  return PerformDue(warp, [&](const BulkCopies::Issued& issued) {
    return ((lanes >> issued.copy.lane) & 1U) != 0;
  });
}

}  // namespace assay::gpu
