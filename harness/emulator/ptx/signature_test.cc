// SPDX-License-Identifier: Apache-2.0
// Which operands fit which instruction: number, kind, width.
#include "emulator/ptx/signature.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/ptx/parse_for_test.h"

namespace assay::gpu::ptx {
namespace {

using testing::ElementsAre;

// Registers are those of ParseBody: %p (predicates), %h (16 bits), %r (32), %rd (64), %f, %fd,
// %q (128).
TEST(Signature, OperandsThatFit) {
  for (const std::string_view text : {
           "add.s16 %h1, %h2, -3",
           "add.f64 %fd1, %rd1, 0d3FF0000000000000",
           "add.f32 %f1, %r1, %f2",
           "addc.cc.u32 %r1, %r2, %r3",
           "mul.wide.u16 %r1, %h1, 3",
           "mul.wide.s32 %rd1, %r1, %r2",
           "mad.wide.u32 %rd1, %r1, %r2, %rd2",
           "mad.lo.s32 %r1, %r2, %r3, %r4",
           "mad.rn.f32 %f1, %f2, %f3, %f4",
           "bfe.u64 %rd1, %rd2, %r1, 8",
           "bfi.b64 %rd1, %rd2, %rd3, 0, 8",
           "clz.b64 %r1, %rd1",
           "popc.b32 %r1, %r2",
           "bfind.shiftamt.s64 %r1, %rd1",
           "shl.b64 %rd1, %rd2, %r1",
           "shr.s16 %h1, %h2, 3",
           "shf.l.wrap.b32 %r1, %r2, %r3, %r4",
           "prmt.b32 %r1, %r2, %r3, 1",
           "lop3.b32 %r1, %r2, %r3, %r4, 255",
           "dp4a.u32.s32 %r1, %r2, %r3, %r4",
           "selp.f32 %f1, %f2, 0f00000000, %p1",
           "slct.u64.s32 %rd1, %rd2, %rd3, %r1",
           "set.lt.and.f32.u32 %f1, %r1, %r2, !%p1",
           "setp.ne.b16 %p1, %h1, 0",
           "setp.gt.or.f64 %p1|%p2, %fd1, %fd2, %p3",
           "and.pred %p1, %p2, %p3",
           "not.b64 %rd1, %rd2",
           "cvt.u8.u32 %r1, %r2",
           "cvt.u16.u8 %h1, %r1",
           "cvt.s64.s8 %rd1, %rd2",
           "cvt.rn.f32.u8 %f1, %h1",
           "cvt.rn.f16x2.f32 %r1, %f1, %f2",
           "cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2",
           "cvta.to.global.u64 %rd1, %rd2",
           "isspacep.shared %p1, %rd1",
           "copysign.f32 %f1, %f2, %f3",
           "testp.normal.f64 %p1, %fd1",
           "nanosleep.u32 100",
           "pmevent 3",
           "exit",
           "trap",
           "alloca.u64 %rd1, %rd2",
           "alloca.u64 %rd1, %rd2, 16",
           "stacksave.u64 %rd1",
           "bar.sync 0",
           "bar.sync %r1, 64",
           "bar.arrive 0, 64",
           "bar.red.popc.u32 %r1, 0, %p1",
           "bar.red.and.pred %p1, 0, 32, !%p2",
           "bar.warp.sync -1",
           "shfl.sync.down.b32 %r1|%p1, %r2, 1, 31, -1",
           "vote.sync.any.pred %p1, !%p2, -1",
           "vote.sync.ballot.b32 %r1, %p1, %r2",
           "match.all.sync.b64 %r1|%p1, %rd1, -1",
           "match.any.sync.b32 %r1, %r2, %r3",
           "redux.sync.add.s32 %r1, %r2, -1",
           "activemask.b32 %r1",
           "match.all.sync.b32 %r1, %r2, -1",
           "mov.b32 %r1, 0f3F800000",
           "mov.b64 %rd1, 1.5",
           "or.b32 %r1, %r2, 0f80000000",
           "selp.b64 %rd1, 0d3FF0000000000000, 0, %p1",
           "shfl.sync.idx.b32 %r1, 0f3F800000, 0, 31, -1",
           "elect.sync _|%p1, -1",
           "fence.sc.gpu",
           "membar.gl",
       }) {
    EXPECT_EQ(One(std::string(text) + ";").reason, "") << text;
  }
}

TEST(Signature, OperandsOfMemoryThatFit) {
  for (const std::string_view text : {
           "ld.global.u8 %h1, [%rd1]",
           "ld.global.u8 %rd1, [%rd2]",
           "ld.global.s16 %r1, [%rd1]",
           "ld.shared.f32 %f1, [%r1]",
           "ld.shared.f32 %f1, [%rd1+4]",
           "ld.local.b64 %rd1, [%r1]",
           "ld.param.b64 %rd1, [p]",
           "ld.const.v2.b64 {%rd1, %rd2}, [%r1]",
           "ld.global.b128 %q1, [%rd1]",
           "ld.global.v8.f32 {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, [g]",
           "ld.global.L2::cache_hint.b32 %r1, [%rd1], %rd2",
           "st.global.u8 [%rd1], %r1",
           "st.global.b32 [%rd1], 7",
           "st.global.f32 [%rd1], 0f00000000",
           "st.shared.v4.u32 [%r1], {%r1, 2, %r3, %r4}",
           "st.global.L2::cache_hint.v2.f32 [%rd1], {%f1, %f2}, %rd2",
           "atom.shared.add.u32 %r1, [%r2], 1",
           "atom.global.cas.b64 %rd1, [%rd2], %rd3, 0",
           "atom.global.exch.b128 %q1, [%rd1], %q0",
           "atom.add.f64 _, [%rd1], %fd1",
           "atom.global.v4.f32.add {%f1,%f2,%f3,%f4}, [%rd1], {%f1,%f2,%f3,%f4}",
           "atom.global.add.L2::cache_hint.u32 %r1, [%rd1], 1, %rd2",
           "red.global.add.u64 [%rd1], 1",
           "cp.async.ca.shared.global [%r1], [%rd1], 4",
           "cp.async.cg.shared.global [%r1], [g], 16",
           "cp.async.ca.shared.global [%r1], [%rd1], 8, 4",
           "cp.async.wait_group 2",
           "cp.async.wait_all",
           "cp.async.commit_group",
           "st.global.b32 [%rd1], 0f3F800000",
           "prefetch.global.L2 [%rd1]",
           "discard.global.L2 [%rd1], 128",
           "createpolicy.fractional.L2::evict_last.b64 %rd1, 1.0",
           "createpolicy.fractional.L2::evict_last.b64 %rd1, %f1",
           "createpolicy.fractional.L2::evict_last.b64 %rd1",
           ("createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 %rd1, "
            "[%rd2], %r1, %r2"),
           "createpolicy.range.L2::evict_first.b64 %rd1, [g], 0x100000, 0x200000",
           "createpolicy.cvt.L2.b64 %rd1, %rd2",
           "mbarrier.arrive.expect_tx.shared.b64 _, [%r1], %r2",
           "mbarrier.arrive.noComplete.shared.b64 %rd1, [%r1], 2",
           "prefetchu.L1 [%rd1]",
           "applypriority.global.L2::evict_normal [%rd1], 128",
           "mbarrier.init.shared.b64 [%r1], 32",
           "mbarrier.inval.shared.b64 [%r1]",
           "mbarrier.arrive.shared.b64 %rd1, [%r1]",
           "mbarrier.arrive.b64 %rd1, [%rd2], 2",
           "mbarrier.test_wait.shared.b64 %p1, [%r1], %rd1",
           "mbarrier.test_wait.parity.shared.b64 %p1, [%r1], %r2",
           "mbarrier.try_wait.shared.b64 %p1, [%r1], %rd1, 1000",
           "mbarrier.pending_count.b64 %r1, %rd1",
           "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r1], {%r2}",
           "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1,%r2,%r3,%r4}, [%rd1]",
           "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2",
       }) {
    EXPECT_EQ(One(std::string(text) + ";").reason, "") << text;
  }
}

TEST(Signature, OperandsThatDoNotFitAreCounted) {
  struct Case {
    std::string_view text;
    int operand;  // The first that does not fit; 0: there are too few.
  };
  for (const auto& [text, operand] : std::to_array<Case>({
           {"add.s16 %h1, %h2, %r1", 3},
           {"add.s64 %rd1, %r1, %rd2", 2},
           {"add.s32 %p1, %r1, %r2", 1},
           {"add.s32 [%rd1], %r1, %r2", 1},
           {"add.s32 {%r1}, %r1, %r2", 1},
           {"add.s32 %r1, %r2, !%p1", 3},
           {"add.s32 %r1, %r2, _", 3},
           {"add.f64 %fd1, %fd2, %f1", 3},
           {"add.f32 %f1, %f2, 1", 3},
           {"add.f16 %h1, %h2, 1.0", 3},
           {"add.s32 %r1", 0},
           {"add.s32 %r1|%p1, %r2, %r3", 2},
           {"exit 0", 1},
           {"mul.wide.u16 %h1, %h2, %h3", 1},
           {"mul.wide.s32 %r1, %r2, %r3", 1},
           {"mad.wide.u32 %rd1, %r1, %r2, %r3", 4},
           {"clz.b64 %rd1, %rd2", 1},
           {"shl.b64 %rd1, %rd2, %rd3", 3},
           {"bfe.u32 %r1, %r2, %rd1, 8", 3},
           {"lop3.b32 %r1, %r2, %r3, %r4, %r5", 5},
           {"lop3.b32 %r1, %r2, %r3, %r4, 1.5", 5},
           {"selp.b32 %r1, %r2, %r3, %r4", 4},
           {"selp.b32 %r1, %r2, %r3", 0},
           {"setp.eq.s32 %r1, %r2, %r3", 1},
           {"setp.eq.s32 %p1|%r1, %r2, %r3", 2},
           {"and.pred %p1, %p2, %r1", 3},
           {"and.b32 %r1, %r2, %p1", 3},
           {"cvt.s64.s32 %r1, %r2", 1},
           {"cvt.u32.u16 %r1, %p1", 2},
           {"cvt.rn.f32.f64 %f1, %f2", 2},
           {"cvt.f64.f32 %f1, %f2", 1},
           {"cvt.rn.f16.f32 %r1, %f1", 1},
           {"cvta.to.global.u64 %rd1, %r1", 2},
           {"isspacep.shared %p1, %r1", 2},
           {"testp.normal.f64 %p1, %f1", 2},
           {"nanosleep.u32 %rd1", 1},
           {"pmevent %r1", 1},
           {"ld.global.u32 %r1, [%r2]", 2},
           {"ld.u32 %r1, [%r2]", 2},
           {"ld.shared.u32 %r1, [%h1]", 2},
           {"ld.global.u32 %r1, %rd1", 2},
           {"ld.global.u32 %h1, [%rd1]", 1},
           {"ld.global.f32 %fd1, [%rd1]", 1},
           {"ld.global.u32 5, [%rd1]", 1},
           {"ld.global.v2.u32 {%r1, %r2, %r3}, [%rd1]", 1},
           {"ld.global.v2.u32 {%r1, %p1}, [%rd1]", 1},
           {"ld.global.v2.u32 {%r1, 5}, [%rd1]", 1},
           {"ld.global.L2::cache_hint.b32 %r1, [%rd1]", 0},
           {"ld.global.L2::cache_hint.b32 %r1, [%rd1], %r2", 3},
           {"ld.global.b32 %r1, [%rd1], %rd2", 3},
           {"st.global.v2.f32 [%rd1], {%f1, _}", 2},
           {"st.global.f32 [%rd1], 1", 2},
           {"st.global.b64 [%rd1], %r1", 2},
           {"atom.global.add.u32 %rd1, [%rd2], 1", 1},
           {"atom.global.add.u32 5, [%rd2], 1", 1},
           {"atom.global.cas.b32 %r1, [%rd1], %r2", 0},
           {"atom.global.add.u32 %r1, [%rd1], %r2, %r3", 4},
           {"red.global.add.u32 %r1, [%rd1], 1", 1},
           {"bar.sync", 0},
           {"bar.sync %rd1", 1},
           {"bar.arrive 0", 0},
           {"bar.sync 0, 32, 5", 3},
           {"bar.red.and.pred %r1, 0, %p1", 1},
           {"bar.red.popc.u32 %r1, 0, %r2", 0},
           {"bar.warp.sync", 0},
           {"shfl.sync.up.b32 %r1, %r2, 1, 0", 0},
           {"shfl.sync.up.b32 %r1|%r3, %r2, 1, 0, -1", 2},
           {"shfl.sync.up.b32 %rd1, %r2, 1, 0, -1", 1},
           {"vote.sync.ballot.b32 %p1, %p2, -1", 1},
           {"vote.sync.all.pred %p1, %r1, -1", 2},
           {"vote.sync.all.pred %p1, %p2", 0},
           {"match.any.sync.b64 %r1, %r2, -1", 2},
           {"redux.sync.add.s32 %r1, %rd1, -1", 2},
           {"elect.sync %r1, %r2, %r3", 3},
           {"mbarrier.init.shared.b64 %r1, 32", 1},
           {"mbarrier.arrive.shared.b64 %r1, [%r2]", 1},
           {"mbarrier.test_wait.parity.shared.b64 %p1, [%r1], %rd1", 3},
           {"mbarrier.test_wait.shared.b64 %p1, [%r1]", 0},
           {"cp.async.wait_group %r1", 1},
           {"cp.async.wait_all 1", 1},
           {"cp.async.ca.shared.global [%r1], [%r2], 4", 2},
           {"cp.async.ca.shared.global [%r1], [%rd1], %r2", 3},
           {"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1}, [%r2]", 1},
           {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 %h1, [%r2]", 1},
           {"fence.sc.gpu %r1", 1},
           // Float literals are no integers, nor bits of another width.
           {"add.s32 %r1, %r2, 1.5", 3},
           {"add.u32 %r1, %r2, 0f3F800000", 3},
           {"and.b32 %r1, %r2, 1.5", 3},
           {"and.b64 %rd1, %rd2, 0f3F800000", 3},
           {"shl.b32 %r1, %r2, 0f3F800000", 3},
           {"setp.eq.b32 %p1, %r1, 2.0", 3},
           {"st.global.u32 [%rd1], 1.5", 2},
           {"st.global.v2.b32 [%rd1], {%r1, 1.5}", 2},
           {"st.global.b16 [%rd1], 1.5", 2},
           {"cvt.rn.f32.s32 %f1, 1.5", 2},
           {"shfl.sync.idx.b32 %r1, %r2, 0f3F800000, 31, -1", 3},
           {"add.f16x2 %r1, %r2, 1.0", 3},
           // Fragments have registers of their own width, not of more.
           {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 %rd1, [%r2]", 1},
           {"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1, %rd1}, [%r2]", 1},
           {"stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r1], {%rd2}", 2},
           {"match.any.sync.b32 %r1|%p1, %r2, -1", 2},
           {"mbarrier.arrive.expect_tx.shared.b64 _, [%r1]", 0},
           {"mbarrier.arrive.noComplete.shared.b64 %rd1, [%r1]", 0},
           {"createpolicy.fractional.L2::evict_last.b64 %rd1, 1", 2},
           {"createpolicy.fractional.L2::evict_last.b64 %r1, 1.0", 1},
           {"createpolicy.range.global.L2::evict_last.b64 %rd1, %rd2, %r1, %r2", 2},
           {"createpolicy.range.global.L2::evict_last.b64 %rd1, [%rd2], %r1", 0},
           {"createpolicy.cvt.L2.b64 %rd1, %r1", 2},
       })) {
    const Instruction instruction = One(std::string(text) + ";");
    EXPECT_EQ(instruction.opcode, Opcode::kUnsupported) << text;
    const std::string wanted =
        operand == 0 ? "number of operands, "
                     : "operand " + std::to_string(operand) + " of another kind or width";
    EXPECT_TRUE(instruction.reason.starts_with(wanted)) << text << ": " << instruction.reason;
  }
}

TEST(Signature, MovesHaveTheSameWidthOnBothSides) {
  for (const std::string_view text :
       {"mov.b32 %r1, %r2", "mov.b32 %r1, %f1", "mov.b64 %rd1, {%r1, %r2}",
        "mov.b64 {%r1, %r2}, %rd1", "mov.b64 %rd1, {%h1, %h2, %h3, %h4}", "mov.b32 %r1, {%h1, 0}",
        "mov.b64 {%f1, _}, %fd1", "mov.b128 {%rd1, %rd2}, %q1", "mov.pred %p1, %p2",
        "mov.b64 %rd1, {0f3F800000, %r1}", "mov.u32 %r1, g", "mov.u64 %rd1, dyn+16",
        "mov.u64 %rd1, f", "mov.b16 %h1, 5"}) {
    EXPECT_EQ(One(std::string(text) + ";").reason, "") << text;
  }
  for (const std::string_view text : {"mov.b32 %r1",
                                      "mov.b32 %r1, %r2, %r3",
                                      "mov.b32 %rd1, %r1",
                                      "mov.b32 %r1, %rd1",
                                      "mov.b64 %rd1, {%r1}",
                                      "mov.b64 %rd1, {%r1, %h1}",
                                      "mov.b64 %rd1, {%r1, %r2, %r3}",
                                      "mov.b64 %rd1, {}",
                                      "mov.b64 {%r1, %r2}, {%r3, %r4}",
                                      "mov.b64 {%r1, 5}, %rd1",
                                      "mov.b64 %rd1, {%r1, _}",
                                      "mov.pred %p1, %r1",
                                      "mov.b32 %r1, %p1",
                                      "mov.u16 %h1, g",
                                      "mov.u32 %r1, 1.5",
                                      "mov.s32 %r1, 0f3F800000",
                                      "mov.b32 %r1, 1.5",
                                      "mov.b64 %rd1, 0f3F800000",
                                      "mov.b64 %rd1, {1.5, %r1}",
                                      "mov.b32 %r1, {0f3F800000, %h1}",
                                      "mov.f32 %f1, g",
                                      "mov.b32 5, %r1",
                                      "mov.b32 %r1, [%rd1]",
                                      "mov.b32 %r1, _"}) {
    EXPECT_EQ(One(std::string(text) + ";").reason, "operands of another width") << text;
  }
}

TEST(Signature, NumbersThatSizeSomethingAreChecked) {
  EXPECT_EQ(One("lop3.b32 %r1, %r2, %r3, %r4, 256;").reason, "truth table 256");
  EXPECT_EQ(One("cp.async.ca.shared.global [%r1], [%rd1], 12;").reason, "size 12");
  EXPECT_EQ(One("cp.async.cg.shared.global [%r1], [%rd1], 4;").reason, "size 4");
  EXPECT_EQ(One("cp.async.ca.shared.global [%r1], [%rd1], 0;").reason, "size 0");
  EXPECT_EQ(One("cp.async.ca.shared.global [%r1], [%rd1], 16;").reason, "");
}

TEST(Signature, BranchesCallsAndUnsupportedOnesAreNotLookedAt) {
  for (const Opcode opcode : {Opcode::kCall, Opcode::kBra, Opcode::kBrx, Opcode::kUnsupported}) {
    Instruction instruction;
    instruction.opcode = opcode;
    instruction.operands.resize(7);
    EXPECT_EQ(CheckOperands(instruction), "");
  }
}

TEST(Signature, FewTakeNoOperands) {
  // An instruction whose row forgets its operands would be among them.
  std::vector<std::string_view> names;
  for (auto opcode = Opcode::kAbs; opcode < Opcode::kUnsupported;
       opcode = static_cast<Opcode>(static_cast<std::uint8_t>(opcode) + 1)) {
    Instruction instruction;
    instruction.opcode = opcode;
    if (CheckOperands(instruction).empty()) {
      names.push_back(ToString(opcode));
    }
  }
  EXPECT_THAT(names, ElementsAre("bra", "brkpt", "brx", "call", "exit", "fence", "griddepcontrol",
                                 "membar", "ret", "trap"));
}

}  // namespace
}  // namespace assay::gpu::ptx
