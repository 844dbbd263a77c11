// SPDX-License-Identifier: Apache-2.0
// Lanes, warps and blocks that spin on what others tell them, the order in which they run, the
// watchdog. Lanes that part and meet are in scheduler_lanes_test.cc.
#include "emulator/exec/scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/exec/exec_rig.h"

namespace assay::gpu {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

// -------------------------------------------------------------------------- those that spin

TEST(Scheduler, LanesThatSleepLetTheOthersOfTheirWarpGoFirst) {
  // Lane 0 looks twice: before it sleeps, and after the others have told it.
  constexpr std::string_view kWait = R"(
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra $tell;
$spin:
  add.u32 %r2, %r2, 1;
  ld.volatile.global.u32 %r10, [%rd1];
  setp.ne.u32 %p2, %r10, 0;
  @%p2 bra $end;
  nanosleep.u32 100;
  bra.uni $spin;
$tell:
  st.volatile.global.u32 [%rd1], 1;
$end:
)";
  for (const Schedule schedule : kSchedules) {
    const Ran ran = ExecRig(kWait).Threads(2).In(schedule, 1).Run();
    EXPECT_EQ(ran.error, 0);
    EXPECT_THAT(ran.out, ElementsAre(2, 0));
  }
}

TEST(Scheduler, LanesThatSleepLetTheOthersGoFirstAlsoBeforeABranchTarget) {
  // Lane 0 looks once, sleeps, and then sees what lane 1 has stored.
  for (const Schedule schedule : kSchedules) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      const Ran ran = ExecRig(R"(
  setp.ne.u32 %p1, %r1, 0;
  setp.eq.u32 %p3, %r1, 77;
  @%p1 bra $stores;
$spin:
  add.u32 %r2, %r2, 1;
  ld.volatile.global.u32 %r10, [%rd1];
  setp.ne.u32 %p2, %r10, 0;
  @%p2 bra $end;
  @%p3 bra $skip;
  nanosleep.u32 100;
$skip:
  bra.uni $spin;
$stores:
  mov.u32 %r11, 1;
  st.volatile.global.u32 [%rd1], %r11;
$end:
)")
                          .Threads(2)
                          .In(schedule, seed)
                          .Run();
      ASSERT_EQ(ran.error, 0) << ran.detail;
      EXPECT_LE(ran.out[0], 3U) << seed;
    }
  }
}

TEST(Scheduler, LanesThatSpinForLongLetTheOthersOfTheirWarpGoOn) {
  const Ran ran = ExecRig(R"(
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra $tell;
$spin:
  add.u32 %r2, %r2, 1;
  ld.volatile.global.u32 %r10, [%rd1];
  setp.eq.u32 %p2, %r10, 0;
  @%p2 bra $spin;
  bra.uni $end;
$tell:
  st.volatile.global.u32 [%rd1], 1;
$end:
)")
                      .Threads(2)
                      .Limit(100'000'000)
                      .Run();
  EXPECT_EQ(ran.error, 0) << ran.detail;
  EXPECT_GT(ran.out[0], 1000U);
  EXPECT_EQ(ran.out[1], 0U);
}

TEST(Scheduler, AWarpThatSpinsLetsTheOthersOfItsBlockRun) {
  for (const Schedule schedule : kSchedules) {
    // Each warp waits for the other once, so that one of the two spins first in any order.
    const Ran ran = ExecRig(R"(
  shr.u32 %r10, %r1, 5;
  mul.wide.u32 %rd5, %r10, 4; add.s64 %rd5, %rd1, %rd5;
  xor.b32 %r11, %r10, 1;
  mul.wide.u32 %rd6, %r11, 4; add.s64 %rd6, %rd1, %rd6;
  st.volatile.global.u32 [%rd5], 1;
$spin:
  ld.volatile.global.u32 %r2, [%rd6];
  setp.eq.u32 %p1, %r2, 0;
  @%p1 bra $spin;
)")
                        .Threads(64)
                        .In(schedule, 1)
                        .Limit(100'000'000)
                        .Run();
    EXPECT_EQ(ran.error, 0) << ran.detail;
    EXPECT_THAT(ran.out, Each(1U));
  }
}

