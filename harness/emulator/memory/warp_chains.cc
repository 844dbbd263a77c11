// SPDX-License-Identifier: Apache-2.0
#include "emulator/memory/warp_chains.h"

#include <algorithm>

namespace assay::gpu {
namespace {

template <class Clock>
void Join(Clock& into, const Clock& from) {
  std::ranges::transform(into, from, into.begin(),
                         [](std::uint32_t a, std::uint32_t b) { return std::max(a, b); });
}

}  // namespace

void WarpChains::Clear(std::uint32_t barrier_epoch) {
  barrier_epoch_ = barrier_epoch;
  known_.fill({});
  flags_.clear();
}

void WarpChains::Release(std::uint32_t barrier_epoch, std::uint32_t warp, std::uint32_t sync_epoch,
                         std::uint64_t address) {
  if (barrier_epoch != barrier_epoch_) {
    Clear(barrier_epoch);
  }
  Clock& flag = flags_[address];
  Join(flag, known_[warp]);
  flag[warp] = sync_epoch + 1;
}

void WarpChains::Acquire(std::uint32_t barrier_epoch, std::uint32_t warp, std::uint64_t address) {
  if (barrier_epoch != barrier_epoch_) {
    return;
  }
  if (const auto it = flags_.find(address); it != flags_.end()) {
    Join(known_[warp], it->second);
  }
}

bool WarpChains::Ordered(std::uint32_t barrier_epoch, std::uint32_t earlier,
                         std::uint32_t sync_epoch, std::uint32_t later) const {
  return barrier_epoch == barrier_epoch_ && known_[later][earlier] > sync_epoch;
}

bool WarpChains::HasHeard(std::uint32_t barrier_epoch, std::uint32_t earlier,
                          std::uint32_t later) const {
  if (barrier_epoch != barrier_epoch_) {
    return false;
  }
  if (earlier != later) {
    return known_[later][earlier] != 0;
  }
  Clock others = known_[later];
  others[later] = 0;
  return std::ranges::any_of(others, [](std::uint32_t epoch) { return epoch != 0; });
}

}  // namespace assay::gpu
