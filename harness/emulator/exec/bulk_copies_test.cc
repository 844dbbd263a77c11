// SPDX-License-Identifier: Apache-2.0
// cp.async.bulk: when it copies, what it counts as, and what is wrong with it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/exec/exec_rig.h"

namespace assay::gpu {
namespace {

using testing::Each;
using testing::ElementsAre;

// Thread t has written 100 + t into cell t and 7 into word t of `tile`, and thread 0 has made
// `bar`, for one arrival. %r10 and %r11: where these two are.
constexpr std::string_view kBegin = R"(
  .shared .align 128 .b8 tile[4096]; .shared .align 8 .b8 bar[8];
  mov.u32 %r10, tile; mov.u32 %r11, bar;
  mul.wide.u32 %rd5, %r1, 4; add.s64 %rd5, %rd1, %rd5;
  add.u32 %r12, %r1, 100; st.global.u32 [%rd5], %r12;
  shl.b32 %r13, %r1, 2; add.u32 %r13, %r10, %r13; st.shared.u32 [%r13], 7;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 mbarrier.init.shared.b64 [%r11], 1;
  bar.sync 0;
)";
// All wait for the first phase of `bar`.
constexpr std::string_view kWait = R"(
$wait:
  mbarrier.try_wait.parity.shared.b64 %p2, [%r11], 0;
  @!%p2 bra $wait;
)";
constexpr std::string_view kExpect1024 =
    "  @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r11], 1024;\n";
constexpr std::string_view kLoad =
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes ";
std::string Load1024() {
  return "  @%p1 " + std::string(kLoad) + "[%r10], [%rd1], 1024, [%r11];\n";
}

std::string Joined(std::initializer_list<std::string_view> parts) {
  std::string all(kBegin);
  for (const std::string_view part : parts) {
    all += part;
  }
  return all;
}

TEST(BulkCopies, ToSharedMemoryArriveForWhoWaitsAtTheMbarrierAndNotBefore) {
  // Whichever comes first, what is expected or the copy.
  const std::string load = Load1024();
  for (const auto& [first, second] : {std::pair(kExpect1024, std::string_view(load)),
                                      std::pair(std::string_view(load), kExpect1024)}) {
    const Ran ran = ExecRig(Joined({first, second, "  ld.shared.u32 %r2, [%r13];\n  bar.sync 0;\n",
                                    kWait, "  ld.shared.u32 %r3, [%r13];\n"}))
                        .Threads(256)
                        .Words(2)
                        .Run();
    EXPECT_EQ(ran.error, 0) << ran.detail;
    EXPECT_THAT(ran.report.findings, testing::IsEmpty());
    EXPECT_THAT(ran.Word(0), Each(7U));
    EXPECT_EQ(ran.Word(1), EachThread(256, [](auto thread) { return 100 + thread; }));
  }
}

TEST(BulkCopies, CountAsRequestsOf512Bytes) {
  const Ran with = ExecRig(Joined({kExpect1024, Load1024(), kWait})).Threads(256).Run();
  const Ran without =
      ExecRig(Joined({"  @%p1 mbarrier.arrive.shared.b64 _, [%r11];\n", kWait})).Threads(256).Run();
  const auto& loads = with.report.counters.global_load;
  EXPECT_EQ(loads.requests - without.report.counters.global_load.requests, 2U);
  EXPECT_EQ(loads.sectors - without.report.counters.global_load.sectors, 32U);
  EXPECT_EQ(loads.bytes - without.report.counters.global_load.bytes, 1024U);
  EXPECT_EQ(with.report.counters.shared_store.bytes - without.report.counters.shared_store.bytes,
            1024U);
  EXPECT_EQ(with.report.counters.global_store.bytes, without.report.counters.global_store.bytes);
}

