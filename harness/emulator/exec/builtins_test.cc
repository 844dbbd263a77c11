// SPDX-License-Identifier: Apache-2.0
// printf, assert, malloc and free as device code calls them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "emulator/exec/device_heap.h"
#include "emulator/exec/exec_rig.h"

namespace assay::gpu {
namespace {

using testing::Each;
using testing::ElementsAre;

// A module variable with the characters of `text` and the zero behind them.
std::string TextVariable(std::string_view name, std::string_view text) {
  std::string variable =
      ".global .align 1 .b8 " + std::string(name) + "[" + std::to_string(text.size() + 1) + "] = {";
  for (const char each : text) {
    variable += std::to_string(static_cast<int>(each)) + ", ";
  }
  return variable + "0};\n";
}

constexpr std::string_view kVprintf =
    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n";
// %r2 = printf(the text at %rd5, whose arguments are in `stack`)
constexpr std::string_view kPrint = R"(
  { .param .b64 f; .param .b64 a; .param .b32 r;
    mov.u64 %rd6, stack; cvta.local.u64 %rd7, %rd6;
    st.param.b64 [f], %rd5; st.param.b64 [a], %rd7;
    call.uni (r), vprintf, (f, a);
    ld.param.b32 %r2, [r]; }
)";

// Prints `format` with two words, of the block and of the thread, where %p1 holds.
ExecRig Printing(std::string_view format, std::string_view condition) {
  return ExecRig("  .local .align 8 .b8 stack[16];\n" + std::string(condition) + R"(
  @!%p1 bra $end;
  st.local.u32 [stack], %r0; st.local.u32 [stack+4], %r1;
  mov.u64 %rd8, format; cvta.global.u64 %rd5, %rd8;
)" + std::string(kPrint) +
                     "$end:\n",
                 std::string(kVprintf) + TextVariable("format", format));
}

TEST(Builtins, LanesPrintInTheirOrderAndPrintfCountsItsArguments) {
  const Ran ran = Printing("%d:%d\n", "  setp.lt.u32 %p1, %r1, 3;").Run();
  EXPECT_EQ(ran.error, 0) << ran.detail;
  EXPECT_EQ(ran.printed, "0:0\n0:1\n0:2\n");
  EXPECT_EQ(ran.out, EachThread(32, [](auto lane) { return lane < 3 ? 2U : 0U; }));
  EXPECT_TRUE(ran.report.findings.empty());
}

TEST(Builtins, WhatBlocksPrintIsInScheduleOrderOnAnyNumberOfCores) {
  // Of each block the last lane of both warps.
  const auto print = [](Schedule schedule, unsigned workers) {
    return Printing("%d.%d ", "  and.b32 %r10, %r1, 31; setp.eq.u32 %p1, %r10, 31;")
        .Blocks(5)
        .Threads(64)
        .In(schedule)
        .Workers(workers)
        .Run()
        .printed;
  };
  for (const unsigned workers : {1U, 2U, 3U}) {
    EXPECT_EQ(print(Schedule::kAscending, workers),
              "0.31 0.63 1.31 1.63 2.31 2.63 3.31 3.63 4.31 4.63 ");
    EXPECT_EQ(print(Schedule::kReversed, workers),
              "4.63 4.31 3.63 3.31 2.63 2.31 1.63 1.31 0.63 0.31 ");
  }
}

TEST(Builtins, PrintfReadsStringsOfEverySpace) {
  // A name in shared memory, one in local memory (as words, the lowest byte first), one of the
  // module.
  const Ran ran = ExecRig(R"(
  .local .align 8 .b8 stack[32];
  mov.u64 %rd8, in_shared; cvta.shared.u64 %rd9, %rd8;
  st.shared.u32 [in_shared], 0x00006261; st.local.u64 [stack], %rd9;
  mov.u64 %rd8, stack; cvta.local.u64 %rd9, %rd8; add.s64 %rd9, %rd9, 24;
  st.local.u32 [stack+24], 0x00646363; st.local.u64 [stack+8], %rd9;
  mov.u64 %rd8, name; cvta.global.u64 %rd9, %rd8; st.local.u64 [stack+16], %rd9;
  mov.u64 %rd8, format; cvta.global.u64 %rd5, %rd8;
)" + std::string(kPrint),
                          std::string(kVprintf) + TextVariable("format", "%s %s %s;") +
                              TextVariable("name", "efg") + ".shared .align 4 .b8 in_shared[8];\n")
                      .Threads(1)
                      .Run();
  EXPECT_EQ(ran.error, 0) << ran.detail;
  EXPECT_EQ(ran.printed, "ab ccd efg;");
  EXPECT_THAT(ran.out, Each(3U));
}

