// SPDX-License-Identifier: Apache-2.0
#include "gpu/exec/decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/exec/control_ops.h"
#include "gpu/exec/exec_rig.h"

namespace assay::gpu {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

std::unique_ptr<Program> DecodedBody(std::string_view body, std::string_view items = {}) {
  return Decoded(std::string(items) + KernelOf(body));
}

// The 32 lanes that lie at `offset` when a warp starts.
template <class T>
std::vector<T> InitialLanes(const Program& program, std::uint32_t offset) {
  std::vector<T> lanes(kWarpSize);
  std::memcpy(lanes.data(), program.initial_registers.data() + offset, kWarpSize * sizeof(T));
  return lanes;
}

// Of each basic block the index of its head and how many instructions it has.
std::vector<std::pair<std::uint32_t, std::uint32_t>> BlocksIn(const Program& program) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> blocks;
  for (const BasicBlock& block : program.blocks) {
    blocks.emplace_back(block.first_step, block.step_count);
  }
  return blocks;
}
using BlockList = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// ------------------------------------------------------------------------------- basic blocks

TEST(Decoder, BranchesTargetsAndBarriersEndBasicBlocks) {
  const auto program = DecodedBody(R"(
  mov.u32 %r1, 5;
  setp.eq.u32 %p1, %r1, 5;
  @%p1 bra $target;
  add.u32 %r1, %r1, 1;
$target:
  add.u32 %r1, %r1, 2;
  bar.sync 0;
  ret;
)");
  // Each has a head before its instructions; the last is for code that runs off the end.
  EXPECT_EQ(BlocksIn(*program), (BlockList{{0, 3}, {4, 1}, {6, 1}, {8, 1}, {10, 1}, {12, 1}}));
  EXPECT_EQ(program->full.size(), 14U);
  EXPECT_EQ(program->masked.size(), 14U);
  std::vector<std::uint32_t> block_of;
  for (const InstructionInfo& info : program->instructions) {
    block_of.push_back(info.basic_block);
  }
  EXPECT_THAT(block_of, ElementsAre(0, 0, 0, 1, 2, 3, 4, 5));
  const Step& head = program->full[6];
  EXPECT_EQ(head.run, HeadHandlers().full);
  EXPECT_THAT(head.operand, ElementsAre(2, 6, 1, 0, 0));
  EXPECT_EQ(head.instruction, kNoInstruction);
}

TEST(Decoder, WhatWaitsForLanesBeginsABasicBlockAndEndsNone) {
  for (const std::string_view waits :
       {"activemask.b32 %r2;", "shfl.sync.idx.b32 %r2, %r1, 0, 31, -1;", "bar.warp.sync -1;",
        "vote.sync.any.pred %p1, %p2, -1;", "redux.sync.add.u32 %r2, %r1, -1;",
        "match.any.sync.b32 %r2, %r1, -1;", "nanosleep.u32 10;"}) {
    const auto program =
        DecodedBody("  mov.u32 %r1, 1;\n" + std::string(waits) + "\n  add.u32 %r1, %r1, 2; ret;");
    EXPECT_EQ(BlocksIn(*program), (BlockList{{0, 1}, {2, 3}, {6, 1}})) << waits;
  }
}

TEST(Decoder, RandomSchedulesHaveABasicBlockBeforeEachAccess) {
  const std::string kernel = KernelOf(R"(
  mov.u32 %r1, 1;
  ld.global.u32 %r2, [%rd1];
  st.global.u32 [%rd2], %r2;
  red.global.add.u32 [%rd2], %r1;
  ret;
)");
  EXPECT_EQ(BlocksIn(*Decoded(kernel)), (BlockList{{0, 5}, {6, 1}}));
  EXPECT_EQ(BlocksIn(*Decoded(kernel, Preemption::kAtMemory)),
            (BlockList{{0, 1}, {2, 1}, {4, 1}, {6, 2}, {9, 1}}));
}

TEST(Decoder, BranchesGoToTheHeadOfTheirTarget) {
  const auto program = DecodedBody(R"(
$again:
  add.u32 %r1, %r1, 1;
  @%p1 bra $end;
  bra.uni $again;
$end:
  ret;
)");
  // Steps: head, add, bra | head, bra | head, ret.
  EXPECT_EQ(static_cast<std::int64_t>(FullStep(*program, 1).immediate), 5 - 2);
  EXPECT_EQ(static_cast<std::int64_t>(FullStep(*program, 2).immediate), 0 - 4);
}

