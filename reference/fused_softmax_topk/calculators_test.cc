// SPDX-License-Identifier: Apache-2.0
#include "calculators.h"

#include <gtest/gtest.h>

namespace assay::softmax_topk {
namespace {

// 2 rows of 10 logits, 3 kept: small enough to count on paper.
constexpr Workload kSmall{.rows = 2, .vocabulary = 10, .k = 3};
// The published shape of a decode step.
constexpr Workload kBatch{.rows = 64, .vocabulary = 32'768, .k = 8};

TEST(Calculators, TrafficCountedByHand) {
  // 40 bytes of logits a row, 24 of outputs. Three reads, one write and one read of a row: 200.
  EXPECT_EQ(UnfusedBytes(kSmall), 448);
  EXPECT_EQ(SafeBytes(kSmall), 288);
  EXPECT_EQ(OnlineBytes(kSmall), 128);
  // 131,072 bytes a row and 64.
  EXPECT_EQ(OnlineBytes(kBatch), 8'392'704);
  EXPECT_EQ(SafeBytes(kBatch), 25'169'920);
  EXPECT_EQ(UnfusedBytes(kBatch), 41'947'136);
}

TEST(Calculators, TheGainIsLessWhereOutputsCount) {
  EXPECT_DOUBLE_EQ(GainOverUnfused(kSmall, OnlineBytes(kSmall)), 3.5);
  EXPECT_NEAR(GainOverUnfused(kBatch, OnlineBytes(kBatch)), 4.998, 1e-3);
  EXPECT_NEAR(GainOverUnfused(kBatch, SafeBytes(kBatch)), 1.6666, 1e-4);
}

TEST(Calculators, OperationsCountedByHand) {
  EXPECT_EQ(SafeFlops(kSmall), 98);     // 2 (40 + 9)
  EXPECT_EQ(OnlineFlops(kSmall), 158);  // 2 (70 + 9)
  EXPECT_EQ(OnlineFlops(kBatch), 14'681'600);
  EXPECT_DOUBLE_EQ(SafeIntensity(kSmall), 98.0 / 288);
  EXPECT_NEAR(OnlineIntensity(kBatch), 1.7493, 1e-4);
}

TEST(Calculators, IntensityDecidesWhatBounds) {
  EXPECT_NEAR(Ridge(kA100With80), 9.564, 1e-3);
  EXPECT_NEAR(Ridge(kH100With80), 19.970, 1e-3);
  EXPECT_EQ(Bound(OnlineIntensity(kBatch), kA100With80), "memory");
  constexpr Processor kSoftFloat{.flops_per_second = 0.5e9, .bytes_per_second = 8e9};
  EXPECT_EQ(Bound(SafeIntensity(kBatch), kSoftFloat), "compute");
  EXPECT_EQ(Bound(Ridge(kA100With80), kA100With80), "compute");
}

TEST(Calculators, SectorsOfOneRequest) {
  EXPECT_EQ(SectorsOfARequest(4, 0), 4);
  EXPECT_EQ(SectorsOfARequest(4, 4), 5);
  EXPECT_EQ(SectorsOfARequest(4, 31), 5);
  EXPECT_EQ(SectorsOfARequest(4, 32), 4);
  EXPECT_EQ(SectorsOfARequest(16, 0), 16);
  EXPECT_EQ(SectorsOfARequest(2, 6), 3);
}

TEST(Calculators, OccupancyByEachLimit) {
  // 40 registers: 1,280 a warp, 51 warps, 6 blocks of 8 warps.
  EXPECT_DOUBLE_EQ(Occupancy({.threads = 256, .registers = 40, .shared_bytes = 0}, kA100With80),
                   0.75);
  // 33 registers: 1,056, which is rounded to 1,280 too.
  EXPECT_DOUBLE_EQ(Occupancy({.threads = 256, .registers = 33, .shared_bytes = 0}, kA100With80),
                   0.75);
  // 34 KiB a block with the reserved one: 4 of them are in 164.
  EXPECT_DOUBLE_EQ(
      Occupancy({.threads = 256, .registers = 32, .shared_bytes = 33 * kKiB}, kA100With80), 0.5);
  EXPECT_DOUBLE_EQ(Occupancy({.threads = 32, .registers = 32, .shared_bytes = 0}, kA100With80),
                   0.5);  // 32 blocks of one warp.
  EXPECT_DOUBLE_EQ(Occupancy({.threads = 1024, .registers = 32, .shared_bytes = 0}, kA100With80),
                   1);
  EXPECT_DOUBLE_EQ(Occupancy({.threads = 1024, .registers = 72, .shared_bytes = 0}, kA100With80),
                   0);
}

TEST(Calculators, SplitsFillTheMultiprocessors) {
  EXPECT_EQ(FewestSplits(1, kA100With80), 108);
  EXPECT_EQ(FewestSplits(5, kH100With80), 27);
  EXPECT_EQ(FewestSplits(200, kA100With80), 1);
}

TEST(Calculators, ListsOfThreads) {
  EXPECT_EQ(ListBytes(256, 50), 102'400);
  // 163 KiB are 166,912 bytes; a k of 1 costs 2,048.
  EXPECT_EQ(LargestListK(256, kA100With80), 81);
  EXPECT_EQ(LargestListK(1024, kH100With80), 28);
}

}  // namespace
}  // namespace assay::softmax_topk