TEST(Builtins, PrintfOfNoFormatPrintsNothingAndSaysSo) {
  const Ran ran =
      ExecRig("  .local .align 8 .b8 stack[16];\n  mov.u64 %rd5, 0;\n" + std::string(kPrint),
              kVprintf)
          .Threads(2)
          .Run();
  EXPECT_EQ(ran.error, 0) << ran.detail;
  EXPECT_EQ(ran.printed, "");
  EXPECT_THAT(ran.out, Each(~0U));
}

// ------------------------------------------------------------------------------------- assert

ExecRig Asserting(std::string_view condition) {
  return ExecRig(std::string(condition) + R"(
  @!%p1 bra $end;
  { .param .b64 m; .param .b64 f; .param .b32 l; .param .b64 n; .param .b64 c;
    mov.u64 %rd8, message; cvta.global.u64 %rd5, %rd8; st.param.b64 [m], %rd5;
    mov.u64 %rd8, file; cvta.global.u64 %rd5, %rd8; st.param.b64 [f], %rd5;
    st.param.b32 [l], 12;
    mov.u64 %rd8, function; cvta.global.u64 %rd5, %rd8; st.param.b64 [n], %rd5;
    st.param.b64 [c], 1;
    call.uni __assertfail, (m, f, l, n, c); }
$end:
)",
                 R"(
.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n,
                           .param .b64 c);
)" + TextVariable("message", "a < b") +
                     TextVariable("file", "x.cu") + TextVariable("function", "void f()"));
}

TEST(Builtins, AnAssertionThatFailsNamesEveryThreadOfTheWarpAndEndsTheLaunch) {
  // Threads 3 and 5 of block 1: (3,0,0) and (1,1,0) of blocks of 4 by 8.
  const Ran ran = Asserting(R"(
  mov.u32 %r10, %tid.y; mad.lo.u32 %r10, %r10, 4, %r1;
  setp.eq.u32 %p2, %r10, 3; setp.eq.or.u32 %p2, %r10, 5, %p2;
  setp.eq.and.u32 %p1, %r0, 1, %p2;
)")
                      .Blocks(2)
                      .Block({4, 8, 1})
                      .Run();
  EXPECT_EQ(ran.error, 710);
  EXPECT_EQ(ran.detail, "device-side assert: `a < b`");
  EXPECT_EQ(ran.printed,
            "x.cu:12: void f(): block: [1,0,0], thread: [3,0,0] Assertion `a < b` failed.\n"
            "x.cu:12: void f(): block: [1,0,0], thread: [1,1,0] Assertion `a < b` failed.\n");
  ASSERT_THAT(ran.Kinds(), ElementsAre(FindingKind::kAssert));
  EXPECT_EQ(ran.report.findings[0].note, "assertion `a < b` failed");
  EXPECT_EQ(ran.report.findings[0].site.thread, (ExecRig::Dimensions{3, 0, 0}));
  EXPECT_EQ(ran.report.findings[0].site.block[0], 1U);
}

TEST(Builtins, AnAssertionThatHoldsDoesNothing) {
  const Ran ran = Asserting("  setp.gt.u32 %p1, %r1, 31;").Run();
  EXPECT_EQ(ran.error, 0);
  EXPECT_EQ(ran.printed, "");
}

// ------------------------------------------------------------------------------- malloc, free

constexpr std::string_view kHeap =
    ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n";
// %rd5 = malloc(%rd6); free(%rd5)
constexpr std::string_view kMalloc = R"(
  { .param .b64 n; .param .b64 r;
    st.param.b64 [n], %rd6; call.uni (r), malloc, (n); ld.param.b64 %rd5, [r]; }
)";
constexpr std::string_view kFree =
    "  { .param .b64 p; st.param.b64 [p], %rd5; call.uni free, (p); }\n";

TEST(Builtins, EachThreadGetsMemoryOfItsOwn) {
  // Its distance to what the first lane got: 40 bytes are two sectors.
  const Ran ran = ExecRig("  mov.u64 %rd6, 40;" + std::string(kMalloc) + R"(
  cvt.u32.u64 %r10, %rd5;
  shfl.sync.idx.b32 %r11, %r10, 0, 31, -1;
  sub.u32 %r2, %r10, %r11;
  st.u32 [%rd5+36], %r1; ld.u32 %r3, [%rd5+36];
)" + std::string(kFree),
                          kHeap)
                      .Words(2)
                      .Run();
  EXPECT_EQ(ran.error, 0) << ran.detail;
  EXPECT_EQ(ran.Word(0), EachThread(32, [](auto lane) { return 64 * lane; }));
  EXPECT_EQ(ran.Word(1), EachThread(32, [](auto lane) { return lane; }));
  EXPECT_TRUE(ran.report.findings.empty());
}

