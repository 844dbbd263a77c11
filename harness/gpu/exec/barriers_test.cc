// SPDX-License-Identifier: Apache-2.0
#include "gpu/exec/barriers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "gpu/exec/exec_rig.h"

namespace assay::gpu {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kShared = ".shared .align 4 .b8 s[1024];";
// %r20: the address of the thread's word in shared memory.
constexpr std::string_view kOwnWord =
    "  mov.u32 %r20, s; shl.b32 %r21, %r1, 2; add.u32 %r20, %r20, %r21;\n";

ExecRig WithShared(std::string_view body) {
  return ExecRig(std::string(kOwnWord) + std::string(body), kShared);
}

void ExpectOnlyDivergence(const Ran& ran, Severity severity, std::string_view note) {
  EXPECT_EQ(ran.error, 0) << ran.detail;
  ASSERT_THAT(ran.Kinds(), ElementsAre(FindingKind::kDivergentBarrier));
  EXPECT_EQ(ran.report.findings[0].severity, severity);
  EXPECT_EQ(ran.report.findings[0].note, note);
}

TEST(Barriers, ABarrierIsReadyForTheNextRound) {
  // Round after round every thread reads what the next warp has just written.
  for (const Schedule schedule : kSchedules) {
    const Ran ran = WithShared(R"(
  add.u32 %r10, %r1, 32; rem.u32 %r10, %r10, 96;
  mov.u32 %r11, s; shl.b32 %r12, %r10, 2; add.u32 %r11, %r11, %r12;
  mov.u32 %r13, 0;
$round:
  add.u32 %r14, %r13, %r1;
  st.shared.u32 [%r20], %r14;
  bar.sync 0;
  ld.shared.u32 %r15, [%r11];
  add.u32 %r2, %r2, %r15;
  bar.sync 0;
  add.u32 %r13, %r13, 1;
  setp.lt.u32 %p1, %r13, 10;
  @%p1 bra $round;
)")
                        .Threads(96)
                        .In(schedule, 7)
                        .Run();
    // The rounds 0 to 9, and ten times the other's index.
    EXPECT_EQ(ran.out, EachThread(96, [](auto thread) { return 45 + 10 * ((thread + 32) % 96); }));
    EXPECT_TRUE(ran.report.findings.empty());
    EXPECT_EQ(ran.report.counters.barriers, 3 * 20U);
  }
}

TEST(Barriers, WarpsMeetAtSeveralBarriersAtOnce) {
  // Warps 0 and 1 at barrier 1, warps 2 and 3 at barrier 2, by an index in a register.
  for (const Schedule schedule : kSchedules) {
    const Ran ran = WithShared(R"(
  shr.u32 %r10, %r1, 6; add.u32 %r10, %r10, 1;
  st.shared.u32 [%r20], %r1;
  bar.sync %r10, 64;
  xor.b32 %r11, %r1, 32; shl.b32 %r11, %r11, 2; mov.u32 %r12, s; add.u32 %r12, %r12, %r11;
  ld.shared.u32 %r2, [%r12];
)")
                        .Threads(128)
                        .In(schedule, 7)
                        .Run();
    EXPECT_EQ(ran.out, EachThread(128, [](auto thread) { return thread ^ 32U; }));
    EXPECT_TRUE(ran.report.findings.empty());
  }
}

TEST(Barriers, WhoArrivesDoesNotWait) {
  // If it did, the first warp would be at barrier 1 and the second at barrier 2.
  for (const Schedule schedule : kSchedules) {
    const Ran ran = WithShared(R"(
  setp.ge.u32 %p1, %r1, 32;
  @%p1 bra $second;
  add.u32 %r10, %r1, 100;
  st.shared.u32 [%r20], %r10;
  bar.arrive 1, 64;
  bar.sync 2, 64;
  bra.uni $end;
$second:
  bar.sync 2, 64;
  bar.sync 1, 64;
  ld.shared.u32 %r2, [%r20+-128];
$end:
)")
                        .Threads(64)
                        .In(schedule, 7)
                        .Run();
    EXPECT_EQ(ran.error, 0) << ran.detail;
    EXPECT_EQ(ran.out, EachThread(64, [](auto thread) { return thread < 32 ? 0 : 68 + thread; }));
    EXPECT_TRUE(ran.report.findings.empty());
  }
}

TEST(Barriers, WhoArrivedCountsForOneRound) {
  // One warp fills a buffer three times, another empties it; each waits for the other's arrival.
  for (const Schedule schedule : kSchedules) {
    const Ran ran = WithShared(R"(
  mov.u32 %r10, 0;
  setp.ge.u32 %p1, %r1, 32;
  @%p1 bra $empty;
$fill:
  add.u32 %r10, %r10, 1;
  mul.lo.u32 %r11, %r10, 10;
  st.shared.u32 [%r20], %r11;
  bar.arrive 1, 64;
  bar.sync 2, 64;
  setp.lt.u32 %p2, %r10, 3;
  @%p2 bra $fill;
  bra.uni $end;
$empty:
  bar.sync 1, 64;
  ld.shared.u32 %r11, [%r20+-128];
  add.u32 %r2, %r2, %r11;
  bar.arrive 2, 64;
  add.u32 %r10, %r10, 1;
  setp.lt.u32 %p2, %r10, 3;
  @%p2 bra $empty;
$end:
)")
                        .Threads(64)
                        .In(schedule, 7)
                        .Run();
    EXPECT_EQ(ran.error, 0) << ran.detail;
    EXPECT_EQ(ran.out, EachThread(64, [](auto thread) { return thread < 32 ? 0U : 60U; }));
    EXPECT_TRUE(ran.report.findings.empty());
  }
}

TEST(Barriers, AnIncompleteWarpCountsAs32) {
  const Ran ran = ExecRig("  bar.sync 1, 64; mov.u32 %r2, 1;").Threads(48).Run();
  EXPECT_EQ(ran.error, 0) << ran.detail;
  EXPECT_THAT(ran.out, Each(1U));
}

TEST(Barriers, ReductionsAreOfThoseThatTheCountNames) {
  // The third warp takes no part.
  const Ran ran = ExecRig(R"(
  mov.u32 %r10, %laneid;
  setp.lt.u32 %p1, %r10, 5;
  setp.lt.u32 %p2, %r10, 32;
  setp.ge.u32 %p5, %r1, 64;
  @%p5 bra $end;
  bar.red.popc.u32 %r2, 1, 64, %p1;
  bar.red.and.pred %p3, 1, 64, %p2;
  bar.red.or.pred %p4, 1, 64, !%p2;
  selp.u32 %r3, 1, 2, %p3;
  selp.u32 %r4, 1, 2, %p4;
$end:
)")
                      .Threads(96)
                      .Words(3)
                      .Run();
  EXPECT_EQ(ran.error, 0) << ran.detail;
  EXPECT_EQ(ran.Word(0), EachThread(96, [](auto thread) { return thread < 64 ? 10U : 0U; }));
  EXPECT_EQ(ran.Word(1), EachThread(96, [](auto thread) { return thread < 64 ? 1U : 0U; }));
  EXPECT_EQ(ran.Word(2), EachThread(96, [](auto thread) { return thread < 64 ? 2U : 0U; }));
  EXPECT_TRUE(ran.report.findings.empty());
}

TEST(Barriers, ReductionsOfAllLeaveOutThoseThatExited) {
  const Ran ran = ExecRig(R"(
  setp.ge.u32 %p1, %r1, 40;
  @%p1 exit;
  bar.red.popc.u32 %r2, 0, !%p1;
  bar.red.and.pred %p2, 0, !%p1;
  selp.u32 %r3, 1, 2, %p2;
)")
                      .Threads(64)
                      .Words(2)
                      .Run();
  EXPECT_EQ(ran.error, 0);
  EXPECT_EQ(ran.Word(0),
            EachThread(64, [](auto thread) { return thread < 40 ? 40U : kUntouched; }));
  EXPECT_EQ(ran.Word(1), EachThread(64, [](auto thread) { return thread < 40 ? 1U : kUntouched; }));
}

// ------------------------------------------------------------------------- divergent barriers

TEST(Barriers, ThreadsThatExitedCountAsComeAndAreAWarning) {
  const Ran ran = ExecRig(R"(
  setp.ge.u32 %p1, %r1, 40;
  @%p1 exit;
  bar.sync 0;
  mov.u32 %r2, 1;
)")
                      .Threads(64)
                      .Run();
  ExpectOnlyDivergence(ran, Severity::kWarning, "threads of the block exited before it");
  EXPECT_EQ(ran.report.findings[0].count, 1U);
  EXPECT_EQ(ran.out, EachThread(64, [](auto thread) { return thread < 40 ? 1U : kUntouched; }));
}

TEST(Barriers, ThoseThatExitedBeforeALoopStayAWarningInAllOfItsRounds) {
  const Ran ran = ExecRig(R"(
  setp.ge.u32 %p1, %r1, 40;
  @%p1 exit;
$round:
  bar.sync 0;
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p2, %r2, 3;
  @%p2 bra $round;
)")
                      .Threads(64)
                      .Run();
  ExpectOnlyDivergence(ran, Severity::kWarning, "threads of the block exited before it");
  EXPECT_EQ(ran.report.findings[0].count, 3U);
}

TEST(Barriers, ThoseThatLeftALoopAndExitedAreAnError) {
  // Warp w comes w + 1 times.
  const Ran ran = ExecRig(R"(
  shr.u32 %r10, %r1, 5;
$round:
  bar.sync 0;
  add.u32 %r2, %r2, 1;
  setp.le.u32 %p1, %r2, %r10;
  @%p1 bra $round;
)")
                      .Threads(64)
                      .Run();
  ExpectOnlyDivergence(ran, Severity::kError,
                       "threads of the block that were at it exited, and others came again");
  EXPECT_EQ(ran.out, EachThread(64, [](auto thread) { return thread < 32 ? 1U : 2U; }));
}

TEST(Barriers, LanesWhoseGuardIsFalseGoOn) {
  const Ran ran = ExecRig(R"(
  setp.lt.u32 %p1, %r1, 16;
  @%p1 bar.sync 0;
  activemask.b32 %r2;
)")
                      .Run();
  // They exit meanwhile, and the barrier has nobody else to wait for.
  ExpectOnlyDivergence(ran, Severity::kWarning, "threads of the block exited before it");
  EXPECT_EQ(ran.out, EachThread(32, [](auto lane) { return lane < 16 ? 0xffffU : 0xffff0000U; }));
}

// Those for which %p1 holds meet the others at a barrier of their own.
constexpr std::string_view kTwoPlaces = R"(
  @%p1 bra $there;
  bar.sync 0;
  bra.uni $end;
$there:
  bar.sync 0;
$end:
)";

