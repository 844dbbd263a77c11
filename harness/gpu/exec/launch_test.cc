// SPDX-License-Identifier: Apache-2.0
// A launch as a whole: the same on any number of cores, what ends it, blocks that meet.
#include "gpu/exec/launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/exec/exec_rig.h"

namespace assay::gpu {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::array<unsigned, 3> kWorkers = {1, 2, 3};

void ExpectSameReport(const LaunchReport& report, const LaunchReport& expected) {
  EXPECT_EQ(report.counters, expected.counters);
  EXPECT_EQ(report.lines, expected.lines);
  ASSERT_EQ(report.findings.size(), expected.findings.size());
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    EXPECT_EQ(report.findings[i].kind, expected.findings[i].kind);
    EXPECT_EQ(report.findings[i].site, expected.findings[i].site);
    EXPECT_EQ(report.findings[i].other, expected.findings[i].other);
    EXPECT_EQ(report.findings[i].count, expected.findings[i].count);
    EXPECT_EQ(report.findings[i].note, expected.findings[i].note);
  }
}

TEST(Launch, ResultsCountersAndFindingsDoNotDependOnTheNumberOfCores) {
  // Blocks of very different lengths, divergent, with reads of what nobody wrote and past an end.
  constexpr std::string_view kUneven = R"(
  .loc 1 5 1
  rem.u32 %r10, %r0, 7; mad.lo.u32 %r10, %r10, 50, %r1;
$loop:
  add.u32 %r2, %r2, 3;
  setp.lt.u32 %p1, %r2, %r10;
  @%p1 bra $loop;
  .loc 1 9 1
  ld.global.u32 %r11, [%rd2]; add.u32 %r3, %r11, 0;
  ld.global.u32 %r12, [%rd2+4100];
  red.global.add.u32 [%rd1+256], 1;
)";
  std::vector<Ran> runs;
  for (const unsigned workers : kWorkers) {
    runs.push_back(
        ExecRig(kUneven, ".file 1 \"uneven.cu\"\n").Blocks(61).Threads(64).Workers(workers).Run());
  }
  const Ran& one = runs[0];
  ASSERT_EQ(one.error, 0) << one.detail;
  // The first multiple of 3 that is not below the bound, 3 at least.
  EXPECT_EQ(one.out, EachThread(61 * 64, [](auto i) {
              const std::uint32_t bound = i / 64 % 7 * 50 + i % 64;
              return std::max((bound + 2) / 3 * 3, 3U);
            }));
  EXPECT_EQ(one.cells[64], 61 * 64U);
  ASSERT_THAT(one.Kinds(), ElementsAre(FindingKind::kUninitialized, FindingKind::kOutOfBounds));
  EXPECT_EQ(one.report.findings[0].count, 61 * 64U);
  EXPECT_EQ(one.report.findings[1].count, 61 * 64U);
  EXPECT_EQ(one.report.lines.size(), 2U);
  for (const Ran& run : runs) {
    EXPECT_EQ(run.out, one.out);
    EXPECT_EQ(run.cells[64], one.cells[64]);
    ExpectSameReport(run.report, one.report);
  }
}

// ----------------------------------------------------------------------------- launches that end

// Of 60 blocks three end the launch, each in a way of its own. The first of them takes long, so
// that the others have ended it on other cores before.
constexpr std::string_view kThreeFaults = R"(
  setp.ne.u32 %p1, %r0, 7;
  @%p1 bra $not_7;
$long:
  add.u32 %r10, %r10, 1;
  setp.lt.u32 %p4, %r10, 20000;
  @%p4 bra $long;
  trap;
$not_7:
  setp.ne.u32 %p2, %r0, 20;
  @%p2 bra $not_20;
  mov.u64 %rd5, 16;
  ld.global.u32 %r11, [%rd5];
$not_20:
  setp.ne.u32 %p3, %r0, 41;
  @%p3 bra $end;
  mov.u32 %r12, 9;
table: .branchtargets $end;
  brx.idx %r12, table;
$end:
)";