TEST(Builtins, WhatWasFreedIsGivenToTheNextBlockAndTheNextLaunch) {
  ExecRig rig("  mov.u64 %rd6, 40;" + std::string(kMalloc) + "  cvt.u32.u64 %r2, %rd5;\n" +
                  std::string(kFree),
              kHeap);
  rig.Blocks(3).Threads(1);
  const Ran first = rig.Run();
  EXPECT_THAT(first.out, Each(first.out[0]));
  EXPECT_EQ(rig.Run().out, first.out);
}

// Blocks that got the same bytes one after the other were said to race.
TEST(Builtins, WhatIsHandedOutAgainRacesWithNothingBefore) {
  for (const Schedule schedule : {Schedule::kAscending, Schedule::kReversed}) {
    const Ran ran =
        ExecRig("  mov.u64 %rd6, 40;" + std::string(kMalloc) +
                    "  st.u32 [%rd5+36], %r0; ld.u32 %r2, [%rd5+36];\n" + std::string(kFree),
                kHeap)
            .Blocks(3)
            .Threads(1)
            .In(schedule)
            .Run();
    EXPECT_EQ(ran.error, 0) << ran.detail;
    EXPECT_TRUE(ran.report.findings.empty());
  }
}

TEST(Builtins, WhatIsHandedOutAgainRacesWithWhoDidNotGetIt) {
  // Block 1 gets what block 0 has freed, and block 2 writes there.
  const Ran ran = ExecRig(R"(
  setp.eq.u32 %p1, %r0, 2; setp.eq.u32 %p2, %r0, 0; mov.u64 %rd6, 40;
  @%p1 bra $other;
)" + std::string(kMalloc) +
                              R"(
  st.u32 [%rd5+36], %r0;
  @!%p2 bra $end;
)" + std::string(kFree) + R"(
  st.global.u64 [%rd1], %rd5;
  bra $end;
$other:
  ld.global.u64 %rd7, [%rd1]; st.u32 [%rd7+36], %r0;
$end:
)",
                          kHeap)
                      .Blocks(3)
                      .Threads(1)
                      .Run();
  EXPECT_EQ(ran.error, 0) << ran.detail;
  EXPECT_THAT(ran.Kinds(), testing::Contains(FindingKind::kWriteAfterWrite));
}

TEST(Builtins, WhatWasFreedCountsAsNeverWritten) {
  const auto run = [](std::string_view between) {
    return ExecRig("  mov.u64 %rd6, 40;" + std::string(kMalloc) + "  st.u32 [%rd5+36], %r1;\n" +
                       std::string(between) + "  ld.u32 %r2, [%rd5+36];",
                   kHeap)
        .Threads(1)
        .Run();
  };
  EXPECT_TRUE(run("").report.findings.empty());
  EXPECT_THAT(run(kFree).Kinds(), ElementsAre(FindingKind::kUninitialized));
  const std::string again = std::string(kFree) + std::string(kMalloc);
  EXPECT_THAT(run(again).Kinds(), ElementsAre(FindingKind::kUninitialized));
}

TEST(Builtins, ThereIsNoRoomForMoreThanTheHeap) {
  const auto null_for = [](std::uint64_t bytes) {
    return ExecRig("  mov.u64 %rd6, " + std::to_string(bytes) + ";" + std::string(kMalloc) +
                       "  setp.eq.u64 %p1, %rd5, 0; selp.u32 %r2, 1, 0, %p1;",
                   kHeap)
        .Threads(2)
        .Run()
        .out;
  };
  EXPECT_THAT(null_for(16), ElementsAre(0, 0));
  EXPECT_THAT(null_for(DeviceHeap::kSizeBytes), ElementsAre(0, 1));
  EXPECT_THAT(null_for(DeviceHeap::kSizeBytes + 1), ElementsAre(1, 1));
}

TEST(Builtins, FreeingTwiceIsAFindingAndFreeingNothingIsNone) {
  const Ran ran = ExecRig("  mov.u64 %rd6, 40;" + std::string(kMalloc) + std::string(kFree) +
                              "  mov.u32 %r2, 1;" + std::string(kFree),
                          kHeap)
                      .Threads(3)
                      .Run();
  EXPECT_EQ(ran.error, 0) << ran.detail;
  ASSERT_THAT(ran.Kinds(), ElementsAre(FindingKind::kInvalidFree));
  EXPECT_EQ(ran.report.findings[0].count, 3U);
  EXPECT_THAT(ran.out, Each(1U));
  const Ran nothing = ExecRig("  mov.u64 %rd5, 0;" + std::string(kFree), kHeap).Run();
  EXPECT_TRUE(nothing.report.findings.empty());
}

}  // namespace
}  // namespace assay::gpu
