// SPDX-License-Identifier: Apache-2.0
// Maps with a bit a byte of memory: whether that byte was written. Bit i of a map is bit i % 8 of
// its byte i / 8.
#ifndef ASSAY_EMULATOR_MEMORY_WRITTEN_BITS_H_
#define ASSAY_EMULATOR_MEMORY_WRITTEN_BITS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace assay::gpu {

/// Bits first .. first + count; count at most 16. The map must go on for two bytes after its first.
[[nodiscard]] inline std::uint32_t LoadFewBits(const std::byte* bits, std::uint64_t first,
                                               std::uint32_t count) {
  std::uint32_t word = 0;
  std::memcpy(&word, bits + first / 8, 3);
  return (word >> (first % 8)) & ((1U << count) - 1U);
}

/// count at most 16. Other threads may set other bits of the same bytes at the same time.
inline void SetFewBits(std::byte* bits, std::uint64_t first, std::uint32_t count) {
  std::uint32_t mask = ((1U << count) - 1U) << (first % 8);
  auto* at = reinterpret_cast<std::uint8_t*>(bits + first / 8);
  for (; mask != 0; mask >>= 8, ++at) {
    const auto byte = static_cast<std::uint8_t>(mask);
    const std::atomic_ref<std::uint8_t> ref(*at);
    if ((ref.load(std::memory_order_relaxed) & byte) == byte) {
      continue;
    }
    ref.fetch_or(byte, std::memory_order_relaxed);
  }
}

// Of any length, for one thread at a time:

void SetBits(std::byte* bits, std::uint64_t first, std::uint64_t count);
/// `first` and `count` are multiples of 8. Whole pages of the map, which must be anonymous memory
/// of its own, are given back to the system.
void ClearBits(std::byte* bits, std::uint64_t first, std::uint64_t count);
/// The two may overlap.
void CopyBits(std::byte* bits, std::uint64_t to, std::uint64_t from, std::uint64_t count);

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_MEMORY_WRITTEN_BITS_H_