// Each block waits for a neighbour's number and tells its own, one more; %p1: it waits for nobody.
constexpr std::string_view kChain = R"(
  mov.u32 %r11, 0;
  @%p1 bra $tell;
$spin:
  ld.acquire.gpu.global.u32 %r11, [%rd6];
  setp.eq.u32 %p2, %r11, 0;
  @%p2 bra $spin;
$tell:
  add.u32 %r2, %r11, 1;
  st.release.gpu.global.u32 [%rd5], %r2;
)";

TEST(Scheduler, BlocksThatWaitForLaterOnesMakeProgress) {
  const std::string body = R"(
  mov.u32 %r10, %nctaid.x; sub.u32 %r10, %r10, 1; setp.eq.u32 %p1, %r0, %r10;
  mul.wide.u32 %rd5, %r0, 4; add.s64 %rd5, %rd1, %rd5; add.s64 %rd6, %rd5, 4;
)" + std::string(kChain);
  for (const Schedule schedule : kSchedules) {
    const Ran ran = ExecRig(body).Blocks(12).Threads(1).In(schedule, 2).Limit(1'000'000'000).Run();
    EXPECT_EQ(ran.error, 0) << ran.detail;
    EXPECT_EQ(ran.out, EachThread(12, [](auto block) { return 12 - block; }));
  }
}

TEST(Scheduler, BlocksThatWaitForEarlierOnesMakeProgress) {
  const std::string body = R"(
  setp.eq.u32 %p1, %r0, 0;
  mul.wide.u32 %rd5, %r0, 4; add.s64 %rd5, %rd1, %rd5; add.s64 %rd6, %rd5, -4;
)" + std::string(kChain);
  for (const Schedule schedule : kSchedules) {
    const Ran ran = ExecRig(body).Blocks(12).Threads(1).In(schedule, 2).Limit(1'000'000'000).Run();
    EXPECT_EQ(ran.error, 0) << ran.detail;
    EXPECT_EQ(ran.out, EachThread(12, [](auto block) { return block + 1; }));
  }
}

// ---------------------------------------------------------------------------------- schedules

// Each thread draws a number: those of a warp together, so that a warp's turn is a 32nd of it.
constexpr std::string_view kDraw = "  atom.global.add.u32 %r2, [%rd1], 1;";

std::vector<std::uint32_t> TurnsOfWarps(const Ran& ran) {
  std::vector<std::uint32_t> turns;
  for (std::size_t i = 0; i < ran.out.size(); i += 32) {
    turns.push_back(ran.out[i] / 32);
  }
  return turns;
}

