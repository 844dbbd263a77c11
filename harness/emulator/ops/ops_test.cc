// SPDX-License-Identifier: Apache-2.0
// That the table of instructions names the group that has an instruction's handlers.
#include "emulator/ops/ops.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "emulator/ops/variants.h"
#include "emulator/ptx/parser.h"

namespace assay::gpu {
namespace {

constexpr auto kOneOfEach = std::to_array<std::string_view>({
    "abs.s32 %r1, %r2",
    "activemask.b32 %r1",
    "add.s32 %r1, %r2, %r3",
    "addc.u32 %r1, %r2, %r3",
    "and.b32 %r1, %r2, %r3",
    "applypriority.global.L2::evict_normal [%d1], 128",
    "atom.global.add.u32 %r1, [%d1], 1",
    "bar.warp.sync -1",
    "bfe.u32 %r1, %r2, %r3, 8",
    "bfi.b32 %r1, %r2, %r3, 0, 8",
    "bfind.u32 %r1, %r2",
    "bmsk.clamp.b32 %r1, %r2, %r3",
    "brev.b32 %r1, %r2",
    "clz.b32 %r1, %r2",
    "cnot.b32 %r1, %r2",
    "copysign.f32 %f1, %f2, %f3",
    "cos.approx.f32 %f1, %f2",
    "cp.async.wait_all",
    "cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r2], 16",
    "cvt.u64.u32 %d1, %r1",
    "cvta.to.global.u64 %d1, %d2",
    "discard.global.L2 [%d1], 128",
    "div.s32 %r1, %r2, %r3",
    "dp2a.lo.u32.u32 %r1, %r2, %r3, %r4",
    "dp4a.u32.u32 %r1, %r2, %r3, %r4",
    "elect.sync %r1|%p1, -1",
    "ex2.approx.f32 %f1, %f2",
    "fence.sc.gpu",
    "fma.rn.f32 %f1, %f2, %f3, %f4",
    "fns.b32 %r1, %r2, %r3, %r4",
    "griddepcontrol.wait",
    "isspacep.shared %p1, %d1",
    "ld.global.f32 %f1, [%d1]",
    "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2]",
    "ldu.global.f32 %f1, [%d1]",
    "lg2.approx.f32 %f1, %f2",
    "lop3.b32 %r1, %r2, %r3, %r4, 128",
    "mad.lo.s32 %r1, %r2, %r3, %r4",
    "mad24.lo.s32 %r1, %r2, %r3, %r4",
    "madc.lo.u32 %r1, %r2, %r3, %r4",
    "match.any.sync.b32 %r1, %r2, -1",
    "max.s32 %r1, %r2, %r3",
    "mbarrier.init.shared.b64 [%r1], 32",
    "membar.gl",
    "min.s32 %r1, %r2, %r3",
    "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2}, {%r3}, "
    "{%f1,%f2,%f3,%f4}",
    "mov.b32 %r1, %r2",
    "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2",
    "mul.lo.s32 %r1, %r2, %r3",
    "mul24.lo.s32 %r1, %r2, %r3",
    "nanosleep.u32 100",
    "neg.s32 %r1, %r2",
    "not.b32 %r1, %r2",
    "or.b32 %r1, %r2, %r3",
    "popc.b32 %r1, %r2",
    "prefetch.global.L2 [%d1]",
    "prmt.b32 %r1, %r2, %r3, 1",
    "rcp.rn.f32 %f1, %f2",
    "red.global.add.u32 [%d1], 1",
    "redux.sync.add.s32 %r1, %r2, -1",
    "rem.s32 %r1, %r2, %r3",
    "rsqrt.approx.f32 %f1, %f2",
    "sad.s32 %r1, %r2, %r3, %r4",
    "selp.b32 %r1, %r2, %r3, %p1",
    "set.lt.u32.s32 %r1, %r2, %r3",
    "setp.lt.s32 %p1, %r2, %r3",
    "shf.l.wrap.b32 %r1, %r2, %r3, %r4",
    "shfl.sync.idx.b32 %r1, %r2, 0, 31, -1",
    "shl.b32 %r1, %r2, %r3",
    "shr.u32 %r1, %r2, %r3",
    "sin.approx.f32 %f1, %f2",
    "slct.b32.s32 %r1, %r2, %r3, %r4",
    "sqrt.rn.f32 %f1, %f2",
    "st.global.f32 [%d1], %f1",
    "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r1], {%r2}",
    "sub.s32 %r1, %r2, %r3",
    "subc.u32 %r1, %r2, %r3",
    "szext.wrap.s32 %r1, %r2, %r3",
    "tanh.approx.f32 %f1, %f2",
    "testp.normal.f32 %p1, %f1",
    "vabsdiff4.u32.u32.u32 %r1, %r2, %r3, %r4",
    "vote.sync.any.pred %p1, %p2, -1",
    "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%d1]",
    "xor.b32 %r1, %r2, %r3",
});

ptx::Instruction ParseOne(std::string_view text) {
  const auto parsed = ptx::Parse(
      ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .pred %p<8>;\n"
      ".reg .b32 %r<8>;\n.reg .b64 %d<8>;\n.reg .f32 %f<8>;\n" +
          std::string(text) + ";\nret;\n}\n",
      "test");
  EXPECT_TRUE(parsed.has_value()) << text;
  return parsed ? parsed->functions.at(0).instructions.at(0) : ptx::Instruction{};
}

bool Selects(std::span<const HandlerVariant> variants, const ptx::Instruction& instruction) {
  return !variants.empty() && variants.front().select(instruction).full != nullptr;
}

TEST(Groups, TheGroupOfAnInstructionHasItsHandlers) {
  std::set<ptx::Opcode> seen;
  for (const std::string_view text : kOneOfEach) {
    const ptx::Instruction instruction = ParseOne(text);
    const ptx::Group group = ptx::GroupOf(instruction.opcode);
    seen.insert(instruction.opcode);
    EXPECT_EQ(instruction.reason, "") << text;
    EXPECT_NE(SelectHandlers(instruction).full, nullptr) << text;
    EXPECT_EQ(Selects(ArithmeticVariants(), instruction), group == ptx::Group::kArithmetic) << text;
    EXPECT_EQ(Selects(MemoryVariants(), instruction), group == ptx::Group::kMemory) << text;
    EXPECT_EQ(Selects(WarpVariants(), instruction), group == ptx::Group::kWarp) << text;
  }
  for (const auto opcode : {
#define INSTRUCTION(opcode, ...) ptx::Opcode::opcode,
#include "emulator/ptx/instructions.inc"
       }) {
    const ptx::Group group = ptx::GroupOf(opcode);
    const bool has_handlers = group == ptx::Group::kArithmetic || group == ptx::Group::kMemory ||
                              group == ptx::Group::kWarp;
    EXPECT_EQ(seen.contains(opcode), has_handlers) << ptx::ToString(opcode);
  }
}

}  // namespace
}  // namespace assay::gpu
