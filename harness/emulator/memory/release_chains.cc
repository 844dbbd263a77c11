// SPDX-License-Identifier: Apache-2.0
#include "emulator/memory/release_chains.h"

#include <unordered_set>

namespace assay::gpu {

void ReleaseChains::Release(std::uint32_t block, std::uint64_t address, Settled settled) {
  Flag& flag = flags_[address];
  const auto index = static_cast<std::uint32_t>(flag.chain.size());
  const bool first_of_all = settled == Settled::kAll && flag.all.try_emplace(block, index).second;
  const bool first = flag.reads.try_emplace(block, index).second;
  if (first_of_all || first) {
    flag.chain.push_back({.block = block, .settled = settled});
  }
}

void ReleaseChains::Acquire(std::uint32_t block, std::uint64_t address) {
  const auto it = flags_.find(address);
  if (it == flags_.end()) {
    return;
  }
  acquired_[block][address] = static_cast<std::uint32_t>(it->second.chain.size());
}

bool ReleaseChains::Ordered(std::uint32_t earlier, std::uint32_t later, Settled accesses) const {
  // Breadth first through the blocks that `later` has heard from; a search this long means that
  // nearly everyone has spoken, and then silence is the better answer.
  constexpr std::size_t kMaxVisited = 4096;
  std::vector<std::uint32_t> queue{later};
  std::unordered_set<std::uint32_t> seen{later};
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const auto acquired = acquired_.find(queue[i]);
    if (acquired == acquired_.end()) {
      continue;
    }
    for (const auto& [address, count] : acquired->second) {
      const Flag& flag = flags_.at(address);
      const auto& firsts = accesses == Settled::kAll ? flag.all : flag.reads;
      const auto first = firsts.find(earlier);
      if (first != firsts.end() && first->second < count) {
        return true;
      }
      for (std::uint32_t c = 0; c < count; ++c) {
        const Told& told = flag.chain[c];
        if (accesses == Settled::kAll && told.settled != Settled::kAll) {
          continue;
        }
        if (seen.size() >= kMaxVisited) {
          return true;
        }
        if (seen.insert(told.block).second) {
          queue.push_back(told.block);
        }
      }
    }
  }
  return false;
}

void ReleaseChains::Clear() {
  flags_.clear();
  acquired_.clear();
}

}  // namespace assay::gpu
