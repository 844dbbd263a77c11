// SPDX-License-Identifier: Apache-2.0
#include "emulator/exec/start_order.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace assay::gpu {
namespace {

std::vector<std::uint64_t> All(const StartOrder& order) {
  std::vector<std::uint64_t> blocks;
  blocks.reserve(order.size());
  for (std::uint64_t i = 0; i < order.size(); ++i) {
    blocks.push_back(order.BlockAt(i));
  }
  return blocks;
}

TEST(StartOrder, ReversesWithinWindows) {
  EXPECT_EQ(All(StartOrder(Schedule::kReversed, 0, 7, 3)),
            (std::vector<std::uint64_t>{2, 1, 0, 5, 4, 3, 6}));
}

TEST(StartOrder, StartsEveryBlockOnceAndKeepsWindowsInOrder) {
  for (const Schedule schedule : {Schedule::kAscending, Schedule::kReversed, Schedule::kRandom}) {
    const StartOrder order(schedule, 42, 1003, 64);
    std::vector<int> started(1003, 0);
    for (std::uint64_t i = 0; i < order.size(); ++i) {
      ASSERT_LT(order.BlockAt(i), 1003U);
      ++started[order.BlockAt(i)];
      EXPECT_EQ(order.BlockAt(i) / 64, i / 64);
    }
    EXPECT_EQ(started, std::vector<int>(1003, 1));
  }
}

TEST(StartOrder, SeedsShuffleDifferently) {
  EXPECT_NE(All(StartOrder(Schedule::kRandom, 1, 64, 64)),
            All(StartOrder(Schedule::kRandom, 2, 64, 64)));
  EXPECT_EQ(All(StartOrder(Schedule::kRandom, 1, 64, 64)),
            All(StartOrder(Schedule::kRandom, 1, 64, 64)));
}

}  // namespace
}  // namespace assay::gpu