TEST(Scheduler, WarpsAndBlocksRunFromTheLowest) {
  const Ran ran = ExecRig(kDraw).Blocks(3).Threads(64).Run();
  EXPECT_THAT(TurnsOfWarps(ran), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(Scheduler, ReversedTheyRunFromTheHighest) {
  const Ran ran = ExecRig(kDraw).Blocks(3).Threads(64).In(Schedule::kReversed).Run();
  EXPECT_THAT(TurnsOfWarps(ran), ElementsAre(5, 4, 3, 2, 1, 0));
}

TEST(Scheduler, ASeedHasItsOwnOrderAndAlwaysTheSame) {
  const auto turns = [](std::uint64_t seed) {
    return TurnsOfWarps(ExecRig(kDraw).Blocks(8).Threads(128).In(Schedule::kRandom, seed).Run());
  };
  const auto first = turns(1);
  EXPECT_EQ(turns(1), first);
  const auto second = turns(2);
  EXPECT_NE(second, first);
  for (auto each : {first, second}) {
    EXPECT_FALSE(std::ranges::is_sorted(each));
    std::ranges::sort(each);
    EXPECT_EQ(each, EachThread(32, [](auto turn) { return turn; }));
  }
}

TEST(Scheduler, EachLaunchOfASeedHasAnotherOrder) {
  ExecRig rig(kDraw);
  rig.Blocks(8).Threads(128).In(Schedule::kRandom, 1);
  const Ran first = rig.Run();
  const Ran second = rig.Run();
  EXPECT_NE(TurnsOfWarps(first), TurnsOfWarps(second));
}

TEST(Scheduler, RandomTurnsEndBeforeMemoryIsTouched) {
  // Two warps add to a word by a load and a store: an update is lost when the other's turn is
  // between the two. In order, none is.
  constexpr std::string_view kUpdate = R"(
  and.b32 %r10, %r1, 31; setp.ne.u32 %p1, %r10, 0;
  @%p1 exit;
$loop:
  ld.volatile.global.u32 %r11, [%rd1];
  add.u32 %r11, %r11, 1;
  st.volatile.global.u32 [%rd1], %r11;
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p2, %r2, 100;
  @%p2 bra $loop;
)";
  const Ran ordered = ExecRig(kUpdate).Threads(64).Run();
  EXPECT_EQ(ordered.cells[0], 200U);
  const Ran random = ExecRig(kUpdate).Threads(64).In(Schedule::kRandom, 1).Run();
  EXPECT_LT(random.cells[0], 200U);
  EXPECT_GE(random.cells[0], 1U);
}

TEST(Scheduler, BlocksThatOnlyComputeStayFewInShortTurns) {
  // Each block notes when it began and ended. Of its hundreds of random turns, eight once made more
  // resident, in the end all 200, whose memory no cache held.
  constexpr std::string_view kCompute = R"(
  mov.u32 %r10, 0;
  mov.u32 %r2, %clock;
$loop:
  add.u32 %r10, %r10, 1;
  setp.lt.u32 %p1, %r10, 3000;
  @%p1 bra $loop;
  mov.u32 %r3, %clock;
)";
  const Ran ran =
      ExecRig(kCompute).Blocks(200).Threads(1).Words(2).In(Schedule::kRandom, 1).Workers(1).Run();
  ASSERT_EQ(ran.error, 0) << ran.detail;
  const std::vector<std::uint32_t> begins = ran.Word(0);
  const std::vector<std::uint32_t> ends = ran.Word(1);
  std::int64_t most = 0;
  for (const std::uint32_t now : begins) {
    const auto begun = std::ranges::count_if(begins, [&](auto begin) { return begin <= now; });
    const auto ended = std::ranges::count_if(ends, [&](auto end) { return end < now; });
    most = std::max<std::int64_t>(most, begun - ended);
  }
  EXPECT_GT(most, 1);  // They take turns.
  EXPECT_LE(most, 4);
}

// ----------------------------------------------------------------------------------- watchdog

TEST(Scheduler, TheLimitIsOfWarpInstructionsTimes32AndABlockCosts128) {
  constexpr std::string_view kNothing = ".visible .entry k() { ret; }";
  // Three blocks of two warps, each with one instruction.
  constexpr std::uint64_t kCost = 3 * (128 + 2) * 32;
  for (const unsigned workers : {1U, 2U, 3U}) {
    const auto run = [&](std::uint64_t limit) {
      return ExecRig::OfModule(kNothing).Blocks(3).Threads(64).Workers(workers).Limit(limit).Run();
    };
    EXPECT_EQ(run(kCost).error, 0);
    const Ran ended = run(kCost - 1);
    EXPECT_EQ(ended.error, 702);
    EXPECT_THAT(ended.detail, HasSubstr("(12479 of threads)"));
    EXPECT_THAT(ended.Kinds(), ElementsAre(FindingKind::kWatchdog));
  }
}

TEST(Scheduler, TheWatchdogTellsWhereAKernelWas) {
  const Ran ran = ExecRig(R"(
  bar.sync 0;
$spin:
  add.u32 %r2, %r2, 1;
  bra.uni $spin;
)")
                      .Limit(10'000'000)
                      .Run();
  EXPECT_EQ(ran.error, 702);
  ASSERT_THAT(ran.Kinds(), ElementsAre(FindingKind::kWatchdog));
  EXPECT_EQ(ran.report.findings[0].site.instruction, "add.u32");
  EXPECT_EQ(ran.report.counters, LaunchCounters{});
}

}  // namespace
}  // namespace assay::gpu
