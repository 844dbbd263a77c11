// SPDX-License-Identifier: Apache-2.0
#include "emulator/ops/async_copies.h"

#include <algorithm>
#include <bit>

#include "emulator/memory/lane_access.h"
#include "emulator/ops/mbarrier.h"
#include "emulator/ops/pending_copies.h"

namespace assay::gpu {
namespace {

constexpr std::size_t kMostCopies = 512;
constexpr std::size_t kMostPendingArrivals = 512;

using Issued = AsyncCopies::Issued;
using Arrival = AsyncCopies::Arrival;

void CopyPart(std::uint32_t part_bytes, std::uint32_t done_bytes, LaneMask lanes,
              const std::byte* from, std::byte* to) {
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    std::copy_n(from + lane * part_bytes, part_bytes, to + lane * 16 + done_bytes);
  }
}

/// Reads size_bytes of `lanes` as the fewest reads of 16, 8, 4, 2 and 1 bytes; values[l * 16].
bool ReadSource(Warp& warp, const AsyncCopy& copy, LaneMask lanes, std::uint32_t size_bytes,
                std::byte* values) {
  alignas(64) std::array<std::uint64_t, kWarpSize> addresses = copy.from;
  alignas(64) std::array<std::byte, std::size_t{kWarpSize} * 16> read;
  for (std::uint32_t done = 0; done < size_bytes;) {
    const std::uint32_t part = std::bit_floor(size_bytes - done);
    if (!ReadLanes(warp, copy.step, ptx::Space::kGlobal, lanes, addresses.data(), part,
                   read.data())) {
      return false;
    }
    CopyPart(part, done, lanes, read.data(), values);
    done += part;
    for (std::uint64_t& address : addresses) {
      address += part;
    }
  }
  return true;
}

bool Perform(Warp& warp, const AsyncCopy& copy, LaneMask lanes) {
  alignas(64) std::array<std::byte, std::size_t{kWarpSize} * 16> padded{};
  for (LaneMask left = lanes; left != 0;) {
    const std::uint8_t size = copy.from_bytes[static_cast<std::size_t>(std::countr_zero(left))];
    LaneMask alike = 0;
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      alike |= static_cast<LaneMask>(copy.from_bytes[lane] == size) << lane;
    }
    alike &= left;
    left &= ~alike;
    if (!ReadSource(warp, copy, alike, size, padded.data())) {
      return false;
    }
  }
  alignas(64) std::array<std::byte, std::size_t{kWarpSize} * 16> values{};
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    std::copy_n(padded.data() + std::size_t{lane} * 16, copy.size_bytes,
                values.data() + std::size_t{lane} * copy.size_bytes);
  }
  return WriteLanes(warp, copy.step, ptx::Space::kShared, lanes, copy.to.data(), copy.size_bytes,
                    values.data());
}

void DropDone(AsyncCopies& async) {
  const auto open = std::ranges::find_if(
      async.copies, [](const Issued& issued) { return issued.copy.lanes != 0; });
  async.first_serial += static_cast<std::uint64_t>(open - async.copies.begin());
  async.copies.erase(async.copies.begin(), open);
}

/// Performs, oldest first, what due(issued, serial) says of each copy's lanes.
template <class Due>
bool PerformDue(Warp& warp, AsyncCopies& async, Due due) {
  bool alive = true;
  for (std::size_t i = 0; i < async.copies.size() && alive; ++i) {
    Issued& issued = async.copies[i];
    const LaneMask lanes = issued.copy.lanes & due(issued, async.first_serial + i);
    if (lanes == 0) {
      continue;
    }
    alive = Perform(warp, issued.copy, lanes);
    issued.copy.lanes &= ~lanes;
  }
  DropDone(async);
  return alive;
}

