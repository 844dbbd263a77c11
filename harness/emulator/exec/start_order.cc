// SPDX-License-Identifier: Apache-2.0
#include "emulator/exec/start_order.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace assay::gpu {

std::uint64_t MixSeed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15ULL;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

StartOrder::StartOrder(Schedule schedule, std::uint64_t seed, std::uint64_t blocks,
                       std::uint64_t window)
    : schedule_(schedule),
      blocks_(blocks),
      window_(std::clamp<std::uint64_t>(window, 1, std::max<std::uint64_t>(blocks, 1))) {
  if (schedule_ != Schedule::kRandom) {
    return;
  }
  shuffled_.resize(window_);
  std::iota(shuffled_.begin(), shuffled_.end(), 0U);
  for (std::size_t i = shuffled_.size(); i > 1; --i) {
    seed = MixSeed(seed);
    std::swap(shuffled_[i - 1], shuffled_[seed % i]);
  }
}

std::uint64_t StartOrder::BlockAt(std::uint64_t position) const {
  const std::uint64_t start = position / window_ * window_;
  const std::uint64_t length = std::min(window_, blocks_ - start);
  const std::uint64_t within = position - start;
  switch (schedule_) {
    case Schedule::kAscending:
      return position;
    case Schedule::kReversed:
      return start + length - 1 - within;
    case Schedule::kRandom:
      // The last window may be shorter; reversing it there keeps the mapping one to one.
      return length == window_ ? start + shuffled_[within] : start + length - 1 - within;
  }
  return position;
}

}  // namespace assay::gpu