TEST(Launch, TheFaultThatComesFirstInTheScheduleStays) {
  for (const unsigned workers : kWorkers) {
    for (int repeat = 0; repeat < 5; ++repeat) {
      const std::string body = "  mov.u32 %r10, 0;" + std::string(kThreeFaults);
      const Ran ascending = ExecRig(body).Blocks(60).Workers(workers).Run();
      EXPECT_EQ(ascending.error, 719);
      EXPECT_EQ(ascending.detail, "the kernel executed a trap");
      ASSERT_THAT(ascending.Kinds(), ElementsAre(FindingKind::kTrap));
      EXPECT_EQ(ascending.report.findings[0].site.block[0], 7U);
      EXPECT_EQ(ascending.report.counters, LaunchCounters{});
      const Ran reversed = ExecRig(body).Blocks(60).Workers(workers).In(Schedule::kReversed).Run();
      EXPECT_EQ(reversed.error, 719);
      EXPECT_EQ(reversed.detail, "a branch table was indexed past its end");
      EXPECT_TRUE(reversed.report.findings.empty());
    }
  }
}

TEST(Launch, BlocksBeforeTheFaultHaveRunToTheirEnd) {
  for (const unsigned workers : kWorkers) {
    const Ran ran = ExecRig(R"(
  setp.eq.u32 %p1, %r0, 30;
  @%p1 trap;
  mov.u32 %r2, 1;
)")
                        .Blocks(60)
                        .Threads(1)
                        .Workers(workers)
                        .Run();
    EXPECT_EQ(ran.error, 719);
    EXPECT_EQ(std::vector(ran.out.begin(), ran.out.begin() + 30),
              std::vector<std::uint32_t>(30, 1));
    EXPECT_EQ(ran.out[30], kUntouched);
    if (workers == 1) {
      EXPECT_THAT(std::vector(ran.out.begin() + 31, ran.out.end()), Each(kUntouched));
    }
  }
}

TEST(Launch, WhatBlocksBehindTheFaultFoundIsLeftOut) {
  // Only block 50 reads what nobody wrote. On some core it may have run before block 10 ends.
  for (const unsigned workers : kWorkers) {
    const Ran ran = ExecRig(R"(
  mov.u32 %r10, 0;
  setp.eq.u32 %p1, %r0, 10;
  setp.eq.u32 %p2, %r0, 50;
  @!%p1 bra $others;
$long:
  add.u32 %r10, %r10, 1;
  setp.lt.u32 %p4, %r10, 200000;
  @%p4 bra $long;
  trap;
$others:
  @!%p2 bra $end;
  ld.global.u32 %r2, [%rd2];
$end:
)")
                        .Blocks(60)
                        .Workers(workers)
                        .Run();
    EXPECT_THAT(ran.Kinds(), ElementsAre(FindingKind::kTrap));
  }
}

// ------------------------------------------------------------------------ the order of blocks

TEST(Launch, KernelsInWhichTheOrderShowsRunInScheduleOrderOnAnyNumberOfCores) {
  for (const unsigned workers : kWorkers) {
    const auto draw = [&](Schedule schedule) {
      return ExecRig("  atom.global.add.u32 %r2, [%rd1], 1;")
          .Blocks(50)
          .Threads(1)
          .In(schedule)
          .Workers(workers)
          .Run()
          .out;
    };
    EXPECT_EQ(draw(Schedule::kAscending), EachThread(50, [](auto block) { return block; }));
    EXPECT_EQ(draw(Schedule::kReversed), EachThread(50, [](auto block) { return 49 - block; }));
  }
}

TEST(Launch, SumsOfFloatsAreRoundedInScheduleOrder) {
  // Block 0 adds 2^24, the other 32 one each. From 2^24 on a one is half a unit, and lost in
  // rounding to even; the ones together are not.
  for (const unsigned workers : kWorkers) {
    const auto sum = [&](Schedule schedule) {
      const Ran ran = ExecRig(R"(
  setp.eq.u32 %p1, %r0, 0;
  mov.f32 %f1, 0f3F800000;
  @%p1 mov.f32 %f1, 0f4B800000;
  red.global.add.f32 [%rd1], %f1;
)")
                          .Blocks(33)
                          .Threads(1)
                          .In(schedule)
                          .Workers(workers)
                          .Run();
      return std::bit_cast<float>(ran.cells[0]);
    };
    EXPECT_EQ(sum(Schedule::kAscending), 16777216.0F);
    EXPECT_EQ(sum(Schedule::kReversed), 16777248.0F);
  }
}

// -------------------------------------------------------------------------- blocks that meet

// Each block tells a number, all meet, each reads the next one's.
constexpr std::string_view kMeet = R"(
  mul.wide.u32 %rd5, %r0, 4; add.s64 %rd5, %rd1, %rd5;
  add.u32 %r10, %r0, 50; st.global.u32 [%rd5+64], %r10;
  bar.sync 0;
  membar.gl;
  atom.global.add.u32 %r11, [%rd1], 1;
  mov.u32 %r12, %nctaid.x; mov.u32 %r13, %ntid.x; mul.lo.u32 %r13, %r13, %r12;
