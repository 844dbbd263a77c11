// SPDX-License-Identifier: Apache-2.0
#include "emulator/exec/flatten.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "emulator/exec/exec_rig.h"

namespace assay::gpu {
namespace {

using testing::HasSubstr;

constexpr std::string_view kTwice = R"(
.func (.param .b32 r) twice(.param .b32 x) {
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [x];
  add.s32 %r2, %r1, %r1;
  st.param.b32 [r], %r2;
  ret;
}
)";

TEST(Flatten, InlinesEachCallAnew) {
  const ptx::Module module = ParsedPtx(std::string(kTwice) + R"(
.visible .entry k() {
  .reg .b32 %r<4>;
  { .param .b32 p; .param .b32 q; st.param.b32 [p], 3; call.uni (q), twice, (p); ld.param.b32 %r1, [q]; }
  { .param .b32 p; .param .b32 q; st.param.b32 [p], %r1; call.uni (q), twice, (p); ld.param.b32 %r2, [q]; }
  ret;
})");
  const auto flat = FlattenKernel(module);
  ASSERT_TRUE(flat) << ToString(flat.error());
  const auto adds = std::ranges::count_if(flat->instructions, [](const FlatInstruction& i) {
    return i.ptx.opcode == ptx::Opcode::kAdd;
  });
  EXPECT_EQ(adds, 2);
  EXPECT_TRUE(std::ranges::none_of(flat->instructions, [](const FlatInstruction& i) {
    return i.ptx.opcode == ptx::Opcode::kCall || i.ptx.space == ptx::Space::kParam;
  }));
  // The parameters of both calls have places of their own in local memory.
  EXPECT_GE(flat->local_bytes, 16U);
}

TEST(Flatten, ReturnsLeadBehindTheCall) {
  const ptx::Module module = ParsedPtx(std::string(kTwice) + R"(
.visible .entry k() {
  { .param .b32 p; .param .b32 q; st.param.b32 [p], 3; call.uni (q), twice, (p); }
  bar.sync 0;
  ret;
})");
  const auto flat = FlattenKernel(module);
  ASSERT_TRUE(flat);
  const auto back =
      std::ranges::find(flat->instructions, FlatKind::kBranch, &FlatInstruction::kind);
  ASSERT_NE(back, flat->instructions.end());
  EXPECT_EQ(flat->instructions[back->targets.at(0)].ptx.opcode, ptx::Opcode::kBar);
}

TEST(Flatten, RefusesRecursionByName) {
  const ptx::Module module = ParsedPtx(R"(
.func loop(.param .b32 x) {
  { .param .b32 p; st.param.b32 [p], 1; call.uni loop, (p); }
  ret;
}
.visible .entry k() {
  { .param .b32 p; st.param.b32 [p], 1; call.uni loop, (p); }
  ret;
})");
  const auto flat = FlattenKernel(module);
  ASSERT_FALSE(flat);
  EXPECT_THAT(ToString(flat.error()), HasSubstr("recursion: loop calls itself"));
}

TEST(Flatten, RefusesWhatIsReachedOnlyWhenItIsReached) {
  const ptx::Module module = ParsedPtx(R"(
.extern .func (.param .b32 r) mystery(.param .b64 x);
.visible .entry k() {
  { .param .b64 p; .param .b32 q; st.param.b64 [p], 1; call.uni (q), mystery, (p); }
  ret;
})");
  const auto flat = FlattenKernel(module);
  ASSERT_TRUE(flat);
  const auto refused =
      std::ranges::find(flat->instructions, FlatKind::kRefuse, &FlatInstruction::kind);
  ASSERT_NE(refused, flat->instructions.end());
  EXPECT_THAT(refused->refusal, HasSubstr("mystery"));
}

TEST(Flatten, CachePoliciesAreNumbersThatSayNothing) {
  const ptx::Module module = ParsedPtx(
      ".entry k() { .reg .b64 %rd<3>; .reg .b32 %r1;\n"
      "createpolicy.fractional.L2::evict_last.b64 %rd1, 1.0;\n"
      "createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 %rd1, [%rd2], %r1, 4096;\n"
      "createpolicy.cvt.L2.b64 %rd1, %rd2; }");
  const auto flat = FlattenKernel(module);
  ASSERT_TRUE(flat) << ToString(flat.error());
  ASSERT_EQ(flat->instructions.size(), 4U);
  for (std::size_t i = 0; i < 3; ++i) {
    const FlatInstruction& policy = flat->instructions[i];
    EXPECT_EQ(policy.kind, FlatKind::kOrdinary) << i;
    EXPECT_EQ(policy.ptx.opcode, ptx::Opcode::kMov) << i;
    ASSERT_EQ(policy.ptx.operands.size(), 2U) << i;
    EXPECT_EQ(policy.ptx.operands[1].bits, 0U) << i;
  }
}

TEST(Flatten, PutsDynamicSharedMemoryBehindStatic) {
  const ptx::Module module = ParsedPtx(R"(
.extern .shared .align 16 .b8 dynamic[];
.shared .align 4 .b8 unused[4096];
.visible .entry k() {
  .reg .b32 %r<4>;
  .shared .align 4 .b8 fixed[20];
  mov.u32 %r1, dynamic;
  mov.u32 %r2, fixed;
  ret;
})");
  const auto flat = FlattenKernel(module);
  ASSERT_TRUE(flat);
  EXPECT_EQ(flat->static_shared_bytes, 32U);
  EXPECT_EQ(flat->instructions[0].ptx.operands[1].bits, 32U);
  EXPECT_EQ(flat->instructions[1].ptx.operands[1].bits, 0U);
}

TEST(Flatten, AGuardedCallIsJumpedOver) {
  const ptx::Module module = ParsedPtx(R"(
.func f() { ret; }
.visible .entry k() {
  .reg .pred %p<2>;
  @%p1 call.uni f;
  ret;
})");
  const auto flat = FlattenKernel(module);
  ASSERT_TRUE(flat);
  EXPECT_EQ(flat->instructions[0].kind, FlatKind::kBranch);
  EXPECT_TRUE(flat->instructions[0].ptx.guard_negated);
}

TEST(ParameterOffsets, FollowAlignment) {
  const ptx::Module module = ParsedPtx(R"(
.visible .entry k(.param .u8 a, .param .u64 b, .param .align 16 .b8 c[20], .param .u32 d) { ret; }
)");
  EXPECT_EQ(ParameterOffsets(module.functions.at(0)),
            (std::vector<std::uint32_t>{0, 8, 16, 36, 40}));
}

}  // namespace
}  // namespace assay::gpu
