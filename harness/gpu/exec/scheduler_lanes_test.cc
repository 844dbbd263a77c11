// SPDX-License-Identifier: Apache-2.0
// What the scheduler does with the lanes of a warp: they part and meet again, exit, and wait for
// those that a mask names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "gpu/exec/exec_rig.h"
#include "gpu/exec/scheduler.h"

namespace assay::gpu {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

// ------------------------------------------------------------------------- lanes part and meet

TEST(Scheduler, LanesOfNestedBranchesMeetWhereEachBranchEnds) {
  const Ran ran = ExecRig(R"(
  and.b32 %r10, %r1, 1; setp.ne.u32 %p1, %r10, 0;
  and.b32 %r11, %r1, 2; setp.ne.u32 %p2, %r11, 0;
  @%p1 bra $odd;
  @%p2 bra $two;
  activemask.b32 %r2;
  bra.uni $even_end;
$two:
  activemask.b32 %r2;
$even_end:
  activemask.b32 %r3;
  bra.uni $end;
$odd:
  @%p2 bra $three;
  activemask.b32 %r2;
  bra.uni $odd_end;
$three:
  activemask.b32 %r2;
$odd_end:
  activemask.b32 %r3;
$end:
  activemask.b32 %r4;
)")
                      .Words(3)
                      .Run();
  ASSERT_EQ(ran.error, 0) << ran.detail;
  EXPECT_EQ(ran.Word(0), EachThread(32, [](auto lane) { return 0x11111111U << lane % 4; }));
  EXPECT_EQ(ran.Word(1), EachThread(32, [](auto lane) { return 0x55555555U << lane % 2; }));
  EXPECT_THAT(ran.Word(2), Each(kAllLanes));
  // The outer branch and both inner ones; three jumps from one side over the other.
  EXPECT_EQ(ran.report.counters.divergent_branches, 3U);
  EXPECT_EQ(ran.report.counters.branches, 6U);
}

TEST(Scheduler, LanesThatLoopLessWaitForTheOthers) {
  // Lane l is in l + 1 rounds; round i has the 32 - i lanes from lane i on.
  for (const Schedule schedule : kSchedules) {
    const Ran ran = ExecRig(R"(
  mov.u32 %r10, 0;
$loop:
  activemask.b32 %r11; popc.b32 %r11, %r11; add.u32 %r2, %r2, %r11;
  add.u32 %r10, %r10, 1;
  setp.le.u32 %p1, %r10, %r1;
  @%p1 bra $loop;
  activemask.b32 %r3;
)")
                        .Words(2)
                        .In(schedule, 3)
                        .Run();
    EXPECT_EQ(ran.Word(0),
              EachThread(32, [](auto lane) { return 32 * (lane + 1) - lane * (lane + 1) / 2; }));
    EXPECT_THAT(ran.Word(1), Each(kAllLanes));
  }
}

TEST(Scheduler, LanesOfNestedLoopsMeetBehindEach) {
  const Ran ran = ExecRig(R"(
  rem.u32 %r10, %r1, 3; rem.u32 %r11, %r1, 4;
  mov.u32 %r12, 0;
$outer:
  mov.u32 %r13, 0;
$inner:
  add.u32 %r2, %r2, 1;
  add.u32 %r13, %r13, 1;
  setp.le.u32 %p1, %r13, %r11;
  @%p1 bra $inner;
  activemask.b32 %r14; or.b32 %r3, %r3, %r14;
  add.u32 %r12, %r12, 1;
  setp.le.u32 %p2, %r12, %r10;
  @%p2 bra $outer;
  activemask.b32 %r4;
)")
                      .Words(3)
                      .Run();
  EXPECT_EQ(ran.Word(0), EachThread(32, [](auto lane) { return (lane % 3 + 1) * (lane % 4 + 1); }));
  // All are in the first round of the outer loop, and meet behind the inner one.
  EXPECT_THAT(ran.Word(1), Each(kAllLanes));
  EXPECT_THAT(ran.Word(2), Each(kAllLanes));
}

TEST(Scheduler, LanesInDifferentFunctionsMeetBehindTheCall) {
  // Even lanes call one through the pointer, odd ones another, which returns at two places.
  const Ran ran = ExecRig(R"(
  and.b32 %r10, %r1, 1; setp.ne.u32 %p1, %r10, 0;
  mov.u64 %rd5, odd; mov.u64 %rd6, even; selp.b64 %rd7, %rd5, %rd6, %p1;
  prototype: .callprototype (.param .b32 _) _ (.param .b32 _);
  { .param .b32 a; .param .b32 r;
    st.param.b32 [a], %r1; call (r), %rd7, (a), prototype; ld.param.b32 %r2, [r]; }
  activemask.b32 %r3;
)",
                          R"(
.func (.param .b32 r) odd(.param .b32 x) {
  .reg .b32 %r<3>; .reg .pred %p<2>;
  ld.param.b32 %r1, [x];
  setp.lt.u32 %p1, %r1, 9;
  @%p1 bra $low;
  add.u32 %r2, %r1, 100; st.param.b32 [r], %r2;
  ret;
$low:
  add.u32 %r2, %r1, 300; st.param.b32 [r], %r2;
  ret;
}
.func (.param .b32 r) even(.param .b32 x) {
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [x]; add.u32 %r2, %r1, 200; st.param.b32 [r], %r2;
  ret;
}
)")
                      .Words(2)
                      .Run();
  EXPECT_EQ(ran.error, 0) << ran.detail;
  EXPECT_EQ(ran.Word(0), EachThread(32, [](auto lane) {
              return lane + (lane % 2 == 0 ? 200 : lane < 9 ? 300 : 100);
            }));
  EXPECT_THAT(ran.Word(1), Each(kAllLanes));
}

