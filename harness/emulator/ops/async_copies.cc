// SPDX-License-Identifier: Apache-2.0
#include "emulator/ops/async_copies.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "emulator/memory/lane_access.h"
#include "emulator/ops/mbarrier.h"

namespace assay::gpu {
namespace {

constexpr std::size_t kMostCopies = 512;
constexpr std::size_t kMostPendingArrivals = 512;

struct IssuedCopy {
  AsyncCopy copy;
  std::array<std::uint32_t, kWarpSize> group{};  ///< Of each lane, counted from 0.
};

struct PendingArrival {
  std::uint32_t lane = 0;
  std::uint64_t mbarrier = 0;
  std::uint64_t copies_before = 0;  ///< Serial of the first copy that it does not wait for.
};

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

}  // namespace

struct AsyncCopies {
  std::vector<IssuedCopy> copies;  ///< Oldest first; lanes that are done are taken out.
  std::uint64_t first_serial = 0;  ///< Of copies.front().
  std::vector<PendingArrival> arrivals;
  std::array<std::uint32_t, kWarpSize> committed{};  ///< Groups that each lane has closed.
};

namespace {

AsyncCopies& CopiesOf(Warp& warp) {
  if (warp.async_copies == nullptr) {
    warp.async_copies = new AsyncCopies;
  }
  return *warp.async_copies;
}

void DropDone(AsyncCopies& async) {
  const auto open = std::ranges::find_if(
      async.copies, [](const IssuedCopy& issued) { return issued.copy.lanes != 0; });
  async.first_serial += static_cast<std::uint64_t>(open - async.copies.begin());
  async.copies.erase(async.copies.begin(), open);
}

/// Performs, oldest first, what due(issued, serial) says of each copy's lanes.
template <class Due>
bool PerformDue(Warp& warp, AsyncCopies& async, Due due) {
  bool alive = true;
  for (std::size_t i = 0; i < async.copies.size() && alive; ++i) {
    IssuedCopy& issued = async.copies[i];
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
  std::erase_if(async.arrivals, [&](const PendingArrival& arrival) {
    const bool waits = std::ranges::any_of(async.copies, [&](const IssuedCopy& issued) {
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

constexpr auto kAny = [](const PendingArrival&) { return true; };

}  // namespace

bool IssueAsyncCopy(Warp& warp, const AsyncCopy& copy) {
  AsyncCopies& async = CopiesOf(warp);
  if (async.copies.size() >= kMostCopies) {
    const std::uint64_t first_kept = async.first_serial + kMostCopies / 2;
    if (!PerformDue(warp, async, [&](const IssuedCopy&, std::uint64_t serial) {
          return serial < first_kept ? kAllLanes : 0;
        })) {
      return false;
    }
  }
  async.copies.push_back({.copy = copy, .group = async.committed});
  return true;
}

void CommitAsyncCopies(Warp& warp, LaneMask lanes) {
  AsyncCopies& async = CopiesOf(warp);
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    async.committed[lane] += (lanes >> lane) & 1U;
  }
}

bool WaitForAsyncCopies(Warp& warp, LaneMask lanes, std::uint32_t groups_left) {
  if (warp.async_copies == nullptr) {
    return true;
  }
  AsyncCopies& async = *warp.async_copies;
  return PerformDue(warp, async, [&](const IssuedCopy& issued, std::uint64_t) {
    LaneMask due = 0;
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      const bool covered = async.committed[lane] - issued.group[lane] > groups_left;
      due |= static_cast<LaneMask>(covered) << lane;
    }
    return due & lanes;
  });
}

bool CompleteAsyncCopies(Warp& warp, LaneMask lanes) {
  if (warp.async_copies == nullptr) {
    return true;
  }
  AsyncCopies& async = *warp.async_copies;
  const bool alive =
      PerformDue(warp, async, [&](const IssuedCopy&, std::uint64_t) { return lanes; });
  PerformArrivals(warp, async, kAny);
  return alive;
}

bool ArriveAfterAsyncCopies(Warp& warp, LaneMask lanes, const std::uint64_t* mbarriers) {
  AsyncCopies& async = CopiesOf(warp);
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    async.arrivals.push_back({.lane = lane,
                              .mbarrier = SharedOffset(mbarriers[lane]),
                              .copies_before = async.first_serial + async.copies.size()});
  }
  return async.arrivals.size() <= kMostPendingArrivals || CompleteAsyncCopies(warp, kAllLanes);
}

bool CompleteAsyncCopiesAt(Block& block, std::uint64_t address) {
  const std::uint64_t mbarrier = SharedOffset(address);
  for (Warp& warp : block.warps) {
    if (warp.async_copies == nullptr) {
      continue;
    }
    AsyncCopies& async = *warp.async_copies;
    std::array<std::uint64_t, kWarpSize> before{};
    for (const PendingArrival& arrival : async.arrivals) {
      if (arrival.mbarrier != mbarrier) {
        continue;
      }
      before[arrival.lane] = std::max(before[arrival.lane], arrival.copies_before);
    }
    const bool alive = PerformDue(warp, async, [&](const IssuedCopy&, std::uint64_t serial) {
      LaneMask due = 0;
      for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
        due |= static_cast<LaneMask>(serial < before[lane]) << lane;
      }
      return due;
    });
    if (!alive) {
      return false;
    }
    PerformArrivals(warp, async,
                    [&](const PendingArrival& arrival) { return arrival.mbarrier == mbarrier; });
  }
  return true;
}

void ResetAsyncCopies(Warp& warp) {
  if (warp.async_copies == nullptr) {
    return;
  }
  AsyncCopies& async = *warp.async_copies;
  async.copies.clear();
  async.arrivals.clear();
  async.first_serial = 0;
  async.committed = {};
}

void DestroyAsyncCopies(Warp& warp) {
  delete warp.async_copies;
  warp.async_copies = nullptr;
}

}  // namespace assay::gpu