TEST(Barriers, LanesOfAWarpAtDifferentBarriersAreAnError) {
  const Ran ran =
      ExecRig("  and.b32 %r10, %r1, 1; setp.ne.u32 %p1, %r10, 0;" + std::string(kTwoPlaces)).Run();
  ExpectOnlyDivergence(ran, Severity::kError,
                       "threads of the warp wait for each other at different places");
  ASSERT_TRUE(ran.report.findings[0].other);
  EXPECT_EQ(ran.report.findings[0].site.thread[0], 0U);
  EXPECT_EQ(ran.report.findings[0].other->thread[0], 1U);
  EXPECT_EQ(ran.report.findings[0].other->ptx_line, ran.report.findings[0].site.ptx_line + 3);
}

TEST(Barriers, WarpsAtDifferentBarriersAreAnErrorUnlessTheyCount) {
  std::string body = "  setp.ge.u32 %p1, %r1, 32;" + std::string(kTwoPlaces);
  const Ran ran = ExecRig(body).Threads(64).Run();
  ExpectOnlyDivergence(ran, Severity::kError,
                       "threads of the block wait for each other at different places");
  EXPECT_EQ(ran.report.findings[0].other->thread[0], 32U);
  for (std::size_t at = 0; (at = body.find("bar.sync 0;", at)) != std::string::npos; ++at) {
    body.replace(at, 11, "bar.sync 0, 64;");
  }
  const Ran counted = ExecRig(body).Threads(64).Run();
  EXPECT_EQ(counted.error, 0);
  EXPECT_TRUE(counted.report.findings.empty());
}

