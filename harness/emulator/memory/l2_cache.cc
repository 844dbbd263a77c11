// SPDX-License-Identifier: Apache-2.0
#include "emulator/memory/l2_cache.h"

#include <algorithm>
#include <utility>

namespace assay::gpu {
namespace {

constexpr std::uint64_t kLineBytes = std::uint64_t{1} << kL2LineBytesShift;

constexpr std::array<std::uint8_t, 16> kSectorCounts = {0, 1, 1, 2, 1, 2, 2, 3,
                                                        1, 2, 2, 3, 2, 3, 3, 4};

std::uint64_t HashLine(std::uint64_t line) {
  line *= 0x9e3779b97f4a7c15U;
  return line ^ (line >> 32);
}

}  // namespace

L2Cache::L2Cache(std::uint64_t capacity_bytes)
    : sets_(std::max<std::uint64_t>(1, capacity_bytes / (kLineBytes * kWays))) {}

void L2Cache::Access(std::uint64_t request) {
  const std::uint64_t id = request >> kL2LineShift;
  const auto sectors = static_cast<std::uint8_t>((request >> kL2SectorShift) & 15U);
  const std::uint64_t hash = HashLine(id) & 0xffffffffU;
  Set& set = sets_[(hash * sets_.size()) >> 32];
  std::size_t way = 0;
  while (way < kWays - 1 && set[way].id != id) {
    ++way;
  }
  Line line = set[way];
  if (line.id != id) {
    traffic_.dram_written_sectors += kSectorCounts[line.dirty];
    line = {.id = id};
  }
  std::move_backward(set.begin(), set.begin() + static_cast<std::ptrdiff_t>(way),
                     set.begin() + static_cast<std::ptrdiff_t>(way) + 1);
  if ((request & kL2Read) != 0) {
    const auto absent = static_cast<std::uint8_t>(sectors & ~line.valid);
    traffic_.dram_read_sectors += kSectorCounts[absent];
  }
  line.valid |= sectors;
  if ((request & kL2Write) != 0) {
    line.dirty |= sectors;
  }
  set[0] = line;
}

L2Traffic L2Cache::Finish() {
  for (Set& set : sets_) {
    for (Line& line : set) {
      traffic_.dram_written_sectors += kSectorCounts[line.dirty];
      line = {};
    }
  }
  return std::exchange(traffic_, {});
}

void L2Replay::Begin(std::uint64_t capacity_bytes) {
  const std::scoped_lock lock(mutex_);
  if (!cache_.empty()) {
    return;
  }
  sampling_ = L2SkipMask(capacity_bytes) + 1;
  cache_.emplace_back(capacity_bytes / sampling_);
  waiting_.clear();
  waiting_requests_ = 0;
  next_ = 0;
  complete_ = true;
}

void L2Replay::Replay(std::span<const std::uint64_t> requests) {
  for (const std::uint64_t request : requests) {
    cache_.front().Access(request);
  }
}

void L2Replay::Push(std::uint64_t position, std::span<const std::uint64_t> requests, Part part) {
  const std::scoped_lock lock(mutex_);
  if (!complete_ || cache_.empty()) {
    return;
  }
  if (position != next_) {
    waiting_requests_ += requests.size();
    if (waiting_requests_ > kMaxWaiting) {
      complete_ = false;
      waiting_.clear();
      return;
    }
    Waiting& waiting = waiting_[position];
    waiting.requests.insert(waiting.requests.end(), requests.begin(), requests.end());
    waiting.done = part == Part::kLast;
    return;
  }
  Replay(requests);
  if (part == Part::kMore) {
    return;
  }
  ++next_;
  for (auto it = waiting_.begin(); it != waiting_.end() && it->first == next_;) {
    Replay(it->second.requests);
    waiting_requests_ -= it->second.requests.size();
    const bool done = it->second.done;
    it = waiting_.erase(it);
    if (!done) {
      return;  // Its next part comes straight through.
    }
    ++next_;
  }
}

L2Replay::Outcome L2Replay::Finish() {
  const std::scoped_lock lock(mutex_);
  if (cache_.empty()) {
    return {};
  }
  // What still waits is behind a block that a fault kept from running.
  for (const auto& [position, waiting] : waiting_) {
    Replay(waiting.requests);
  }
  Outcome outcome{.traffic = cache_.front().Finish(), .complete = complete_};
  outcome.traffic.dram_read_sectors *= sampling_;
  outcome.traffic.dram_written_sectors *= sampling_;
  cache_.clear();
  waiting_.clear();
  return outcome;
}

}  // namespace assay::gpu
