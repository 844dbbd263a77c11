// SPDX-License-Identifier: Apache-2.0
#include "emulator/ops/operand_width.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "emulator/ops/instruction_for_test.h"

namespace assay::gpu {
namespace {

/// The widths of all operands, vectors flat.
std::vector<std::uint32_t> Widths(const std::string& text, std::size_t operands) {
  const auto instruction = ParseInstruction(text);
  EXPECT_TRUE(instruction) << text << (instruction ? "" : instruction.error().cause);
  std::vector<std::uint32_t> widths;
  if (instruction) {
    EXPECT_NE(instruction->opcode, ptx::Opcode::kUnsupported) << text << instruction->reason;
    for (std::size_t i = 0; i < operands; ++i) {
      widths.push_back(OperandWidth(*instruction, i));
    }
  }
  return widths;
}
using W = std::vector<std::uint32_t>;

TEST(OperandWidth, ImmediatesHaveTheWidthOfTheirPlace) {
  EXPECT_EQ(Widths("add.s32 %r0, %r1, 5;", 4), (W{4, 4, 4, 0}));
  EXPECT_EQ(Widths("add.s64 %d0, %d1, 5;", 3), (W{8, 8, 8}));
  EXPECT_EQ(Widths("shl.b64 %d0, %d1, 5;", 3), (W{8, 8, 4}));
  EXPECT_EQ(Widths("shr.u16 %h0, %h1, 5;", 3), (W{2, 2, 4}));
  EXPECT_EQ(Widths("mul.wide.s32 %d0, %r1, 4;", 3), (W{8, 4, 4}));
  EXPECT_EQ(Widths("mad.wide.u16 %r0, %h1, 4, 7;", 4), (W{4, 2, 2, 4}));
  EXPECT_EQ(Widths("bfe.u64 %d0, 9, 4, 7;", 4), (W{8, 8, 4, 4}));
  EXPECT_EQ(Widths("bfi.b64 %d0, 9, %d1, 4, 7;", 5), (W{8, 8, 8, 4, 4}));
  EXPECT_EQ(Widths("prmt.b32 %r0, %r1, 0, 30292;", 4), (W{4, 4, 4, 4}));
  EXPECT_EQ(Widths("lop3.b32 %r0, %r1, 1, 2, 128;", 5), (W{4, 4, 4, 4, 4}));
  EXPECT_EQ(Widths("setp.lt.and.s64 %p0|%p1, %d1, 3, %p2;", 5), (W{0, 0, 8, 8, 0}));
  EXPECT_EQ(Widths("setp.eq.s16 %p0, %h1, 3;", 3), (W{0, 2, 2}));
  EXPECT_EQ(Widths("set.lt.u32.f64 %r0, %d1, 0d3FF0000000000000;", 3), (W{4, 8, 8}));
  EXPECT_EQ(Widths("selp.b64 %d0, 1, 0, %p1;", 4), (W{8, 8, 8, 0}));
  EXPECT_EQ(Widths("fma.rn.f64 %d0, %d1, 0d3FF0000000000000, %d2;", 4), (W{8, 8, 8, 8}));
  EXPECT_EQ(Widths("popc.b64 %r0, 7;", 2), (W{4, 8}));
  EXPECT_EQ(Widths("cvt.u64.u32 %d0, 7;", 2), (W{8, 4}));
}

TEST(OperandWidth, RegistersHaveTheirOwn) {
  EXPECT_EQ(Widths("cvt.u8.u32 %r0, %r1;", 2), (W{4, 4}));
  EXPECT_EQ(Widths("cvt.s32.s8 %r0, %h1;", 2), (W{4, 2}));
  EXPECT_EQ(Widths("mov.b64 %d0, {%r1, %r2};", 3), (W{8, 4, 4}));
  EXPECT_EQ(Widths("mov.b64 %d0, {%r1, 0};", 3), (W{8, 4, 4}));
  EXPECT_EQ(Widths("mov.b32 {%h1, _}, %r2;", 3), (W{2, 2, 4}));
  EXPECT_EQ(Widths("mov.u32 %r0, %tid.x;", 2), (W{4, 4}));
  EXPECT_EQ(Widths("mov.pred %p0, %p1;", 2), (W{0, 0}));
}

TEST(OperandWidth, OfMemoryAndWarpInstructions) {
  EXPECT_EQ(Widths("ld.global.v4.f32 {%f0, %f1, _, %f3}, [%d1];", 5), (W{4, 4, 4, 4, 8}));
  EXPECT_EQ(Widths("ld.shared.u8 %h0, [%r1];", 2), (W{2, 4}));
  EXPECT_EQ(Widths("st.global.u8 [%d1], 7;", 2), (W{8, 2}));
  EXPECT_EQ(Widths("st.global.b64 [%d1+8], 7;", 2), (W{8, 8}));
  EXPECT_EQ(Widths("atom.global.cas.b64 %d0, [%d1], 0, 1;", 4), (W{8, 8, 8, 8}));
  EXPECT_EQ(Widths("shfl.sync.bfly.b32 %r0|%p1, %r1, 16, 31, -1;", 6), (W{4, 0, 4, 4, 4, 4}));
  EXPECT_EQ(Widths("vote.sync.ballot.b32 %r0, %p1, -1;", 3), (W{4, 0, 4}));
  EXPECT_EQ(Widths("match.any.sync.b64 %r0, 7, -1;", 3), (W{4, 8, 4}));
  EXPECT_EQ(Widths("redux.sync.add.u32 %r0, 7, -1;", 3), (W{4, 4, 4}));
  EXPECT_EQ(Widths("bar.sync 0, 64;", 2), (W{4, 4}));
  EXPECT_EQ(Widths("mbarrier.arrive.shared.b64 _, [%r1], 2;", 3), (W{8, 4, 4}));
  EXPECT_EQ(Widths("mbarrier.test_wait.shared.b64 %p1, [%r1], 7;", 3), (W{0, 4, 8}));
  EXPECT_EQ(Widths("cp.async.ca.shared.global [%r1], [%d1], 8, 4;", 4), (W{4, 8, 4, 4}));
  EXPECT_EQ(Widths("cp.async.ca.shared.global [%r1], [%d1], 8, %p1;", 4), (W{4, 8, 4, 0}));
  EXPECT_EQ(Widths("st.global.L2::cache_hint.f32 [%d1], %f1, 7;", 3), (W{8, 4, 8}));
  EXPECT_EQ(Widths("ld.global.L2::cache_hint.f32 %f1, [%d1], 7;", 3), (W{4, 8, 8}));
}

TEST(OperandWidth, OfMatrices) {
  EXPECT_EQ(Widths("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1, _}, [%r2];", 3), (W{4, 4, 4}));
  EXPECT_EQ(Widths("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d0, _}, 0d3FF0000000000000, "
                   "{%d1}, {%d2, 0d3FF0000000000000};",
                   6),
            (W{8, 8, 8, 8, 8, 8}));
  EXPECT_EQ(Widths("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0, %f1, _, %f3}, {%r0, 0}, "
                   "{%r1}, {%f0, %f1, %f2, 0f3F800000};",
                   11),
            (W{4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4}));
  EXPECT_EQ(Widths("wmma.store.d.sync.aligned.row.m8n8k4.global.f64 [%d1], {%d2, %d3}, 8;", 4),
            (W{8, 8, 8, 4}));
}

}  // namespace
}  // namespace assay::gpu
