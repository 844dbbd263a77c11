// SPDX-License-Identifier: Apache-2.0
#include "emulator/memory/free_ranges.h"

#include <gtest/gtest.h>

namespace assay::gpu {
namespace {

TEST(FreeRangesTest, TakesTheLowestThatIsLargeEnough) {
  FreeRanges ranges;
  EXPECT_EQ(ranges.Take(1), std::nullopt);
  ranges.Give(0, 10);
  ranges.Give(100, 50);
  EXPECT_EQ(ranges.Take(20), 100);
  EXPECT_EQ(ranges.Take(10), 0);
  EXPECT_EQ(ranges.Take(30), 120);
  EXPECT_EQ(ranges.Take(1), std::nullopt);
}

TEST(FreeRangesTest, NeighboursBecomeOne) {
  FreeRanges ranges;
  ranges.Give(0, 10);
  ranges.Give(20, 10);
  EXPECT_EQ(ranges.Take(30), std::nullopt);
  ranges.Give(10, 10);  // Between both.
  ranges.Give(30, 5);   // Behind the last.
  EXPECT_EQ(ranges.Take(35), 0);
}

}  // namespace
}  // namespace assay::gpu
