// SPDX-License-Identifier: Apache-2.0
#include "suite_counters.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace assay::softmax_topk {
namespace {

using gpu::LaunchReport;

constexpr double kLogits = 1e6;  // Bytes.

/// A launch that loads the logits `times`, with loads of `bytes_a_thread`, and stores an output.
LaunchReport Reads(double times, std::uint64_t bytes_a_thread) {
  LaunchReport launch;
  launch.counters.global_load.bytes = static_cast<std::uint64_t>(times * kLogits);
  launch.counters.vector16_load_bytes =
      bytes_a_thread == 16 ? launch.counters.global_load.bytes : 0;
  launch.counters.global_store.bytes = 64;
  return launch;
}
LaunchReport Vectors(double times) { return Reads(times, 16); }
LaunchReport Words(double times) { return Reads(times, 4); }

double Share(const std::vector<LaunchReport>& launches) {
  return VectorLoadShare(launches, kLogits);
}

TEST(VectorLoadShare, OfHonestKernels) {
  EXPECT_EQ(Share({}), 0);
  EXPECT_EQ(Share({Words(1)}), 0);
  EXPECT_EQ(Share({Vectors(1)}), 1);
  EXPECT_EQ(Share({Words(3)}), 0);
  EXPECT_EQ(Share({Vectors(3)}), 1);
  EXPECT_NEAR(Share({Vectors(1), Words(0.01)}), 1 / 1.01, 1e-6) << "a merge of candidates";
}

TEST(VectorLoadShare, DecoysThatReadTheLogitsAgainGainNoMoreThanOneReading) {
  EXPECT_NEAR(Share({Vectors(99), Words(1)}), 0.5, 1e-9);
  std::vector<LaunchReport> many(50, Vectors(1));
  many.push_back(Words(1));
  EXPECT_NEAR(Share(many), 0.5, 1e-9);
}

TEST(VectorLoadShare, DecoysThatStoreNothingGainNothing) {
  LaunchReport idle = Vectors(99);
  idle.counters.global_store.bytes = 0;
  EXPECT_EQ(Share({idle, Words(1)}), 0);
}

LaunchReport Shaped(double times, double occupancy, std::uint64_t local_bytes,
                    std::uint64_t instructions) {
  LaunchReport launch = Words(times);
  launch.theoretical_occupancy = occupancy;
  launch.resources.local_bytes = local_bytes;
  launch.counters.thread_instructions = instructions;
  return launch;
}

TEST(MainLaunch, IsTheOneThatReadsTheLogits) {
  const std::vector<LaunchReport> split = {Shaped(1, 0.75, 0, 1000), Shaped(0.02, 0.1, 512, 5000)};
  EXPECT_EQ(MainLaunch(split, kLogits), split.data());
  EXPECT_EQ(LocalBytes(split, kLogits), 0U);
  EXPECT_EQ(MainLaunch({}, kLogits), nullptr);
}

/// Whatever it loads and executes.
TEST(MainLaunch, IsNoBetterDecoy) {
  const std::vector<LaunchReport> launches = {
      Shaped(0, 1, 0, 1'000'000), Shaped(7, 1, 0, 1'000'000), Shaped(1, 0.125, 2048, 1000)};
  EXPECT_EQ(MainLaunch(launches, kLogits), &launches[2]);
  EXPECT_EQ(LocalBytes(launches, kLogits), 2048U);
}

/// Work that is cut into many launches is no less the work.
TEST(MainLaunch, OfWorkInManyLaunches) {
  std::vector<LaunchReport> launches(40, Shaped(1.0 / 40, 0.25, 300, 10));
  launches.push_back(Shaped(1, 1, 0, 1'000'000));
  EXPECT_EQ(MainLaunch(launches, kLogits)->theoretical_occupancy, 0.25);
  EXPECT_EQ(LocalBytes(launches, kLogits), 300U);
}

TEST(MainLaunch, OfEqualOccupancyHasTheMostInstructions) {
  const std::vector<LaunchReport> launches = {Shaped(1, 0.5, 0, 10), Shaped(1, 0.5, 0, 30)};
  EXPECT_EQ(MainLaunch(launches, kLogits), &launches[1]);
}

}  // namespace
}  // namespace assay::softmax_topk
