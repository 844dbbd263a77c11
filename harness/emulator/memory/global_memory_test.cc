// SPDX-License-Identifier: Apache-2.0
#include "emulator/memory/global_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "emulator/memory/launch_rig.h"

namespace assay::gpu {
namespace {

TEST(GlobalMemory, AFreedPlaceCanBeHadAgainAsFreshMemory) {
  LaunchRig rig({});
  GlobalMemory& memory = *rig.memory;
  const std::uint64_t free_bytes = memory.Memory().free_bytes;
  const std::uint64_t a = *memory.Allocate(1000);
  EXPECT_FALSE(memory.AllocateAt(a, 1000));  // It is live.
  ASSERT_TRUE(memory.CopyToDevice(a, std::vector<std::byte>(1000)));
  ASSERT_TRUE(memory.Free(a));
  EXPECT_FALSE(memory.AllocateAt(a, 999));
  EXPECT_FALSE(memory.AllocateAt(a + 512, 1000));
  ASSERT_TRUE(memory.AllocateAt(a, 1000));
  EXPECT_EQ(memory.Memory().free_bytes, free_bytes - 1000);
  EXPECT_EQ(memory.AllocationOf(a)->size_bytes, 1000U);
  const std::uint64_t offset = a - memory.view().begin;
  EXPECT_EQ(memory.view().written_bits[offset / 8], std::byte{0});
  EXPECT_EQ(memory.view().host[offset], static_cast<std::byte>(memory.poison()));
  EXPECT_TRUE(memory.Free(a));
  EXPECT_EQ(memory.Memory().free_bytes, free_bytes);
}

TEST(GlobalMemory, SharesWholePagesWithTheHostUntilTheyAreFreed) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "its shadow lies at device addresses";
#endif
  constexpr std::uint64_t kPage = 4096;
  auto memory = GlobalMemory::Create(std::uint64_t{1} << 24, 1).value();
  const std::uint64_t address = memory->Allocate(5 * kPage).value();
  const auto one = std::byte{1};
  ASSERT_TRUE(memory->Fill(address, {&one, 1}, 5 * kPage));
  const std::uint64_t pages = (address + kPage - 1) / kPage * kPage;
  EXPECT_FALSE(memory->ShareWithHost(pages, kPage / 2));
  EXPECT_FALSE(memory->ShareWithHost(pages + 8, kPage));
  EXPECT_FALSE(memory->ShareWithHost(pages, 6 * kPage));
  EXPECT_FALSE(memory->ShareWithHost(pages - kPage, kPage));
  ASSERT_TRUE(memory->ShareWithHost(pages, 3 * kPage));

  const std::span<std::byte> host(reinterpret_cast<std::byte*>(pages), 3 * kPage);
  EXPECT_EQ(std::ranges::count(host, one), 3 * kPage);
  host[kPage] = std::byte{2};
  std::array<std::byte, 2> device{};
  ASSERT_TRUE(memory->CopyFromDevice(device, pages + kPage));
  EXPECT_EQ(device, (std::array{std::byte{2}, one}));
  device = {std::byte{3}, std::byte{4}};
  ASSERT_TRUE(memory->CopyToDevice(pages + kPage, device));
  EXPECT_EQ(host[kPage + 1], std::byte{4});

  ASSERT_TRUE(memory->Free(address));
  ASSERT_TRUE(memory->AllocateAt(address, 5 * kPage));
  ASSERT_TRUE(memory->CopyToDevice(pages, device));
  EXPECT_EQ(host.front(), one);  // What it was: the host's alone now.
}

TEST(GlobalMemory, RefusesWhatIsNotThere) {
  LaunchRig rig({});
  GlobalMemory& memory = *rig.memory;
  EXPECT_EQ(memory.Allocate(std::uint64_t{1} << 40).error().code, 2);
  EXPECT_EQ(*memory.Allocate(0), 0U);
  EXPECT_TRUE(memory.Free(0).has_value());
  const std::uint64_t a = *memory.Allocate(1000);
  const std::uint64_t b = *memory.Allocate(1000);
  EXPECT_EQ(a % 512, 0U);
  EXPECT_GE(b - a, 1000U + 512U);
  EXPECT_EQ(memory.Memory().free_bytes, memory.Memory().total_bytes - 2000);
  EXPECT_EQ(memory.Free(a + 4).error().code, 1);
  EXPECT_TRUE(memory.Free(a).has_value());
  EXPECT_THAT(memory.Free(a).error().detail, testing::HasSubstr("freed already"));
  EXPECT_EQ(memory.CopyToDevice(a, std::vector<std::byte>(4)).error().code, 1);
  EXPECT_EQ(memory.CopyToDevice(b + 998, std::vector<std::byte>(4)).error().code, 1);
  ASSERT_EQ(memory.Leaks().size(), 1U);
  EXPECT_EQ(memory.Leaks()[0].address, b);
  // The arena does not run out of address space by allocating again and again.
  for (int i = 0; i < 40; ++i) {
    const DeviceResult<std::uint64_t> big = memory.Allocate(100 << 20);
    ASSERT_TRUE(big.has_value()) << big.error().detail;
    ASSERT_TRUE(memory.Free(*big).has_value());
  }
}

TEST(GlobalMemory, MovesWithTheSeed) {
  LaunchRig one({}, 1);
  LaunchRig two({}, 2);
  EXPECT_NE(*one.memory->Allocate(16), *two.memory->Allocate(16));
}

}  // namespace
}  // namespace assay::gpu
