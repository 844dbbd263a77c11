// SPDX-License-Identifier: Apache-2.0
#include "emulator/memory/free_ranges.h"

#include <iterator>

namespace assay::gpu {

void FreeRanges::Give(std::uint64_t offset, std::uint64_t bytes) {
  auto next = ranges_.lower_bound(offset);
  if (next != ranges_.end() && offset + bytes == next->first) {
    bytes += next->second;
    next = ranges_.erase(next);
  }
  if (next != ranges_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == offset) {
      before->second += bytes;
      return;
    }
  }
  ranges_[offset] = bytes;
}

std::optional<std::uint64_t> FreeRanges::Take(std::uint64_t bytes) {
  for (auto it = ranges_.begin(); it != ranges_.end(); ++it) {
    if (it->second < bytes) {
      continue;
    }
    const std::uint64_t offset = it->first;
    const std::uint64_t left = it->second - bytes;
    ranges_.erase(it);
    if (left > 0) {
      ranges_[offset + bytes] = left;
    }
    return offset;
  }
  return std::nullopt;
}

}  // namespace assay::gpu