TEST(BulkCopies, FromSharedMemoryAreReadAsLateAsTheWaitForTheirGroup) {
  // Two groups of 16 bytes; the shared words are 8 when the first is waited for, 9 at the second.
  const Ran ran = ExecRig(Joined({R"(
  @!%p1 bra $end;
  cp.async.bulk.global.shared::cta.bulk_group [%rd1+1024], [%r10+16], 16;
  cp.async.bulk.commit_group;
  cp.async.bulk.global.shared::cta.bulk_group [%rd1+2048], [%r10+16], 16;
  cp.async.bulk.commit_group;
  cp.async.bulk.global.shared::cta.bulk_group [%rd1+3072], [%r10+16], 16;
  st.shared.u32 [%r10+16], 8;
  cp.async.bulk.wait_group.read 1;
  ld.global.u32 %r2, [%rd1+1024]; ld.global.u32 %r3, [%rd1+2048];
  st.shared.u32 [%r10+16], 9;
  cp.async.bulk.wait_group 0;
  ld.global.u32 %r4, [%rd1+2048]; ld.global.u32 %r5, [%rd1+3072];
  st.shared.u32 [%r10+16], 10;
$end:
)"}))
                      .Threads(32)
                      .Words(4)
                      .Run();
  EXPECT_EQ(ran.error, 0) << ran.detail;
  EXPECT_THAT(std::vector(ran.out.begin(), ran.out.begin() + 4), ElementsAre(8, 0, 9, 0));
  EXPECT_EQ(ran.cells[3072 / 4], 10U) << "in no group: at the end of the thread";
}

TEST(BulkCopies, CommittedGroupsAreNotThoseOfOtherCopies) {
  const Ran ran = ExecRig(Joined({R"(
  @!%p1 bra $end;
  cp.async.bulk.global.shared::cta.bulk_group [%rd1+1024], [%r10], 16;
  cp.async.commit_group; cp.async.wait_all;
  cp.async.bulk.wait_group 0;
  ld.global.u32 %r2, [%rd1+1024];
$end:
)"}))
                      .Threads(32)
                      .Run();
  EXPECT_EQ(ran.error, 0) << ran.detail;
  EXPECT_EQ(ran.out[0], 0U);
  EXPECT_EQ(ran.cells[1024 / 4], 7U);
}

TEST(BulkCopies, VeryManyAreNotKept) {
  const Ran ran = ExecRig(Joined({R"(
  @!%p1 bra $end;
  mov.u32 %r14, 600; add.s64 %rd6, %rd1, 1024;
$again:
  cp.async.bulk.global.shared::cta.bulk_group [%rd6], [%r10], 16;
  sub.u32 %r14, %r14, 1; setp.ne.u32 %p2, %r14, 0;
  @%p2 bra $again;
  ld.global.u32 %r2, [%rd1+1024];
$end:
)"}))
                      .Threads(32)
                      .Run();
  EXPECT_EQ(ran.error, 0) << ran.detail;
  EXPECT_EQ(ran.out[0], 7U);
}

TEST(BulkCopies, PrefetchesChangeNothing) {
  const Ran ran = ExecRig(Joined({"  cp.async.bulk.prefetch.L2.global [%rd1], 1024;\n"})).Run();
  EXPECT_EQ(ran.error, 0) << ran.detail;
  EXPECT_TRUE(ran.report.findings.empty());
}

TEST(BulkCopies, WhatIsWrongWithThemIsTheirOwnThreads) {
  struct Case {
    std::string_view copy;
    FindingKind kind;
    std::uint32_t size_bytes;
  };
  // By thread 5.
  for (const Case& each : {
           Case{"[%r10], [%rd1], 1000, [%r11]", FindingKind::kMisaligned, 1000},
           Case{"[%r10+8], [%rd1], 1024, [%r11]", FindingKind::kMisaligned, 16},
           Case{"[%r10], [%rd1+4], 1024, [%r11]", FindingKind::kMisaligned, 16},
           Case{"[%r10], [%rd1+4080], 1024, [%r11]", FindingKind::kOutOfBounds, 16},
           Case{"[%r10+4096], [%rd1], 1024, [%r11]", FindingKind::kOutOfBounds, 16},
           Case{"[%r10], [%rd1], 1024, [%r11+4]", FindingKind::kMisaligned, 8},
           Case{"[%r10], [%rd1], 1024, [%r11+65536]", FindingKind::kOutOfBounds, 8},
       }) {
    SCOPED_TRACE(each.copy);
    const Ran ran = ExecRig(Joined({"  setp.eq.u32 %p3, %r1, 5;\n", "  @%p3 ", kLoad, each.copy,
                                    ";\n", kExpect1024, kWait}))
                        .Threads(32)
                        .Run();
    ASSERT_THAT(ran.Kinds(), ElementsAre(each.kind));
    EXPECT_EQ(ran.report.findings[0].size_bytes, each.size_bytes);
    EXPECT_EQ(ran.report.findings[0].site.thread[0], 5U);
  }
}

}  // namespace
}  // namespace assay::gpu
