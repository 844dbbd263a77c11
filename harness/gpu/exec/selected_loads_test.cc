// SPDX-License-Identifier: Apache-2.0
#include "gpu/exec/selected_loads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/exec/exec_rig.h"

namespace assay::gpu {
namespace {

using testing::ElementsAre;

// ------------------------------------------------------------------------- what is reported

// Behind it %r10 is a word that nobody has written, and %p1 holds in the lanes below 7.
constexpr std::string_view kUnwritten = R"(
  mul.wide.u32 %rd5, %r1, 4; add.s64 %rd5, %rd2, %rd5;
  ld.global.u32 %r10, [%rd5];
  setp.lt.u32 %p1, %r1, 7;
)";

// In how many lanes the word counts as used in `body`, which comes behind kUnwritten.
std::uint64_t LanesThatUse(std::string_view body, std::string_view before = kUnwritten) {
  const Ran ran = ExecRig(std::string(before) + std::string(body)).Run();
  EXPECT_EQ(ran.error, 0) << ran.detail;
  std::uint64_t lanes = 0;
  for (const Finding& finding : ran.report.findings) {
    EXPECT_EQ(finding.kind, FindingKind::kUninitialized);
    EXPECT_EQ(finding.site.instruction, "ld.global.u32");
    lanes += finding.count;
  }
  return lanes;
}

TEST(SelectedLoads, AValueThatIsTakenCounts) {
  EXPECT_EQ(LanesThatUse("  selp.u32 %r2, %r10, 5, %p1;"), 7U);
  EXPECT_EQ(LanesThatUse("  selp.u32 %r2, 5, %r10, %p1;"), 25U);
}

TEST(SelectedLoads, AValueThatNobodyTakesIsNoFinding) {
  const Ran ran = ExecRig(std::string(kUnwritten) + R"(
  setp.gt.u32 %p2, %r1, 31;
  selp.u32 %r2, %r10, 5, %p2;
)")
                      .Run();
  EXPECT_TRUE(ran.report.findings.empty());
  EXPECT_THAT(ran.out, testing::Each(5U));
}

TEST(SelectedLoads, OneOfSeveralSelectionsIsEnough) {
  EXPECT_EQ(LanesThatUse(R"(
  setp.ge.u32 %p2, %r1, 30;
  selp.u32 %r2, %r10, 5, %p1;
  selp.u32 %r3, %r10, 6, %p2;
)"),
            9U);
}

TEST(SelectedLoads, EveryOtherUseCounts) {
  EXPECT_EQ(LanesThatUse("  add.u32 %r2, %r10, 1;"), 32U);
  EXPECT_EQ(LanesThatUse("  selp.u32 %r2, %r10, 5, %p1; add.u32 %r2, %r2, %r10;"), 32U);
  // It takes it either way, or keeps an older value.
  EXPECT_EQ(LanesThatUse("  selp.u32 %r2, %r10, %r10, %p1;"), 32U);
  EXPECT_EQ(LanesThatUse("  setp.lt.u32 %p2, %r1, 2; @%p2 selp.u32 %r2, %r10, 5, %p1;"), 32U);
}

TEST(SelectedLoads, APredicateThatIsNotKnownInTimeIsNoExcuse) {
  // The load cannot come behind a store; where the predicate is known before, it need not.
  EXPECT_EQ(LanesThatUse("  st.global.u32 [%rd1], 1; setp.lt.u32 %p2, %r1, 3;"
                         "  selp.u32 %r2, %r10, 5, %p2;"),
            32U);
  constexpr std::string_view kKnownBefore = R"(
  setp.lt.u32 %p1, %r1, 7;
  mul.wide.u32 %rd5, %r1, 4; add.s64 %rd5, %rd2, %rd5;
  ld.global.u32 %r10, [%rd5];
  st.global.u32 [%rd1], 1;
)";
  EXPECT_EQ(LanesThatUse("  selp.u32 %r2, %r10, 5, %p1;", kKnownBefore), 7U);
}

TEST(SelectedLoads, ASelectionInAnotherRunOfInstructionsIsNoExcuse) {
  EXPECT_EQ(LanesThatUse(R"(
  setp.gt.u32 %p2, %r1, 99;
  @%p2 bra $join;
$join:
  selp.u32 %r2, %r10, 5, %p1;
)"),
            32U);
}

TEST(SelectedLoads, SharedMemoryIsTheSame) {
  const Ran ran = ExecRig(R"(
  mov.u32 %r11, s; shl.b32 %r12, %r1, 2; add.u32 %r11, %r11, %r12;
  ld.shared.u32 %r10, [%r11];
  setp.lt.u32 %p1, %r1, 4;
  selp.u32 %r2, %r10, 5, %p1;
)",
                          ".shared .align 4 .b8 s[128];")
                      .Run();
  ASSERT_THAT(ran.Kinds(), ElementsAre(FindingKind::kUninitialized));
  EXPECT_EQ(ran.report.findings[0].count, 4U);
}

// ------------------------------------------------------------------------- which are found

