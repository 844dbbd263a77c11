// SPDX-License-Identifier: Apache-2.0
#include "emulator/memory/written_bits.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <array>
#include <vector>

namespace assay::gpu {
namespace {

constexpr std::uint64_t kBits = 96;

std::vector<bool> Bits(const std::array<std::byte, 16>& map) {
  std::vector<bool> bits(kBits);
  for (std::uint64_t i = 0; i < kBits; ++i) {
    bits[i] = LoadFewBits(map.data(), i, 1) != 0;
  }
  return bits;
}

TEST(WrittenBitsTest, RangesAreSetBitByBit) {
  for (std::uint64_t first = 0; first < 20; ++first) {
    for (std::uint64_t count = 0; first + count <= 60; ++count) {
      std::array<std::byte, 16> map{};
      SetBits(map.data(), first, count);
      std::vector<bool> expected(kBits);
      std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(first), count, true);
      EXPECT_EQ(Bits(map), expected) << first << " and " << count;
      if (count <= 16) {
        std::array<std::byte, 16> few{};
        SetFewBits(few.data(), first, static_cast<std::uint32_t>(count));
        EXPECT_EQ(few, map) << first << " and " << count;
      }
    }
  }
}

TEST(WrittenBitsTest, CopiesMayOverlap) {
  for (const std::uint64_t from : {0U, 3U, 8U, 16U}) {
    for (const std::uint64_t to : {0U, 5U, 8U, 24U}) {
      for (std::uint64_t count = 0; count <= 40; ++count) {
        std::array<std::byte, 16> map{};
        for (std::uint64_t i = 0; i < kBits; i += 1 + i % 5) {
          SetBits(map.data(), i, 1);
        }
        const std::vector<bool> before = Bits(map);
        CopyBits(map.data(), to, from, count);
        std::vector<bool> expected = before;
        for (std::uint64_t i = 0; i < count; ++i) {
          expected[to + i] = before[from + i];
        }
        EXPECT_EQ(Bits(map), expected) << from << " to " << to << ", " << count;
      }
    }
  }
}

TEST(WrittenBitsTest, RangesOfAnyLengthAreCleared) {
  constexpr std::size_t kPages = 4;
  constexpr std::size_t kMapBytes = kPages * 4096;
  void* mapped =
      mmap(nullptr, kMapBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  auto* map = static_cast<std::byte*>(mapped);
  for (const std::size_t first : {0U, 1U, 4096U, 5000U}) {
    for (const std::size_t end : {5000U, 5001U, 8192U, 16384U}) {
      std::memset(map, 0xff, kMapBytes);
      ClearBits(map, first * 8, (end - first) * 8);
      for (std::size_t i = 0; i < kMapBytes; ++i) {
        const bool cleared = i >= first && i < end;
        ASSERT_EQ(map[i], std::byte{cleared ? std::uint8_t{0} : std::uint8_t{0xff}}) << i;
      }
    }
  }
  munmap(mapped, kMapBytes);
}

}  // namespace
}  // namespace assay::gpu
