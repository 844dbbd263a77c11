// SPDX-License-Identifier: Apache-2.0
#include "emulator/exec/device_heap.h"

#include <algorithm>

namespace assay::gpu {

std::uint64_t DeviceHeap::Allocate(std::uint64_t size_bytes) {
  if (size_bytes > kSizeBytes) {
    return 0;
  }
  const std::uint64_t rounded =
      std::max(size_bytes + kAlignBytes - 1, kAlignBytes) / kAlignBytes * kAlignBytes;
  std::uint64_t offset = 0;
  for (const auto& [used, bytes] : used_) {
    if (used - offset >= rounded) {
      break;
    }
    offset = used + bytes;
  }
  if (kSizeBytes - offset < rounded) {
    return 0;
  }
  used_[offset] = rounded;
  return address_ + offset;
}

std::optional<std::uint64_t> DeviceHeap::Free(std::uint64_t address) {
  if (address == 0) {
    return 0;
  }
  const auto it = used_.find(address - address_);
  if (it == used_.end()) {
    return std::nullopt;
  }
  const std::uint64_t bytes = it->second;
  used_.erase(it);
  return bytes;
}

}  // namespace assay::gpu
