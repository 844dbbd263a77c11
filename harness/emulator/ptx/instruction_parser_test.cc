// SPDX-License-Identifier: Apache-2.0
// Operands, guards, branches, calls: what FunctionParser makes of single instructions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "emulator/ptx/parse_for_test.h"

namespace assay::gpu::ptx {
namespace {

using Kind = Operand::Kind;
using testing::HasSubstr;

TEST(Operands, RegistersImmediatesAndSpecials) {
  const Instruction add = One("add.s32 %r1, %tid.x, -5;");
  ASSERT_EQ(add.operands.size(), 3U);
  EXPECT_EQ(add.operands[0].kind, Kind::kRegister);
  EXPECT_EQ(add.operands[0].type, Type::kB32);
  EXPECT_EQ(add.operands[1].kind, Kind::kSpecial);
  EXPECT_EQ(add.operands[1].special, SpecialRegister::kTidX);
  EXPECT_EQ(add.operands[2].kind, Kind::kImmediate);
  EXPECT_EQ(static_cast<std::int64_t>(add.operands[2].bits), -5);
  EXPECT_EQ(add.ptx_line, 5U);
  EXPECT_EQ(add.guard, -1);
}

TEST(Operands, OnlyRegistersThatAreUsedExist) {
  const Function kernel = Kernel("mov.b32 %r39, %r7; mov.b32 %r7, %r39;");
  ASSERT_EQ(kernel.registers.size(), 2U);
  EXPECT_EQ(kernel.registers[0].name, "%r39");
  EXPECT_EQ(kernel.registers[1].name, "%r7");
  EXPECT_EQ(kernel.instructions[1].operands[0].index, 1);
  EXPECT_EQ(kernel.instructions[1].operands[1].index, 0);
}

TEST(Operands, ConstantExpressions) {
  const auto value = [](std::string_view expression) {
    return static_cast<std::int64_t>(
        One("mov.b64 %rd1, " + std::string(expression) + ";").operands.at(1).bits);
  };
  EXPECT_EQ(value("(1 << 4) + 3 * 2"), 22);
  EXPECT_EQ(value("7 / 2 - 7 % 4"), 0);
  EXPECT_EQ(value("(-9223372036854775807 - 1) / -1"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(value("~0 & 0xff | 0x100 ^ 1"), 0x1ff);
  EXPECT_EQ(value("1 < 2 ? 10 : 20"), 10);
  EXPECT_EQ(value("(2 >= 3) || !1"), 0);
  EXPECT_EQ(value("-8 >> 1"), -4);
  EXPECT_EQ(value("1 << 64"), 0);
  EXPECT_EQ(value("(.u64)-1 / 2"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(value("WARP_SZ"), 32);
  EXPECT_THAT(Failure(ParseBody("mov.b64 %rd1, 1 / 0;")), HasSubstr("cannot apply \"/\""));
  EXPECT_THAT(Failure(ParseBody("mov.b64 %rd1, " + std::string(1000, '(') + "1;")),
              HasSubstr("nests deeper than 32"));
  EXPECT_THAT(Failure(ParseBody("mov.b64 %rd1, " + std::string(1000, '-') + "1;")),
              HasSubstr("nests deeper than 32"));
}

TEST(Operands, FloatLiteralsHaveTheWidthOfTheInstruction) {
  EXPECT_EQ(One("mov.f32 %f1, 0f3F800000;").operands[1].bits, 0x3f800000U);
  EXPECT_EQ(One("add.f32 %f1, %f1, 0d3FF8000000000000;").operands[2].bits, 0x3fc00000U);
  EXPECT_EQ(One("add.f32 %f1, %f1, 1.5;").operands[2].bits, 0x3fc00000U);
  EXPECT_EQ(One("add.f64 %fd1, %fd1, 0fBF800000;").operands[2].bits, 0xbff0000000000000U);
  EXPECT_EQ(One("cvt.f64.f32 %fd1, 1.5;").operands[1].bits, 0x3fc00000U);
  EXPECT_EQ(One("mov.f32 %f1, -1.5;").operands[1].bits, 0xbfc00000U);
}

TEST(Operands, Addresses) {
  const Instruction load = One("ld.global.u32 %r1, [%rd2+-8];");
  EXPECT_EQ(load.operands[1].kind, Kind::kAddress);
  EXPECT_GE(load.operands[1].index, 0);
  EXPECT_EQ(load.operands[1].offset, -8);
  const Instruction variable = One("ld.global.u32 %r1, [g+4];");
  EXPECT_EQ(variable.operands[1].name, "g");
  EXPECT_EQ(variable.operands[1].index, -1);
  EXPECT_EQ(variable.operands[1].offset, 4);
  EXPECT_EQ(One("ld.shared.u32 %r1, [16];").operands[1].offset, 16);
  EXPECT_EQ(One("mov.u64 %rd1, g+12;").operands[1].offset, 12);
  EXPECT_EQ(One("mov.u64 %rd1, f;").operands[1].kind, Kind::kFunction);
  EXPECT_EQ(One("mov.u32 %r1, dyn;").operands[1].kind, Kind::kVariable);
  EXPECT_EQ(One("ld.param.u64 %rd1, [p];").operands[1].name, "p");
}

TEST(Operands, VectorsAndSinks) {
  const Instruction load = One("ld.global.v4.f32 {%f1, %f2, _, %f4}, [%rd1];");
  ASSERT_EQ(load.operands[0].elements.size(), 4U);
  EXPECT_EQ(load.operands[0].elements[2].kind, Kind::kSink);
  EXPECT_EQ(One("mov.b32 {%h1, _}, %r1;").operands[0].elements.size(), 2U);
  EXPECT_EQ(One("mov.b64 %rd1, {%r1, 0};").operands[1].elements.size(), 2U);
  EXPECT_EQ(One("mov.b128 %q1, {%rd1, %rd2};").opcode, Opcode::kMov);
  EXPECT_EQ(One("st.global.v2.b8 [%rd1], {%h1, %r1};").opcode, Opcode::kSt);
}

TEST(Operands, SecondDestinations) {
  const Instruction shuffle = One("shfl.sync.idx.b32 %r1|%p1, %r2, 0, 31, -1;");
  EXPECT_TRUE(shuffle.has_second_destination);
  EXPECT_EQ(shuffle.operands.size(), 6U);
  EXPECT_EQ(shuffle.operands[1].type, Type::kPred);
  EXPECT_FALSE(One("setp.eq.s32 %p1, %r1, 0;").has_second_destination);
  const Instruction both = One("setp.lt.and.f32 %p1|%p2, %f1, %f2, !%p3;");
  EXPECT_EQ(both.operands.size(), 5U);
  EXPECT_TRUE(both.operands[4].negated);
  EXPECT_EQ(One("elect.sync _|%p1, -1;").opcode, Opcode::kElect);
}

TEST(Operands, Guards) {
  const Function kernel = Kernel("@%p1 exit; @!%p1 ret; trap;");
  EXPECT_GE(kernel.instructions[0].guard, 0);
  EXPECT_FALSE(kernel.instructions[0].guard_negated);
  EXPECT_TRUE(kernel.instructions[1].guard_negated);
  EXPECT_EQ(kernel.instructions[2].guard, -1);
  EXPECT_FALSE(kernel.instructions[2].guard_negated);
  EXPECT_THAT(Failure(ParseBody("@%r1 exit;")), HasSubstr("\"%r1\" is no predicate register"));
}

TEST(Operands, EveryFormOfCopiesAndBarriers) {
  EXPECT_EQ(One("cp.async.cg.shared.global [%r1], [%rd1], 16, %r2;").operands.size(), 4U);
  const Instruction ignored = One("cp.async.ca.shared.global [%r1], [%rd1], 4, %p1;");
  EXPECT_EQ(ignored.operands[3].type, Type::kPred);
  EXPECT_EQ(
      One("cp.async.ca.shared.global.L2::cache_hint [%r1], [%rd1], 8, 4, %rd2;").operands.size(),
      5U);
  EXPECT_EQ(One("cp.async.mbarrier.arrive.shared.b64 [%r1];").opcode, Opcode::kCpAsync);
  EXPECT_EQ(One("cp.async.ca.shared.global [%r1], [%rd1], 5;").reason, "size 5");
  EXPECT_EQ(One("cp.async.cg.shared.global [%r1], [%rd1], 8;").reason, "size 8");
  EXPECT_EQ(One("bar.red.popc.u32 %r1, 0, %p1;").operands.size(), 3U);
  EXPECT_EQ(One("bar.red.popc.u32 %r1, 0, 64, !%p1;").operands.size(), 4U);
  EXPECT_EQ(One("barrier.sync.aligned %r1, 64;").opcode, Opcode::kBar);
  EXPECT_EQ(One("mbarrier.arrive.shared.b64 _, [%r1], 3;").opcode, Opcode::kMbarrier);
  EXPECT_EQ(One("mbarrier.try_wait.parity.shared.b64 %p1, [%r1], 0, 100;").opcode,
            Opcode::kMbarrier);
  EXPECT_EQ(One("atom.global.cas.b32 %r1, [%rd1], 0, 1;").operands.size(), 4U);
  EXPECT_EQ(One("atom.global.add.v2.f32 {%f1,%f2}, [%rd1], {%f1,%f2};").vector, 2);
  EXPECT_EQ(One("cvt.rn.bf16x2.f32 %r1, %f1, %f2;").operands.size(), 3U);
  EXPECT_EQ(One("lop3.b32 %r1, %r2, %r3, %r4, 0xEA;").truth_table, 0xea);
}

TEST(Operands, Fragments) {
  EXPECT_EQ(One("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r1,%r2}, {%r3,%r4,%r5,%r6},"
                "{%r7,%r8}, {%r1,%r2};")
                .opcode,
            Opcode::kMma);
  EXPECT_EQ(One("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd1,%fd2}, {%fd3}, {%fd4},"
                "{%fd1,%fd2};")
                .opcode,
            Opcode::kMma);
  EXPECT_EQ(One("mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f32 {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8},"
                "{%r1,%r2}, {%r1,%r2}, {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8};")
                .opcode,
            Opcode::kMma);
  EXPECT_EQ(One("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1,%f2,%f3,%f4},"
                "{%r1,%r2,%r3}, {%r1,%r2}, {%f1,%f2,%f3,%f4};")
                .reason,
            "operand 2 of another kind or width");
  EXPECT_EQ(One("wmma.load.a.sync.aligned.row.m8n32k16.shared.s8 {%r1}, [%r2], %r3;").opcode,
            Opcode::kWmma);
  EXPECT_EQ(One("wmma.load.b.sync.aligned.col.m16n16k16.f16 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8},"
                "[%rd2], 16;")
                .opcode,
            Opcode::kWmma);
  EXPECT_EQ(One("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1,%r2,%r3}, [%r4];").opcode,
            Opcode::kUnsupported);
}

TEST(Operands, OnesThatDoNotFitAreUnsupported) {
  EXPECT_EQ(One("add.s32 %r1, %rd1, 1;").reason, "operand 2 of another kind or width");
  EXPECT_EQ(One("add.s32 %r1, %r2;").reason, "number of operands, 2");
  EXPECT_EQ(One("add.s32 %r1, %r2, %r3, %r4;").reason, "operand 4 of another kind or width");
  EXPECT_EQ(One("add.s32 5, %r2, %r3;").reason, "operand 1 of another kind or width");
  EXPECT_EQ(One("add.f32 %f1, %f2, 3;").reason, "operand 3 of another kind or width");
  EXPECT_EQ(One("ld.global.u32 %r1, [%r2];").opcode, Opcode::kUnsupported);
  EXPECT_EQ(One("ld.global.v2.u32 %r1, [%rd2];").opcode, Opcode::kUnsupported);
  EXPECT_EQ(One("ld.global.u64 %r1, [%rd2];").opcode, Opcode::kUnsupported);
  EXPECT_EQ(One("mov.b64 %rd1, {%r1, %h1};").opcode, Opcode::kUnsupported);
  EXPECT_EQ(One("mov.u32 %r1, %pm0;").reason, "special register %pm0");
  EXPECT_TRUE(One("add.s32 %r1, %rd1, 1;").operands.empty());
}

TEST(Operands, RegistersOfEightBitsAreOfSixteen) {
  const Function kernel =
      Kernel(".reg .u8 %b<3>; ld.global.u8 %b1, [%rd1]; st.global.u8 [%rd1], %b1;");
  EXPECT_EQ(kernel.instructions[0].operands[0].type, Type::kB16);
  EXPECT_EQ(kernel.instructions[1].opcode, Opcode::kSt);
  EXPECT_THAT(Failure(ParseBody(".reg .b1 %b;")), HasSubstr("registers of type b1"));
}

TEST(Operands, ConstantsOfGridsWithoutClusters) {
  EXPECT_EQ(One("mov.u32 %r1, %cluster_nctarank;").operands[1].bits, 1U);
  EXPECT_EQ(One("mov.u32 %r1, %cluster_ctaid.y;").operands[1].bits, 0U);
  EXPECT_EQ(One("mov.u32 %r1, %clusterid.y;").operands[1].special, SpecialRegister::kCtaidY);
  EXPECT_EQ(One("mov.u32 %r1, %reserved_smem_offset_1;").operands[1].bits, 1U);
}

TEST(Operands, UnsupportedInstructionsAreSkippedWhole) {
  const Function kernel = Kernel(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%r1], [%rd1, {%r2, %r3}], [%r4];\n@%p1 tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, {%f1,%f2}];"
      "exit;");
  ASSERT_EQ(kernel.instructions.size(), 3U);
  EXPECT_EQ(kernel.instructions[0].reason, "modifier .tensor");
  EXPECT_GE(kernel.instructions[1].guard, 0);
  EXPECT_EQ(kernel.instructions[2].opcode, Opcode::kExit);
}

TEST(Branches, LabelsForwardAndBackward) {
  const Function kernel = Kernel("BACK: exit; bra FORWARD; @%p1 bra.uni BACK; FORWARD: ret; END:");
  ASSERT_EQ(kernel.labels.size(), 3U);
  EXPECT_EQ(kernel.labels[0].instruction, 0U);
  EXPECT_EQ(kernel.labels[1].instruction, 3U);
  EXPECT_EQ(kernel.labels[2].instruction, 4U);
  EXPECT_EQ(kernel.instructions[1].operands[0].index, 1);
  EXPECT_EQ(kernel.instructions[2].operands[0].index, 0);
  EXPECT_TRUE(kernel.instructions[2].is_uniform);
  EXPECT_THAT(Failure(ParseBody("bra NOWHERE;")),
              HasSubstr("test.ptx:5: label \"NOWHERE\" of k is nowhere defined"));
  EXPECT_THAT(Failure(ParseBody("A: A: exit;")), HasSubstr("label \"A\" is defined twice"));
}

TEST(Branches, Tables) {
  const Function kernel = Kernel("t: .branchtargets A, B, A; brx.idx %r1, t; A: exit; B: ret;");
  ASSERT_EQ(kernel.branch_tables.size(), 1U);
  EXPECT_EQ(kernel.branch_tables[0], (std::vector<std::uint32_t>{0, 1, 0}));
  EXPECT_EQ(kernel.instructions[0].operands[1].kind, Kind::kTable);
  EXPECT_THAT(Failure(ParseBody("brx.idx %r1, t;")), HasSubstr("\"t\" is no table"));
  EXPECT_THAT(One("t: .branchtargets A; A: brx.idx %rd1, t;").reason, HasSubstr("of 32 bits"));
}

TEST(Calls, DirectAndIndirect) {
  const Function kernel = Kernel(
      "{ .param .b32 param0; st.param.b32 [param0], %r1; .param .b32 retval0;\n"
      "call.uni (retval0), f, (param0);\nld.param.b32 %r2, [retval0+0];\n"
      "proto: .callprototype (.param .b32 _) _ (.param .b64 _, .param .align 8 .b8 _[16]);\n"
      "call (retval0), %rd1, (param0), proto; call f; }");
  const Instruction& direct = kernel.instructions[1];
  ASSERT_EQ(direct.operands.size(), 3U);
  EXPECT_EQ(direct.operands[0].elements[0].name, "retval0");
  EXPECT_EQ(direct.operands[1].kind, Kind::kFunction);
  EXPECT_EQ(direct.operands[1].name, "f");
  EXPECT_TRUE(direct.is_uniform);
  const Instruction& indirect = kernel.instructions[3];
  ASSERT_EQ(indirect.operands.size(), 4U);
  EXPECT_EQ(indirect.operands[1].kind, Kind::kRegister);
  EXPECT_EQ(indirect.operands[3].kind, Kind::kTable);
  ASSERT_EQ(kernel.call_prototypes.size(), 1U);
  EXPECT_EQ(kernel.call_prototypes[0].parameters[1].size_bytes, 16U);
  EXPECT_EQ(kernel.instructions[4].operands.size(), 3U);
  EXPECT_TRUE(kernel.instructions[4].operands[0].elements.empty());
  EXPECT_THAT(Failure(ParseBody("call nothing;")), HasSubstr("\"nothing\""));
  EXPECT_THAT(One("call %rd1, ();").reason, HasSubstr("without a prototype"));
}

TEST(Scopes, NamesAreRenamedWhereTheyShadow) {
  const Function kernel = Kernel(
      ".reg .b32 t; .shared .b32 s; mov.b32 t, 1;\n"
      "{ .reg .b64 t; .shared .b64 s; mov.b64 t, s; L: bra L; }\n"
      "{ .local .b32 g; mov.u64 %rd1, g; L: bra L; }\nmov.b32 t, 2;");
  EXPECT_EQ(kernel.instructions[0].operands[0].type, Type::kB32);
  EXPECT_EQ(kernel.instructions[1].operands[0].type, Type::kB64);
  EXPECT_EQ(kernel.instructions[1].operands[1].name, "s#1");
  EXPECT_EQ(kernel.instructions[3].operands[1].name, "g#0");
  EXPECT_EQ(kernel.instructions[2].operands[0].index, 0);
  EXPECT_EQ(kernel.instructions[4].operands[0].index, 1);
  EXPECT_EQ(kernel.instructions[5].operands[0].index, kernel.instructions[0].operands[0].index);
  ASSERT_EQ(kernel.variables.size(), 3U);
  EXPECT_EQ(kernel.variables[1].name, "s#1");
  EXPECT_THAT(Failure(ParseBody(".reg .b32 t; .reg .b32 t;")), HasSubstr("declared twice"));
  EXPECT_THAT(Failure(ParseBody("{ .reg .b32 inner; } mov.b32 inner, 1;")),
              HasSubstr("\"inner\", an operand of mov.b32, is not declared"));
}

TEST(Scopes, LabelsOfAnOuterScopeAreSeenFromWithin) {
  const Function kernel = Kernel("{ { bra OUT; } } exit; OUT: ret;");
  EXPECT_EQ(
      kernel.labels[static_cast<std::size_t>(kernel.instructions[0].operands[0].index)].instruction,
      2U);
  EXPECT_THAT(Failure(ParseBody("bra IN; { IN: exit; }")), HasSubstr("nowhere defined"));
}

}  // namespace
}  // namespace assay::gpu::ptx