TEST(Decoder, BranchTablesHoldTheHeadsOfTheirTargets) {
  const auto program = DecodedBody(R"(
  mov.u32 %r1, 1;
table: .branchtargets $a, $b, $a;
  brx.idx %r1, table;
$a:
  add.u32 %r2, %r1, 1;
$b:
  add.u32 %r2, %r1, 2;
  ret;
)");
  const Step& jump = FullStep(*program, 1);
  EXPECT_EQ(jump.operand[0], FullStep(*program, 0).operand[0]);
  // Steps: head, mov, brx | head, add | head, add, ret.
  EXPECT_EQ(std::vector(jump.operands, jump.operands + 4),
            (std::vector<std::uint32_t>{3, 3, 5, 3}));
}

// ------------------------------------------------------------------------------------ operands

TEST(Decoder, AGuardIsThePlaceOfItsPredicate) {
  const auto program = DecodedBody(R"(
  setp.eq.u32 %p1, %r1, 0;
  mov.u32 %r2, 1;
  @%p1 add.u32 %r2, %r2, 1;
  @!%p1 add.u32 %r2, %r2, 2;
  ret;
)");
  const std::uint32_t predicate = FullStep(*program, 0).operand[0];
  EXPECT_EQ(FullStep(*program, 1).guard, kTruePlace);
  EXPECT_EQ(FullStep(*program, 1).guard_flip, 0U);
  EXPECT_EQ(FullStep(*program, 2).guard, predicate);
  EXPECT_EQ(FullStep(*program, 2).guard_flip, 0U);
  EXPECT_EQ(FullStep(*program, 3).guard, predicate);
  EXPECT_EQ(FullStep(*program, 3).guard_flip, kAllLanes);
  EXPECT_FALSE(program->instructions[1].guarded);
  EXPECT_TRUE(program->instructions[2].guarded);
  // Whole warps run what has no guard in a form that looks at none.
  EXPECT_NE(FullStep(*program, 1).run, MaskedStep(*program, 1).run);
  EXPECT_EQ(FullStep(*program, 2).run, MaskedStep(*program, 2).run);
}

TEST(Decoder, ImmediatesAreLanesOfTheWidthTheyAreReadIn) {
  const auto program = DecodedBody(R"(
  add.u32 %r2, %r1, 7;
  sub.u32 %r3, %r1, 7;
  add.u64 %rd2, %rd1, 7;
  add.s16 %h2, %h1, -2;
  add.f32 %f2, %f1, 0f3F800000;
  add.s64 %rd3, %rd1, -1;
  ret;
)");
  const auto place = [&](std::uint32_t instruction) {
    return FullStep(*program, instruction).operand[2];
  };
  EXPECT_THAT(InitialLanes<std::uint32_t>(*program, place(0)), Each(7U));
  EXPECT_EQ(place(1), place(0));
  EXPECT_NE(place(2), place(0));
  EXPECT_THAT(InitialLanes<std::uint64_t>(*program, place(2)), Each(7U));
  EXPECT_THAT(InitialLanes<std::uint16_t>(*program, place(3)), Each(0xfffeU));
  EXPECT_THAT(InitialLanes<float>(*program, place(4)), Each(1.0F));
  EXPECT_THAT(InitialLanes<std::uint64_t>(*program, place(5)), Each(~std::uint64_t{0}));
  for (std::uint32_t i = 0; i < 6; ++i) {
    EXPECT_GE(place(i), program->registers_end);
  }
}

TEST(Decoder, SpecialRegistersHaveOnePlaceEach) {
  const auto program = DecodedBody(R"(
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %ctaid.y;
  mov.u32 %r4, %envreg2;
  mov.u32 %r5, %clock;
  ret;
)");
  ASSERT_EQ(program->specials.size(), 3U);
  const auto expect = [&](std::size_t i, ptx::SpecialRegister special, std::uint32_t instruction) {
    EXPECT_EQ(program->specials[i].special, special);
    EXPECT_EQ(program->specials[i].width_bytes, 4U);
    EXPECT_EQ(program->specials[i].offset_bytes, FullStep(*program, instruction).operand[1]);
  };
  expect(0, ptx::SpecialRegister::kTidX, 0);
  expect(0, ptx::SpecialRegister::kTidX, 1);
  expect(1, ptx::SpecialRegister::kCtaidY, 2);
  expect(2, ptx::SpecialRegister::kEnvReg, 3);
  EXPECT_EQ(program->specials[2].number, 2U);
  // A clock is read when it is asked for.
  EXPECT_EQ(FullStep(*program, 4).operand[1], kZeroPlace);
  EXPECT_FALSE(program->uses_reserved_shared);
}