TEST(Scheduler, LanesThatExitedAreNotWaitedFor) {
  // Lane l leaves in round l, of 16 rounds.
  const Ran ran = ExecRig(R"(
  mov.u32 %r10, 0;
$loop:
  setp.eq.u32 %p1, %r10, %r1;
  @%p1 exit;
  add.u32 %r10, %r10, 1;
  setp.lt.u32 %p2, %r10, 16;
  @%p2 bra $loop;
  activemask.b32 %r2;
)")
                      .Run();
  EXPECT_EQ(ran.error, 0);
  EXPECT_EQ(ran.out,
            EachThread(32, [](auto lane) { return lane < 16 ? kUntouched : 0xffff0000U; }));
}

TEST(Scheduler, ThreadsThatABlockDoesNotHaveDoNotRun) {
  const Ran ran = ExecRig("  activemask.b32 %r2;").Threads(40).Run();
  EXPECT_EQ(ran.out, EachThread(40, [](auto thread) { return thread < 32 ? kAllLanes : 0xffU; }));
  EXPECT_EQ(ran.report.counters.global_store.threads, 40U);
}

// ------------------------------------------------------------------ lanes that wait for lanes

TEST(Scheduler, LanesOfAMaskWaitForEachOtherAndForNobodyElse) {
  // Both halves vote by themselves, at one instruction that they reach by different ways.
  const Ran ran = ExecRig(R"(
  setp.ge.u32 %p1, %r1, 16;
  and.b32 %r10, %r1, 1; setp.ne.u32 %p2, %r10, 0;
  selp.u32 %r11, 0xffff0000, 0x0000ffff, %p1;
  @%p2 bra $vote;
  add.u32 %r3, %r3, 1;
$vote:
  vote.sync.ballot.b32 %r2, %p2, %r11;
)")
                      .Run();
  EXPECT_EQ(ran.out,
            EachThread(32, [](auto lane) { return lane < 16 ? 0x0000aaaaU : 0xaaaa0000U; }));
  EXPECT_TRUE(ran.report.findings.empty());
}

TEST(Scheduler, AMaskNamesThreadsThatTheBlockDoesNotHave) {
  const Ran ran = ExecRig(R"(
  setp.ne.u32 %p1, %r1, 3;
  vote.sync.ballot.b32 %r2, %p1, 0xffffffff;
)")
                      .Threads(20)
                      .Run();
  EXPECT_THAT(ran.out, Each(0x000ffff7U));
  EXPECT_TRUE(ran.report.findings.empty());
}

