// SPDX-License-Identifier: Apache-2.0
#include "emulator/model/roofline.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace assay::gpu {
namespace {

constexpr LaunchShape kFull = {.blocks = 132 * 8, .threads_per_block = 256, .blocks_per_sm = 8};

double Work_ns(const LaunchCounters& counters, const LaunchShape& shape = kFull) {
  return RooflineTime(H100(), counters, shape).time_ns - kLaunchOverhead_ns;
}

TEST(Roofline, NoWorkCostsTheLaunch) {
  const ModelledTime time = RooflineTime(H100(), {}, kFull);
  EXPECT_EQ(time.time_ns, kLaunchOverhead_ns);
  EXPECT_EQ(time.limiter, "launch");
}

TEST(Roofline, DramAtItsBandwidth) {
  LaunchCounters counters;
  counters.dram_read_bytes = 2'352'000'000;
  counters.dram_write_bytes = 1'000'000'000;
  EXPECT_NEAR(Work_ns(counters), 1e6, 1e-3);
  EXPECT_EQ(RooflineTime(H100(), counters, kFull).limiter, "DRAM");
}

// Each unit alone, with what takes the whole GPU a millisecond: 1 980 000 clocks.
TEST(Roofline, EachUnitAtItsPeak) {
  constexpr std::uint64_t kSmClocks = 1'980'000ULL * 132;
  struct Case {
    std::string limiter;
    std::function<void(LaunchCounters&)> set;
  };
  const std::vector<Case> cases = {
      {"L2", [](auto& c) { c.l2_read_sectors = 1'980'000ULL * 5120 / 32; }},
      {"issue", [](auto& c) { c.warp_instructions = kSmClocks * 4; }},
      {"shared memory",
       [](auto& c) {
         c.shared_load.wavefronts = kSmClocks / 2;
         c.shared_store.wavefronts = kSmClocks / 4;
         c.shared_atomic.wavefronts = kSmClocks / 4;
       }},
      {"f64", [](auto& c) { c.flops[0] = kSmClocks * 128; }},
      {"f32", [](auto& c) { c.flops[1] = kSmClocks * 256; }},
      {"f16", [](auto& c) { c.flops[2] = kSmClocks * 512; }},
      {"tensor", [](auto& c) { c.flops[3] = kSmClocks * 3785; }},
      {"special functions", [](auto& c) { c.special_function_ops = kSmClocks * 16; }}};
  for (const Case& one : cases) {
    LaunchCounters counters;
    one.set(counters);
    EXPECT_NEAR(Work_ns(counters), 1e6, 1) << one.limiter;
    EXPECT_EQ(RooflineTime(H100(), counters, kFull).limiter, one.limiter);
  }
}

TEST(Roofline, IdleMultiprocessorsDoNoWork) {
  LaunchCounters counters;
  counters.flops[1] = 1'000'000'000;
  const double full = Work_ns(counters);
  EXPECT_NEAR(Work_ns(counters, {.blocks = 66, .threads_per_block = 256}), 2 * full, 1e-6);
  EXPECT_NEAR(Work_ns(counters, {.blocks = 1, .threads_per_block = 256}), 132 * full, 1e-6);
  // A wave of 132 and one of 1 take as long as two full ones.
  EXPECT_NEAR(Work_ns(counters, {.blocks = 133, .threads_per_block = 256}), full * 264 / 133, 1e-6);
}

TEST(Roofline, OneWarpIssuesOnceAClock) {
  LaunchCounters counters;
  counters.warp_instructions = 1'980'000;
  EXPECT_NEAR(Work_ns(counters, {.blocks = 1, .threads_per_block = 32}), 1e6, 1e-3);
  EXPECT_NEAR(Work_ns(counters, {.blocks = 1, .threads_per_block = 64}), 5e5, 1e-3);
  EXPECT_NEAR(Work_ns(counters, {.blocks = 1, .threads_per_block = 1024}), 2.5e5, 1e-3);
}

TEST(Roofline, OneMultiprocessorTakesInSixtyFourBytesAClock) {
  LaunchCounters counters;
  counters.l2_read_sectors = 1'980'000 * 2;
  const ModelledTime time = RooflineTime(H100(), counters, {.blocks = 1, .threads_per_block = 256});
  EXPECT_NEAR(time.time_ns - kLaunchOverhead_ns, 1e6, 1e-3);
  EXPECT_EQ(time.limiter, "L2 to SM");
}

TEST(Roofline, AnEmptyShapeIsNoDivisionByZero) {
  LaunchCounters counters;
  counters.warp_instructions = 1000;
  EXPECT_GT(
      RooflineTime(H100(), counters, {.blocks = 0, .threads_per_block = 0, .blocks_per_sm = 0})
          .time_ns,
      kLaunchOverhead_ns);
}

}  // namespace
}  // namespace assay::gpu