TEST(Decoder, AddressesAreABaseAndAnOffset) {
  const auto program = DecodedBody(R"(
  mov.u64 %rd1, 64;
  ld.global.u32 %r1, [%rd1+8];
  ld.global.u32 %r2, [%rd1+-8];
  st.global.u32 [g+4], %r1;
  mov.u64 %rd2, g;
  ret;
)",
                                   ".global .align 4 .b8 g[16];\n");
  const std::uint32_t base = FullStep(*program, 0).operand[0];
  EXPECT_EQ(FullStep(*program, 1).operand[1], base);
  EXPECT_EQ(FullStep(*program, 1).immediate, 8U);
  EXPECT_EQ(FullStep(*program, 2).immediate, ~std::uint64_t{0} - 7);
  EXPECT_EQ(FullStep(*program, 3).operand[0], kZeroPlace);
  EXPECT_EQ(FullStep(*program, 3).immediate, kVariableAddress + 4);
  EXPECT_THAT(InitialLanes<std::uint64_t>(*program, FullStep(*program, 4).operand[1]),
              Each(kVariableAddress));
}

TEST(Decoder, AResultThatNobodyWantsGoesWhereNobodyReads) {
  const auto program = DecodedBody("  atom.global.add.u32 _, [%rd1], 1; ret;");
  EXPECT_EQ(FullStep(*program, 0).operand[0], kSinkPlace);
}

TEST(Decoder, MoreThanFiveOperandsLieApart) {
  const auto program = DecodedBody(R"(
  mov.u32 %r1, 9;
  shfl.sync.idx.b32 %r2, %r1, 3, 31, -1;
  shfl.sync.idx.b32 %r3|%p1, %r1, 3, 31, -1;
  ret;
)");
  const Step& five = FullStep(*program, 1);
  EXPECT_EQ(five.operands, nullptr);
  const Step& six = FullStep(*program, 2);
  ASSERT_NE(six.operands, nullptr);
  EXPECT_TRUE(std::ranges::equal(six.operand, std::vector(six.operands, six.operands + 5)));
  // Behind two results there are the same operands.
  EXPECT_EQ(std::vector(six.operands + 2, six.operands + 6),
            std::vector(five.operand.begin() + 1, five.operand.end()));
}

TEST(Decoder, TheRegisterFileBeginsWithOnesAndZerosAndTheRestIsPoison) {
  const auto program = DecodedBody("  mov.u32 %r1, %tid.x; add.u32 %r2, %r1, 5; ret;");
  const auto& bytes = program->initial_registers;
  ASSERT_EQ(bytes.size(), program->register_bytes);
  EXPECT_EQ(program->register_bytes % 64, 0U);
  EXPECT_EQ(InitialLanes<std::uint16_t>(*program, kTruePlace),
            std::vector<std::uint16_t>(32, 0xffff));
  EXPECT_EQ(InitialLanes<std::uint64_t>(*program, kZeroPlace), std::vector<std::uint64_t>(32, 0));
  EXPECT_EQ(program->first_register, kFirstPlace);
  EXPECT_EQ(program->registers_end, kFirstPlace + 2 * 128U);
  EXPECT_TRUE(std::all_of(bytes.begin() + kFirstPlace, bytes.begin() + program->registers_end,
                          [](std::byte each) { return each == std::byte{kRegisterPoison}; }));
  EXPECT_FALSE(program->reads_before_writes);
}

// ----------------------------------------------------------------- functions, variables, facts

TEST(Decoder, CallsAreWrittenOut) {
  const auto program = DecodedBody(R"(
  { .param .b32 p; st.param.b32 [p], 3; call.uni inner, (p); }
  { .param .b32 p; st.param.b32 [p], 4; call.uni outer, (p); }
  ret;
)",
                                   R"(
.func inner(.param .b32 x) {
  .reg .b32 %r<3>; ld.param.b32 %r1, [x]; mul.lo.u32 %r2, %r1, %r1;
  ret;
}
.func outer(.param .b32 x) {
  .reg .b32 %r<3>; ld.param.b32 %r1, [x];
  { .param .b32 p; st.param.b32 [p], %r1; call.uni inner, (p); }
  ret;
}
)");
  std::vector<std::string> spellings;
  for (const InstructionInfo& info : program->instructions) {
    spellings.push_back(info.spelling);
  }
  EXPECT_EQ(std::ranges::count(spellings, "mul.lo.u32"), 2);
  EXPECT_EQ(std::ranges::count(spellings, "ld.param.b32"), 3);
  EXPECT_EQ(std::ranges::count(spellings, "call.uni"), 0);
  // The end of the three copies, of the kernel, and behind it.
  EXPECT_EQ(std::ranges::count(spellings, "ret"), 5);
}

