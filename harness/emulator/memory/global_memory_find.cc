// SPDX-License-Identifier: Apache-2.0
// Which allocation an address is in, or near.
#include <algorithm>
#include <iterator>

#include "emulator/memory/global_memory.h"

namespace assay::gpu {

const Allocation* GlobalMemory::Find(std::uint64_t address) const {
  auto it = live_.upper_bound(address);
  if (it == live_.begin()) {
    return nullptr;
  }
  const Allocation& allocation = std::prev(it)->second.allocation;
  return address - allocation.address < allocation.size_bytes ? &allocation : nullptr;
}

const Allocation* GlobalMemory::FindFreed(std::uint64_t address) const {
  for (auto it = quarantine_.rbegin(); it != quarantine_.rend(); ++it) {
    if (address - it->allocation.address < it->allocation.size_bytes) {
      return &it->allocation;
    }
  }
  return nullptr;
}

std::optional<DeviceVariable> GlobalMemory::AllocationOf(std::uint64_t address) const {
  const Allocation* allocation = Find(address);
  if (allocation == nullptr) {
    return std::nullopt;
  }
  return DeviceVariable{.address = allocation->address, .size_bytes = allocation->size_bytes};
}

std::optional<NearestAllocation> GlobalMemory::Nearest(std::uint64_t address) const {
  const auto describe = [&](const Allocation& allocation) {
    NearestAllocation nearest{.address = allocation.address,
                              .size_bytes = allocation.size_bytes,
                              .distance_bytes = 0,
                              .name = allocation.name};
    const std::uint64_t end = allocation.address + allocation.size_bytes;
    if (address < allocation.address) {
      nearest.distance_bytes = -static_cast<std::int64_t>(allocation.address - address);
    } else if (address >= end) {
      // An access that begins right at the end is 1 byte after it, in compute-sanitizer's words.
      nearest.distance_bytes = static_cast<std::int64_t>(address - end) + 1;
    }
    return nearest;
  };
  if (const Allocation* freed = Find(address) == nullptr ? FindFreed(address) : nullptr) {
    return describe(*freed);
  }
  const auto after = live_.upper_bound(address);
  std::optional<NearestAllocation> best;
  if (after != live_.begin()) {
    best = describe(std::prev(after)->second.allocation);
  }
  if (after != live_.end()) {
    const NearestAllocation behind = describe(after->second.allocation);
    if (!best || -behind.distance_bytes < best->distance_bytes) {
      best = behind;
    }
  }
  return best;
}

std::vector<Allocation> GlobalMemory::Leaks() const {
  std::vector<Allocation> leaks;
  for (const auto& [address, region] : live_) {
    if (region.allocation.name.empty()) {
      leaks.push_back(region.allocation);
    }
  }
  std::ranges::sort(leaks, {}, &Allocation::serial);
  return leaks;
}

MemoryInfo GlobalMemory::Memory() const {
  return {.free_bytes = limit_bytes_ - used_bytes_, .total_bytes = limit_bytes_};
}

}  // namespace assay::gpu
