// SPDX-License-Identifier: Apache-2.0
#include "gpu/exec/control_ops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "gpu/exec/exec_rig.h"

namespace assay::gpu {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

// Goes to $a, $b or $a again by %r10; those that come behind it without a jump have %r2 = 30.
std::string JumpBy(std::string_view jump) {
  return R"(
table: .branchtargets $a, $b, $a;
  )" + std::string(jump) +
         R"(
  mov.u32 %r2, 30;
  bra.uni $end;
$a:
  mov.u32 %r2, 10; activemask.b32 %r3;
  bra.uni $end;
$b:
  mov.u32 %r2, 20; activemask.b32 %r3;
$end:
  activemask.b32 %r4;
)";
}

TEST(ControlOps, ABranchTableSendsEachLaneToItsTarget) {
  const Ran ran =
      ExecRig("  rem.u32 %r10, %r1, 3;" + JumpBy("brx.idx %r10, table;")).Words(3).Run();
  ASSERT_EQ(ran.error, 0) << ran.detail;
  EXPECT_EQ(ran.Word(0), EachThread(32, [](auto lane) { return lane % 3 == 1 ? 20U : 10U; }));
  // Lanes 1, 4, 7 … are there alone; those of both entries for $a are there together.
  EXPECT_EQ(ran.Word(1),
            EachThread(32, [](auto lane) { return lane % 3 == 1 ? 0x92492492U : 0x6db6db6dU; }));
  EXPECT_THAT(ran.Word(2), Each(kAllLanes));
  EXPECT_EQ(ran.report.counters.divergent_branches, 1U);
}

TEST(ControlOps, ABranchTableWithOneIndexDoesNotDiverge) {
  const Ran ran = ExecRig("  mov.u32 %r10, 1;" + JumpBy("brx.idx %r10, table;")).Run();
  EXPECT_THAT(ran.out, Each(20U));
  EXPECT_EQ(ran.report.counters.divergent_branches, 0U);
}

TEST(ControlOps, LanesWhoseGuardIsFalsePassABranchTable) {
  // Their index, past the end, is not looked at.
  const Ran ran = ExecRig("  setp.lt.u32 %p1, %r1, 8; selp.u32 %r10, 0, 99, %p1;" +
                          JumpBy("@%p1 brx.idx %r10, table;"))
                      .Words(3)
                      .Run();
  EXPECT_EQ(ran.error, 0) << ran.detail;
  EXPECT_EQ(ran.Word(0), EachThread(32, [](auto lane) { return lane < 8 ? 10U : 30U; }));
  EXPECT_THAT(ran.Word(2), Each(kAllLanes));
  EXPECT_EQ(ran.report.counters.divergent_branches, 1U);
}

TEST(ControlOps, AnIndexPastTheEndOfABranchTableEndsTheLaunch) {
  for (const std::string_view index : {"3", "-1"}) {
    const Ran ran = ExecRig("  setp.eq.u32 %p1, %r1, 5; selp.u32 %r10, " + std::string(index) +
                            ", 0, %p1;" + JumpBy("brx.idx %r10, table;"))
                        .Run();
    EXPECT_EQ(ran.error, 719) << index;
    EXPECT_EQ(ran.detail, "a branch table was indexed past its end");
    EXPECT_THAT(ran.out, Each(kUntouched));
  }
}

TEST(ControlOps, ABranchThatAllOrNoneTakeDoesNotDiverge) {
  const Ran ran = ExecRig(R"(
  setp.lt.u32 %p1, %r1, 32;
  @%p1 bra $taken;
  mov.u32 %r2, 100;
$taken:
  @!%p1 bra $end;
  add.u32 %r2, %r2, 1;
$end:
)")
                      .Run();
  EXPECT_THAT(ran.out, Each(1U));
  EXPECT_EQ(ran.report.counters.branches, 2U);
  EXPECT_EQ(ran.report.counters.divergent_branches, 0U);
}

TEST(ControlOps, OnlyLanesWhoseGuardHoldsExit) {
  const Ran ran = ExecRig(R"(
  setp.ge.u32 %p1, %r1, 32;
  @%p1 exit;
  setp.ge.u32 %p2, %r1, 24;
  @%p2 exit;
  activemask.b32 %r2;
)")
                      .Run();
  EXPECT_EQ(ran.out, EachThread(32, [](auto lane) { return lane < 24 ? 0xffffffU : kUntouched; }));
}