TEST(Decoder, RecursionIsRefusedByNameAndPlace) {
  const auto program = TryDecode(R"(
.file 1 "rec.cu"
.func g();
.func f() { call.uni g; ret; }
.func g() {
  .loc 1 30 5
  call.uni f;
  ret;
}
.visible .entry k() { call.uni f; ret; }
)");
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().kind, ErrorKind::kConfiguration);
  EXPECT_EQ(program.error().where, "rec.cu:30");
  EXPECT_THAT(program.error().cause, HasSubstr("recursion: f calls itself"));
}

TEST(Decoder, WhatIsNotSupportedIsAStepThatSaysSo) {
  const auto program = DecodedBody("  mov.u32 %r1, 1; wgmma.fence.sync.aligned; ret;");
  ASSERT_EQ(program->refusals.size(), 1U);
  EXPECT_THAT(program->refusals[0], HasSubstr("wgmma.fence"));
  EXPECT_EQ(FullStep(*program, 1).run, RefuseHandlers().full);
  EXPECT_EQ(FullStep(*program, 1).immediate, 0U);
}

TEST(Decoder, VariablesOfTheKernelGiveItsMemory) {
  const auto program = DecodedBody(R"(
  .local .align 8 .b8 stack[20];
  .shared .align 4 .b8 tile[12];
  st.local.u32 [stack+16], 1;
  st.shared.u32 [tile+4], 2;
  ret;
)");
  EXPECT_EQ(program->local_bytes, 32U);
  EXPECT_EQ(program->static_shared_bytes, 12U);
  EXPECT_EQ(FullStep(*program, 0).immediate, 16U);
  EXPECT_EQ(FullStep(*program, 1).immediate, 4U);
}

TEST(Decoder, InstructionsKnowHowAndWhereTheyAreWritten) {
  const auto program = DecodedBody(R"(
  .loc 1 12 3
  mad.lo.s32 %r1, %r1, %r2, %r3;
  .loc 1 13 3
  @%p1 ld.shared.f32 %f1, [%r1];
  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f2, %f3, %f4, %f5}, {%r1, %r2, %r3, %r4},
    {%r5, %r6}, {%f6, %f7, %f8, %f9};
  ret;
)",
                                   ".file 1 \"facts.cu\"\n");
  const InstructionInfo& mad = program->instructions[0];
  EXPECT_EQ(mad.spelling, "mad.lo.s32");
  EXPECT_EQ(mad.opcode, ptx::Opcode::kMad);
  EXPECT_EQ(mad.type, ptx::Type::kS32);
  EXPECT_EQ(mad.source.line, 12U);
  EXPECT_EQ(program->files.at(mad.source.file), "facts.cu");
  // Three lines of the head, .file, the kernel's own, an empty one, .loc.
  EXPECT_EQ(mad.ptx_line, 8U);
  EXPECT_EQ(mad.matrix_flops, 0U);
  const InstructionInfo& load = program->instructions[1];
  EXPECT_EQ(load.space, ptx::Space::kShared);
  EXPECT_EQ(load.source.line, 13U);
  EXPECT_EQ(load.ptx_line, 10U);
  EXPECT_EQ(program->instructions[2].matrix_flops, 2U * 16 * 8 * 16);
  EXPECT_EQ(program->name, "k");
}

TEST(Decoder, KernelsInWhichTheOrderOfBlocksShowsAreKnown) {
  struct Expected {
    std::string_view instruction;
    bool order_sensitive = false;
  };
  for (const auto& [instruction, sensitive] : std::vector<Expected>{
           {"ld.global.u32 %r1, [%rd1];", false},
           {"ld.volatile.global.u32 %r1, [%rd1];", true},
           {"ld.acquire.gpu.global.u32 %r1, [%rd1];", true},
           {"st.relaxed.gpu.global.u32 [%rd1], %r1;", true},
           {"ld.volatile.shared.u32 %r1, [%r2];", false},
           {"red.global.add.u32 [%rd1], 1;", false},
           {"red.global.add.f32 [%rd1], %f1;", true},
           {"atom.global.add.u32 %r1, [%rd1], 1;", true},
           {"atom.global.add.u32 _, [%rd1], 1;", false},
           {"atom.global.exch.b32 _, [%rd1], 1;", true},
           {"atom.shared.add.u32 %r1, [%r2], 1;", false},
           {"{ .param .b64 p; st.param.b64 [p], %rd1; call.uni free, (p); }", true}}) {
    const auto program =
        DecodedBody(std::string(instruction) + " ret;", ".extern .func free(.param .b64 p);\n");
    EXPECT_EQ(program->order_sensitive, sensitive) << instruction;
    EXPECT_EQ(program->uses_heap, instruction.contains("free")) << instruction;
  }
}

}  // namespace
}  // namespace assay::gpu
