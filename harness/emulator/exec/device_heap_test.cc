// SPDX-License-Identifier: Apache-2.0
#include "emulator/exec/device_heap.h"

#include <gtest/gtest.h>

#include <optional>

namespace assay::gpu {
namespace {

constexpr std::uint64_t kBase = 0x1000;

TEST(DeviceHeap, HandsOutDisjointAlignedParts) {
  DeviceHeap heap(kBase);
  const std::uint64_t a = heap.Allocate(1);
  const std::uint64_t b = heap.Allocate(17);
  const std::uint64_t c = heap.Allocate(16);
  EXPECT_EQ(a, kBase);
  EXPECT_EQ(b, kBase + 32);
  EXPECT_EQ(c, kBase + 64);
}

TEST(DeviceHeap, ReusesWhatWasFreed) {
  DeviceHeap heap(kBase);
  const std::uint64_t a = heap.Allocate(64);
  (void)heap.Allocate(64);
  EXPECT_EQ(heap.Free(a), 64U);
  EXPECT_EQ(heap.Allocate(32), a);
}

TEST(DeviceHeap, GivesNullWhenFull) {
  DeviceHeap heap(kBase);
  EXPECT_NE(heap.Allocate(DeviceHeap::kSizeBytes), 0U);
  EXPECT_EQ(heap.Allocate(1), 0U);
  EXPECT_EQ(heap.Allocate(~std::uint64_t{0}), 0U);
}

TEST(DeviceHeap, FreesOnlyWhatItGave) {
  DeviceHeap heap(kBase);
  const std::uint64_t a = heap.Allocate(64);
  EXPECT_EQ(heap.Free(0), 0U);
  EXPECT_EQ(heap.Free(a + 16), std::nullopt);
  EXPECT_EQ(heap.Free(a), 64U);
  EXPECT_EQ(heap.Free(a), std::nullopt);
}

}  // namespace
}  // namespace assay::gpu
