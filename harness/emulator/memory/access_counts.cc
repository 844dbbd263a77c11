// SPDX-License-Identifier: Apache-2.0
// What a request costs: sectors of global and local memory, wavefronts of shared memory.
#include <algorithm>
#include <array>
#include <bit>

#include "emulator/memory/access_lanes.h"

namespace assay::gpu {
namespace {

std::uint32_t CountDistinct(std::array<std::uint64_t, 4 * kWarpSize>& values, std::size_t count) {
  std::sort(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count));
  return static_cast<std::uint32_t>(
      std::unique(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count)) -
      values.begin());
}

// 32 banks of 4 bytes; 8-byte accesses go by half-warps, 16-byte ones by quarter-warps.
std::uint32_t CountWavefronts(const MemoryAccess& access) {
  const std::uint32_t parts = std::max(1U, access.size_bytes / 4);
  const std::uint32_t lanes_each = kWarpSize / parts;
  const std::uint32_t words_each = std::max(1U, access.size_bytes / 4);
  std::uint32_t wavefronts = 0;
  for (std::uint32_t part = 0; part < parts; ++part) {
    const LaneMask of_part =
        parts == 1 ? kAllLanes : ((1U << lanes_each) - 1U) << (part * lanes_each);
    if ((access.lanes & of_part) == 0) {
      continue;
    }
    std::array<std::uint64_t, 4 * kWarpSize> words;
    std::size_t count = 0;
    ForEachLane(access.lanes & of_part, [&](std::uint32_t lane) {
      for (std::uint32_t w = 0; w < words_each; ++w) {
        words[count++] = access.addresses[lane] / 4 + w;
      }
    });
    const std::uint32_t distinct = CountDistinct(words, count);
    std::array<std::uint32_t, 32> banks{};
    for (std::uint32_t i = 0; i < distinct; ++i) {
      ++banks[words[i] % 32];
    }
    wavefronts += *std::ranges::max_element(banks);
  }
  return wavefronts;
}

// Sectors of global memory, and of local memory by 4-byte words.
std::uint32_t CountSectors(const MemoryAccess& access) {
  std::array<std::uint64_t, 4 * kWarpSize> sectors;
  std::size_t touched = 0;
  const bool local = access.space == MemorySpace::kLocal;
  const std::uint32_t piece = local ? 4 : access.size_bytes;
  ForEachLane(access.lanes, [&](std::uint32_t lane) {
    for (std::uint32_t byte = 0; byte < access.size_bytes; byte += piece) {
      const std::uint64_t address = access.addresses[lane] + byte;
      sectors[touched++] = (local ? LocalByte(address, lane) : address) / kSectorBytes;
    }
  });
  return CountDistinct(sectors, touched);
}

}  // namespace

RequestCount CountRequest(const MemoryAccess& access) {
  const bool shared = access.space == MemorySpace::kShared;
  const auto threads = static_cast<std::uint32_t>(std::popcount(access.lanes));
  const std::uint32_t unit = shared ? 128 : kSectorBytes;
  const std::uint32_t count = shared ? CountWavefronts(access) : CountSectors(access);
  const std::uint32_t ideal = (threads * access.size_bytes + unit - 1) / unit;
  return {.count = count, .ideal = std::min(ideal, count)};
}

void AddRequest(const MemoryAccess& access, RequestCount count) {
  AccessCounters& counters = access.warp->worker->accesses[access.step->instruction];
  const auto threads = static_cast<std::uint32_t>(std::popcount(access.lanes));
  ++counters.requests;
  counters.threads += threads;
  counters.bytes += std::uint64_t{threads} * access.size_bytes;
  const bool shared = access.space == MemorySpace::kShared;
  (shared ? counters.wavefronts : counters.sectors) += count.count;
  (shared ? counters.ideal_wavefronts : counters.ideal_sectors) += count.ideal;
}

}  // namespace assay::gpu