$spin:
  ld.volatile.global.u32 %r14, [%rd1];
  setp.lt.u32 %p1, %r14, %r13;
  @%p1 bra $spin;
  membar.gl;
  bar.sync 0;
  add.u32 %r15, %r0, 1; rem.u32 %r15, %r15, %r12;
  mul.wide.u32 %rd6, %r15, 4; add.s64 %rd6, %rd1, %rd6;
  ld.global.u32 %r2, [%rd6+64];
)";

TEST(Launch, AllBlocksOfACooperativeLaunchMeet) {
  for (const Schedule schedule : kSchedules) {
    for (const unsigned workers : kWorkers) {
      const Ran ran =
          ExecRig(kMeet).Blocks(9).Threads(64).Cooperative().In(schedule, 4).Workers(workers).Run();
      EXPECT_EQ(ran.error, 0) << ran.detail;
      EXPECT_EQ(ran.out, EachThread(9 * 64, [](auto i) { return 50 + (i / 64 + 1) % 9; }));
      EXPECT_TRUE(ran.report.findings.empty());
    }
  }
}

TEST(Launch, BlocksThatWaitForAllOthersBecomeResidentInEveryLaunch) {
  const Ran ran = ExecRig(kMeet).Blocks(9).Threads(64).Limit(1'000'000'000).Run();
  EXPECT_EQ(ran.error, 0) << ran.detail;
  EXPECT_EQ(ran.out, EachThread(9 * 64, [](auto i) { return 50 + (i / 64 + 1) % 9; }));
}

TEST(Launch, OnlyCooperativeLaunchesHaveAGridBarrierAndItBeginsWithZeros) {
  // Its address is in two registers; every block adds one to it, if it is there.
  constexpr std::string_view kWorkspace = R"(
  mov.u32 %r10, %envreg1; mov.u32 %r11, %envreg2; mov.b64 %rd5, {%r11, %r10};
  mov.u32 %r2, 99;
  setp.eq.u64 %p1, %rd5, 0;
  @%p1 bra $end;
  atom.global.add.u32 %r2, [%rd5], 1;
$end:
)";
  EXPECT_THAT(ExecRig(kWorkspace).Blocks(4).Threads(1).Run().out, Each(99U));
  ExecRig rig(kWorkspace);
  rig.Blocks(4).Threads(1).Cooperative();
  for (int launch = 0; launch < 2; ++launch) {
    EXPECT_THAT(rig.Run().out, testing::UnorderedElementsAre(0, 1, 2, 3));
  }
}

TEST(Launch, TheWatchdogEndsACooperativeLaunchToo) {
  const Ran ran = ExecRig(R"(
$spin:
  ld.volatile.global.u32 %r10, [%rd1];
  setp.eq.u32 %p1, %r10, 0;
  @%p1 bra $spin;
)")
                      .Blocks(4)
                      .Cooperative()
                      .Limit(5'000'000)
                      .Run();
  EXPECT_EQ(ran.error, 702);
  ASSERT_THAT(ran.Kinds(), ElementsAre(FindingKind::kWatchdog));
  EXPECT_THAT(ran.detail, HasSubstr("(5000000 of threads)"));
}

TEST(Launch, GridsHaveTheProductOfTheirDimensions) {
  EXPECT_EQ(BlocksOf({3, 5, 7}), 105U);
  EXPECT_EQ(BlocksOf({0x7fffffff, 2, 1}), 0xfffffffeU);
}

TEST(Launch, WithoutChecksResultsAreTheSame) {
  const auto run = [](Checking checking) {
    return ExecRig("  ld.global.u32 %r10, [%rd2]; add.u32 %r2, %r1, %r0;")
        .Blocks(3)
        .Checks(checking)
        .Run();
  };
  const Ran checked = run(Checking::kOn);
  const Ran unchecked = run(Checking::kOff);
  EXPECT_EQ(unchecked.out, checked.out);
  EXPECT_FALSE(checked.report.findings.empty());
  EXPECT_TRUE(unchecked.report.findings.empty());
  EXPECT_EQ(unchecked.report.counters.warp_instructions, checked.report.counters.warp_instructions);
}

}  // namespace
}  // namespace assay::gpu