TEST(SelectedLoads, TheDecoderKeepsTheirPredicates) {
  const auto program = Decoded(KernelOf(R"(
  setp.lt.u32 %p1, %r1, 7;
  setp.lt.u32 %p2, %r1, 8;
  ld.global.u32 %r2, [%rd1];
  ld.global.u32 %r3, [%rd1+4];
  selp.u32 %r4, %r2, 5, %p1;
  selp.u32 %r5, 5, %r2, %p2;
  add.u32 %r6, %r3, %r4;
  st.global.u32 [%rd1], %r6;
  st.global.u32 [%rd1], %r5;
  ret;
)"));
  ASSERT_EQ(program->selected_loads.size(), 1U);
  const SelectedLoad& load = program->selected_loads[0];
  const auto load_opcode = program->instructions.at(load.instruction).opcode;
  EXPECT_EQ(load_opcode, ptx::Opcode::kLd);
  EXPECT_EQ(FullStep(*program, load.instruction).immediate, 0U);
  ASSERT_EQ(load.choices.size(), 2U);
  EXPECT_EQ(load.choices[0].predicate, FullStep(*program, 0).operand[0]);
  EXPECT_EQ(load.choices[0].flip, 0U);
  EXPECT_EQ(load.choices[1].predicate, FullStep(*program, 1).operand[0]);
  EXPECT_EQ(load.choices[1].flip, kAllLanes);
}

TEST(SelectedLoads, LanesUseALoadWhereOneOfItsChoicesTakesIt) {
  alignas(64) std::array<LaneMask, 32> registers{};
  registers[0] = 0x0000000f;
  registers[16] = 0xffff00ff;
  Program program;
  program.selected_loads = {
      {.instruction = 3, .choices = {{.predicate = 0, .flip = 0}}},
      {.instruction = 8,
       .choices = {{.predicate = 0, .flip = 0}, {.predicate = 64, .flip = kAllLanes}}}};
  Launch launch;
  Warp warp;
  warp.launch = &launch;
  warp.registers = reinterpret_cast<std::byte*>(registers.data());
  const auto lanes_that_use = [&](std::uint32_t instruction) {
    Step step;
    step.instruction = instruction;
    LaneMask lanes = 0;
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      lanes |= static_cast<LaneMask>(UsesLoad(warp, step, lane)) << lane;
    }
    return lanes;
  };
  EXPECT_EQ(lanes_that_use(8), kAllLanes);
  launch.program = &program;
  EXPECT_EQ(lanes_that_use(3), 0x0000000fU);
  EXPECT_EQ(lanes_that_use(8), 0x0000ff0fU);
  // No selected loads.
  EXPECT_EQ(lanes_that_use(4), kAllLanes);
  EXPECT_EQ(lanes_that_use(9), kAllLanes);
}

// The opcodes of a kernel of `body` when its loads have been moved.
std::vector<ptx::Opcode> OpcodesWhenSunk(std::string_view body) {
  auto flat = FlattenKernel(ParsedPtx(KernelOf(body)));
  EXPECT_TRUE(flat);
  std::vector<ptx::Opcode> opcodes;
  if (flat) {
    SinkSelectedLoads(*flat);
    for (const FlatInstruction& instruction : flat->instructions) {
      opcodes.push_back(instruction.ptx.opcode);
    }
  }
  opcodes.resize(4);
  return opcodes;
}

TEST(SelectedLoads, ALoadGoesToItsSelectionPastArithmeticOnOtherRegisters) {
  using ptx::Opcode;
  EXPECT_THAT(OpcodesWhenSunk(R"(
  ld.global.u32 %r1, [%rd1];
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p1, %r2, 7;
  selp.u32 %r3, %r1, 5, %p1;
  ret;
)"),
              ElementsAre(Opcode::kAdd, Opcode::kSetp, Opcode::kLd, Opcode::kSelp));
}

TEST(SelectedLoads, ALoadStaysWhereItsAddressIsOverwrittenOrMemoryTouched) {
  using ptx::Opcode;
  EXPECT_THAT(OpcodesWhenSunk(R"(
  ld.global.u32 %r1, [%rd1];
  add.u64 %rd1, %rd1, 8;
  setp.lt.u32 %p1, %r2, 7;
  selp.u32 %r3, %r1, 5, %p1;
  ret;
)"),
              ElementsAre(Opcode::kLd, Opcode::kAdd, Opcode::kSetp, Opcode::kSelp));
  EXPECT_THAT(OpcodesWhenSunk(R"(
  ld.global.u32 %r1, [%rd1];
  st.global.u32 [%rd2], %r4;
  setp.lt.u32 %p1, %r2, 7;
  selp.u32 %r3, %r1, 5, %p1;
  ret;
)"),
              ElementsAre(Opcode::kLd, Opcode::kSt, Opcode::kSetp, Opcode::kSelp));
}

TEST(SelectedLoads, ALoadOfWhichAnythingElseReadsStays) {
  using ptx::Opcode;
  EXPECT_THAT(OpcodesWhenSunk(R"(
  ld.global.u32 %r1, [%rd1];
  setp.lt.u32 %p1, %r1, 7;
  selp.u32 %r3, %r1, 5, %p1;
  ret;
)"),
              ElementsAre(Opcode::kLd, Opcode::kSetp, Opcode::kSelp, Opcode::kRet));
}

}  // namespace
}  // namespace assay::gpu