// ----------------------------------------------------------------------- deadlocks, bad barriers

TEST(Barriers, ADeadlockTellsWhoWaitsWhere) {
  const Ran ran = ExecRig(R"(
  setp.ge.u32 %p1, %r1, 32;
  @%p1 bra $two;
  .loc 1 7 3
  bar.sync 1;
  bra.uni $end;
$two:
  .loc 1 9 3
  bar.sync 2;
$end:
)",
                          ".file 1 \"stuck.cu\"\n")
                      .Threads(64)
                      .Run();
  EXPECT_EQ(ran.error, 702);
  ASSERT_THAT(ran.Kinds(), ElementsAre(FindingKind::kDeadlock));
  EXPECT_EQ(ran.report.findings[0].note,
            "warp 0 lanes 0xffffffff at bar.sync (line 7), "
            "warp 1 lanes 0xffffffff at bar.sync (line 9)");
  EXPECT_EQ(ran.report.findings[0].site.line, 7U);
  EXPECT_EQ(ran.detail, "deadlock: every thread waits for another; " + ran.report.findings[0].note);
}

TEST(Barriers, ADeadlockOfManyWarpsNamesTheFirstEight) {
  const Ran ran = ExecRig("  bar.sync 1, 352;").Threads(320).Run();
  EXPECT_EQ(ran.error, 702);
  EXPECT_THAT(ran.detail, HasSubstr("warp 7 "));
  EXPECT_THAT(ran.detail, testing::Not(HasSubstr("warp 8 ")));
}

