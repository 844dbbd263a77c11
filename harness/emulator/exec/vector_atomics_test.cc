// SPDX-License-Identifier: Apache-2.0
// atom and red of .v2 .v4 .v8: each element by itself, all of them one request.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/exec/exec_rig.h"

namespace assay::gpu {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

std::uint32_t BitsOf(float value) { return std::bit_cast<std::uint32_t>(value); }

TEST(VectorAtomics, AddUpInEveryScheduleAndAreOneRequest) {
  // 3 blocks of 64 threads add 1, 2, 3 and 4 where they all meet, and 1 and 2 where each is alone.
  for (const Schedule schedule : {Schedule::kAscending, Schedule::kReversed, Schedule::kRandom}) {
    const Ran ran = ExecRig(R"(
  mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f40000000; mov.f32 %f3, 0f40400000; mov.f32 %f4, 0f40800000;
  red.global.add.v4.f32 [%rd1+16], {%f1, %f2, %f3, %f4};
  mad.lo.u32 %r10, %r0, 64, %r1; mul.wide.u32 %rd5, %r10, 8; add.s64 %rd5, %rd1, %rd5;
  red.global.add.v2.f32 [%rd5+32], {%f1, %f2};
)")
                        .Blocks(3)
                        .Threads(64)
                        .In(schedule, 3)
                        .Run();
    EXPECT_EQ(ran.error, 0) << ran.detail;
    EXPECT_TRUE(ran.report.findings.empty());
    EXPECT_EQ(std::vector(ran.cells.begin() + 4, ran.cells.begin() + 8),
              (std::vector{BitsOf(192), BitsOf(384), BitsOf(576), BitsOf(768)}));
    EXPECT_EQ(ran.cells[8 + 2 * 191], BitsOf(1));
    EXPECT_EQ(ran.cells[9 + 2 * 191], BitsOf(2));
    EXPECT_EQ(ran.report.counters.global_reduction.requests, 12U);
    EXPECT_EQ(ran.report.counters.global_reduction.bytes, 192U * (16 + 8));
  }
}

TEST(VectorAtomics, ReturnWhatWasThereAlsoIntoTheirOperands) {
  const Ran ran = ExecRig(R"(
  st.global.v2.u32 [%rd1], {0x40000000, 0x40800000};
  mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f41200000;
  atom.global.add.v2.f32 {%f1, %f2}, [%rd1], {%f2, %f1};
  mov.b32 %r2, %f1; mov.b32 %r3, %f2;
)")
                      .Threads(1)
                      .Words(2)
                      .Run();
  EXPECT_EQ(ran.error, 0) << ran.detail;
  EXPECT_THAT(ran.out, ElementsAre(BitsOf(2), BitsOf(4)));
  EXPECT_EQ(ran.cells[0], BitsOf(12));
  EXPECT_EQ(ran.cells[1], BitsOf(5));
}

TEST(VectorAtomics, HalvesAddUpAndKeepTheLeastAndTheGreatest) {
  // 1, -0, a NaN and 2, with 3, 0, 1 and a NaN.
  struct Case {
    std::string_view type;
    std::vector<std::uint32_t> there;  // Two halves in each.
    std::vector<std::uint32_t> operand;
    std::string_view operation;
    std::vector<std::uint32_t> expected;
  };
  const std::vector<std::uint32_t> f16 = {0x80003c00, 0x40007e01};
  const std::vector<std::uint32_t> with_f16 = {0x00004200, 0x7e023c00};
  const std::vector<std::uint32_t> bf16 = {0x80003f80, 0x40007fc1};
  const std::vector<std::uint32_t> with_bf16 = {0x00004040, 0x7fc23f80};
  for (const Case& each :
       std::vector<Case>{{"v4.f16", f16, with_f16, "add.noftz", {0x00004400, 0x7fff7fff}},
                         {"v4.f16", f16, with_f16, "min.noftz", {0x80003c00, 0x40003c00}},
                         {"v4.f16", f16, with_f16, "max.noftz", {0x00004200, 0x40003c00}},
                         {"v4.bf16", bf16, with_bf16, "add.noftz", {0x00004080, 0x7fff7fff}},
                         {"v4.bf16", bf16, with_bf16, "min.noftz", {0x80003f80, 0x40003f80}},
                         {"v4.bf16", bf16, with_bf16, "max.noftz", {0x00004040, 0x40003f80}},
                         {"v2.f16x2", f16, with_f16, "add.noftz", {0x00004400, 0x7fff7fff}},
                         {"v2.f16x2", f16, with_f16, "min.noftz", {0x80003c00, 0x40003c00}},
                         {"v2.f16x2", f16, with_f16, "max.noftz", {0x00004200, 0x40003c00}},
                         {"v2.bf16x2", bf16, with_bf16, "add.noftz", {0x00004080, 0x7fff7fff}},
                         {"v2.bf16x2", bf16, with_bf16, "min.noftz", {0x80003f80, 0x40003f80}},
                         {"v2.bf16x2", bf16, with_bf16, "max.noftz", {0x00004040, 0x40003f80}}}) {
    SCOPED_TRACE(std::string(each.type) + " " + std::string(each.operation));
    const bool packed = each.type.starts_with("v2");
    const auto text = [](std::uint32_t bits) { return std::to_string(bits); };
    const Ran ran =
        ExecRig("st.global.v2.u32 [%rd1], {" + text(each.there[0]) + ", " + text(each.there[1]) +
                "};\nmov.b32 %r10, " + text(each.operand[0]) + "; mov.b32 %r11, " +
                text(each.operand[1]) + ";\nmov.b32 {%h0, %h1}, %r10; mov.b32 {%h2, %h3}, %r11;\n" +
                "red.global." + std::string(each.type) + "." + std::string(each.operation) +
                " [%rd1], " + (packed ? "{%r10, %r11}" : "{%h0, %h1, %h2, %h3}") + ";")
            .Threads(1)
            .Run();
    EXPECT_EQ(ran.error, 0) << ran.detail;
    EXPECT_THAT(std::vector(ran.cells.begin(), ran.cells.begin() + 2),
                ElementsAreArray(each.expected));
  }
}

TEST(VectorAtomics, HaveToBeAlignedAsAWhole) {
  const Ran ran = ExecRig("red.global.add.v4.f32 [%rd1+8], {%f1, %f1, %f1, %f1};").Threads(1).Run();
  EXPECT_NE(ran.error, 0);
  EXPECT_THAT(ran.Kinds(), ElementsAre(FindingKind::kMisaligned));
}

}  // namespace
}  // namespace assay::gpu