/// Performs the arrivals whose copies are all done and which `wanted` picks.
template <class Wanted>
void PerformArrivals(Warp& warp, AsyncCopies& async, Wanted wanted) {
  std::erase_if(async.arrivals, [&](const Arrival& arrival) {
    const bool waits = std::ranges::any_of(async.copies, [&](const Issued& issued) {
      const auto index = static_cast<std::uint64_t>(&issued - async.copies.data());
      return async.first_serial + index < arrival.copies_before &&
             ((issued.copy.lanes >> arrival.lane) & 1U) != 0;
    });
    if (waits || !wanted(arrival)) {
      return false;
    }
    if (std::uint64_t* state = MbarrierAt(*warp.block, warp.launch->shared_bytes, arrival.mbarrier);
        state != nullptr) {
      ArriveAtMbarrier(*warp.block, *state, 1);
    }
    return true;
  });
}

constexpr auto kAny = [](const Arrival&) { return true; };

}  // namespace

bool IssueAsyncCopy(Warp& warp, const AsyncCopy& copy) {
  AsyncCopies& async = PendingCopiesOf(warp).async;
  if (async.copies.size() >= kMostCopies) {
    const std::uint64_t first_kept = async.first_serial + kMostCopies / 2;
    if (!PerformDue(warp, async, [&](const Issued&, std::uint64_t serial) {
          return serial < first_kept ? kAllLanes : 0;
        })) {
      return false;
    }
  }
  async.copies.push_back({.copy = copy, .group = async.groups.open});
  return true;
}

void CommitAsyncCopies(Warp& warp, LaneMask lanes) {
  PendingCopiesOf(warp).async.groups.Commit(lanes);
}

bool WaitForAsyncCopies(Warp& warp, LaneMask lanes, std::uint32_t groups_left) {
  if (warp.pending_copies == nullptr) {
    return true;
  }
  AsyncCopies& async = warp.pending_copies->async;
  return PerformDue(warp, async, [&](const Issued& issued, std::uint64_t) {
    LaneMask due = 0;
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      const bool covered = async.groups.IsWaitedFor(lane, issued.group[lane], groups_left);
      due |= static_cast<LaneMask>(covered) << lane;
    }
    return due & lanes;
  });
}

bool CompleteAsyncCopies(Warp& warp, LaneMask lanes) {
  if (warp.pending_copies == nullptr) {
    return true;
  }
  AsyncCopies& async = warp.pending_copies->async;
  const bool alive = PerformDue(warp, async, [&](const Issued&, std::uint64_t) { return lanes; });
  PerformArrivals(warp, async, kAny);
  return alive;
}

bool ArriveAfterAsyncCopies(Warp& warp, LaneMask lanes, const std::uint64_t* mbarriers) {
  AsyncCopies& async = PendingCopiesOf(warp).async;
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    async.arrivals.push_back({.lane = lane,
                              .mbarrier = SharedOffset(mbarriers[lane]),
                              .copies_before = async.first_serial + async.copies.size()});
  }
  return async.arrivals.size() <= kMostPendingArrivals || CompleteAsyncCopies(warp, kAllLanes);
}

bool CompleteAsyncCopiesAt(Warp& warp, std::uint64_t mbarrier) {
  if (warp.pending_copies == nullptr) {
    return true;
  }
  AsyncCopies& async = warp.pending_copies->async;
  std::array<std::uint64_t, kWarpSize> before{};
  for (const Arrival& arrival : async.arrivals) {
    if (arrival.mbarrier == mbarrier) {
      before[arrival.lane] = std::max(before[arrival.lane], arrival.copies_before);
    }
  }
  const bool alive = PerformDue(warp, async, [&](const Issued&, std::uint64_t serial) {
    LaneMask due = 0;
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      due |= static_cast<LaneMask>(serial < before[lane]) << lane;
    }
    return due;
  });
  if (alive) {
    PerformArrivals(warp, async,
                    [&](const Arrival& arrival) { return arrival.mbarrier == mbarrier; });
  }
  return alive;
}

}  // namespace assay::gpu