TEST(Barriers, OneThreadTooFewForACountIsADeadlock) {
  // Of the second warp half has exited: what is left counts as a warp.
  constexpr std::string_view kHalf = R"(
  setp.ge.u32 %p1, %r1, 48;
  @%p1 exit;
  bar.sync 1, )";
  EXPECT_EQ(ExecRig(std::string(kHalf) + "64;").Threads(64).Run().error, 0);
  EXPECT_EQ(ExecRig(std::string(kHalf) + "96;").Threads(64).Run().error, 702);
}

TEST(Barriers, ThereAreBarriersZeroTo15) {
  const auto run = [](const std::string& index) {
    return ExecRig("  mov.u32 %r10, " + index + "; bar.sync %r10; mov.u32 %r2, 1;").Run();
  };
  EXPECT_THAT(run("15").out, Each(1U));
  const Ran ran = run("16");
  EXPECT_EQ(ran.error, 719);
  ASSERT_THAT(ran.Kinds(), ElementsAre(FindingKind::kInvalidBarrier));
  EXPECT_EQ(ran.report.findings[0].note, "barriers are 0 to 15");
}

TEST(Barriers, CountsAreMultiplesOf32) {
  for (const std::string_view count : {"0", "16", "33"}) {
    const Ran ran = ExecRig("  mov.u32 %r10, " + std::string(count) + "; bar.sync 1, %r10;").Run();
    EXPECT_EQ(ran.error, 719) << count;
    ASSERT_THAT(ran.Kinds(), ElementsAre(FindingKind::kInvalidBarrier));
    EXPECT_EQ(ran.report.findings[0].note, "a barrier's count of threads is a multiple of 32");
  }
}

}  // namespace
}  // namespace assay::gpu