TEST(ControlOps, ATrapNamesTheFirstLaneWhoseGuardHolds) {
  for (const std::string_view trap : {"trap", "brkpt"}) {
    const auto run = [&](const std::string& first) {
      return ExecRig("  setp.ge.u32 %p1, %r1, " + first + "; @%p1 " + std::string(trap) + ";")
          .Run();
    };
    EXPECT_EQ(run("32").error, 0);
    const Ran ran = run("5");
    EXPECT_EQ(ran.error, 719);
    EXPECT_EQ(ran.detail, "the kernel executed a trap");
    ASSERT_THAT(ran.Kinds(), ElementsAre(FindingKind::kTrap));
    EXPECT_EQ(ran.report.findings[0].site.thread[0], 5U);
  }
}

TEST(ControlOps, WhatIsNotSupportedEndsOnlyALaunchThatReachesIt) {
  const auto run = [](const std::string& bound) {
    return ExecRig("  setp.lt.u32 %p1, %r1, " + bound + R"(;
  @%p1 bra $end;
  wgmma.fence.sync.aligned;
$end:
)")
        .Run();
  };
  EXPECT_EQ(run("32").error, 0);
  const Ran ran = run("31");
  EXPECT_EQ(ran.error, 801);
  EXPECT_THAT(ran.detail, HasSubstr("wgmma.fence"));
  ASSERT_THAT(ran.Kinds(), ElementsAre(FindingKind::kUnsupported));
  EXPECT_EQ(ran.report.findings[0].site.thread[0], 31U);
}

TEST(ControlOps, HeadsCountWarpsAndThreads) {
  // One warp of 32 and one of 8. Two instructions of all, one of thread 0 to 3, the end of all.
  const Ran ran = ExecRig::OfModule(KernelOf(R"(
  mov.u32 %r1, %tid.x;
  setp.ge.u32 %p1, %r1, 4;
  @%p1 bra $end;
  add.u32 %r1, %r1, 1;
$end:
  ret;
)"))
                      .Threads(40)
                      .Run();
  EXPECT_EQ(ran.report.counters.warp_instructions, 2 * 3 + 1 + 2U);
  EXPECT_EQ(ran.report.counters.thread_instructions, 40 * 3 + 4 + 40U);
  EXPECT_EQ(ran.report.counters.mix.at("add.u32"), 4U);
}

TEST(ControlOps, StepsHaveOneIndexInBothForms) {
  const auto program = Decoded(KernelOf("  mov.u32 %r1, 1; add.u32 %r1, %r1, 2; ret;"));
  ASSERT_EQ(program->full.size(), program->masked.size());
  for (std::uint32_t i = 0; i < program->full.size(); ++i) {
    EXPECT_EQ(IndexOf(*program, &program->full[i]), i);
    EXPECT_EQ(IndexOf(*program, &program->masked[i]), i);
  }
}

TEST(ControlOps, TheFirstFaultStays) {
  Worker worker;
  Block block;
  block.position = 6;
  Warp warp;
  warp.worker = &worker;
  warp.block = &block;
  EXPECT_EQ(Fault(warp, 700, "first"), nullptr);
  block.position = 7;
  EXPECT_EQ(Fault(warp, 719, "second"), nullptr);
  EXPECT_EQ(worker.fault.error, 700);
  EXPECT_EQ(worker.fault.detail, "first");
  EXPECT_EQ(worker.fault_position, 6U);
  EXPECT_EQ(warp.stop, Stop::kFault);
}

TEST(ControlOps, LanesAreCompleteWhenTheRestIsGoneOrWasNeverThere) {
  Warp warp;
  warp.existing = 0x0000ffff;
  warp.active = 0x000000ff;
  EXPECT_FALSE(LanesComplete(warp, kAllLanes));
  EXPECT_TRUE(LanesComplete(warp, 0xffff00f0));
  warp.exited = 0x0000ff00;
  EXPECT_TRUE(LanesComplete(warp, kAllLanes));
  warp.exited = 0x00007f00;
  EXPECT_FALSE(LanesComplete(warp, kAllLanes));
  // Given up.
  warp.stop = Stop::kLanes;
  EXPECT_TRUE(LanesComplete(warp, kAllLanes));
}

}  // namespace
}  // namespace assay::gpu