TEST(Scheduler, LanesThatExitedCountAsComeAndAreAWarning) {
  const Ran ran = ExecRig(R"(
  setp.ge.u32 %p1, %r1, 8;
  @%p1 exit;
  vote.sync.ballot.b32 %r2, !%p1, 0xffffffff;
)")
                      .Run();
  EXPECT_EQ(ran.error, 0);
  EXPECT_EQ(ran.out, EachThread(32, [](auto lane) { return lane < 8 ? 0xffU : kUntouched; }));
  ASSERT_THAT(ran.Kinds(), ElementsAre(FindingKind::kInvalidMask));
  EXPECT_EQ(ran.report.findings[0].severity, Severity::kWarning);
}

TEST(Scheduler, LanesThatNeverComeAreAFindingAndTheOthersGoOn) {
  // Even lanes wait at one vote, odd ones at another.
  const Ran ran = ExecRig(R"(
  and.b32 %r10, %r1, 1; setp.ne.u32 %p1, %r10, 0;
  setp.eq.u32 %p2, %r1, %r1;
  @%p1 bra $odd;
  vote.sync.ballot.b32 %r2, %p2, 0xffffffff;
  bra.uni $end;
$odd:
  vote.sync.ballot.b32 %r2, %p2, 0xffffffff;
$end:
)")
                      .Run();
  EXPECT_EQ(ran.error, 0) << ran.detail;
  EXPECT_EQ(ran.out, EachThread(32, [](auto lane) { return 0x55555555U << lane % 2; }));
  // The even ones are given up; at their end, the odd ones have only exited lanes to wait for.
  ASSERT_THAT(ran.Kinds(), ElementsAre(FindingKind::kInvalidMask, FindingKind::kInvalidMask));
  EXPECT_EQ(ran.report.findings[0].severity, Severity::kError);
  EXPECT_THAT(ran.report.findings[0].note,
              HasSubstr("lanes 0xaaaaaaaa of the mask 0xffffffff never come"));
  EXPECT_EQ(ran.report.findings[0].site.thread[0], 0U);
  EXPECT_EQ(ran.report.findings[1].severity, Severity::kWarning);
}

TEST(Scheduler, LanesThatWaitForThoseAtABarrierOfTheBlockAreGivenUp) {
  const Ran ran = ExecRig(R"(
  setp.ge.u32 %p1, %r1, 16;
  @!%p1 bra $meet;
  vote.sync.ballot.b32 %r2, %p1, 0xffffffff;
$meet:
  bar.sync 0;
)")
                      .Run();
  EXPECT_EQ(ran.error, 0) << ran.detail;
  EXPECT_EQ(ran.out, EachThread(32, [](auto lane) { return lane < 16 ? 0U : 0xffff0000U; }));
  ASSERT_THAT(ran.Kinds(), ElementsAre(FindingKind::kInvalidMask));
  EXPECT_THAT(ran.report.findings[0].note, HasSubstr("lanes 0x0000ffff"));
  EXPECT_EQ(ran.report.findings[0].site.thread[0], 16U);
}

TEST(Scheduler, WarpBarriersAreOneWhereverLanesWait) {
  const Ran ran = ExecRig(R"(
  mov.u32 %r10, s; shl.b32 %r11, %r1, 2; add.u32 %r10, %r10, %r11;
  and.b32 %r12, %r1, 1; setp.ne.u32 %p1, %r12, 0;
  @%p1 bra $odd;
  add.u32 %r13, %r1, 100;
  st.shared.u32 [%r10], %r13;
  bar.warp.sync 0xffffffff;
  bra.uni $end;
$odd:
  bar.warp.sync 0xffffffff;
  ld.shared.u32 %r2, [%r10+-4];
$end:
)",
                          ".shared .align 4 .b8 s[128];")
                      .Run();
  EXPECT_EQ(ran.out, EachThread(32, [](auto lane) { return lane % 2 == 0 ? 0 : 99 + lane; }));
  EXPECT_TRUE(ran.report.findings.empty());
}

}  // namespace
}  // namespace assay::gpu
