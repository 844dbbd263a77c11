// SPDX-License-Identifier: Apache-2.0
// Single operands: immediates, names, addresses, lists.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

#include "emulator/ptx/parse_for_test.h"

namespace assay::gpu::ptx {
namespace {

using testing::HasSubstr;
using Kind = Operand::Kind;

TEST(OperandImmediates, AreSignExtendedOrOfTheInstructionsWidth) {
  struct Case {
    std::string_view text;
    std::uint64_t bits;
  };
  for (const auto& [text, bits] : std::to_array<Case>({
           {"mov.b32 %r1, -1", ~std::uint64_t{0}},
           {"mov.b32 %r1, 0xFFFFFFFF", 0xffffffff},
           {"mov.b32 %r1, 017", 15},
           {"mov.b32 %r1, 0b101U", 5},
           {"mov.b32 %r1, (1 << 4) | 1", 17},
           {"mov.b32 %r1, 1 ? 5 : 6", 5},
           {"mov.b32 %r1, ~0", ~std::uint64_t{0}},
           {"mov.b64 %rd1, 0x8000000000000000", 0x8000000000000000},
           {"mov.b32 %r1, WARP_SZ", 32},
           {"mov.b32 %r1, 0f40000000", 0x40000000},
           {"mov.f32 %f1, 0d4000000000000000", 0x40000000},
           {"mov.f64 %fd1, 0f40000000", 0x4000000000000000},
           {"mov.f64 %fd1, -2.0", 0xc000000000000000},
           {"cvt.rn.f32.f64 %f1, 0f40000000", 0x4000000000000000},
           {"mov.pred %p1, 1", 1},
           {"not.pred %p1, !1", 0},
           {"not.pred %p1, !0", 1},
           {"not.pred %p1, !%is_explicit_cluster", 1},
           {"mov.b64 %rd1, !1 + 5", 5},
           {"mov.b64 %rd1, !0 + 1", 2},
           {"mov.b64 %rd1, !WARP_SZ + 3", 3},
           {"mov.b64 %rd1, !(1 - 1) * 7", 7},
           {"mov.b64 %rd1, !!9 + 1", 2},
       })) {
    const Instruction instruction = One(std::string(text) + ";");
    ASSERT_EQ(instruction.operands.size(), 2U) << text << ": " << instruction.reason;
    EXPECT_EQ(instruction.operands[1].kind, Kind::kImmediate) << text;
    EXPECT_EQ(instruction.operands[1].bits, bits) << text;
  }
  EXPECT_EQ(One("set.lt.u32.f32 %r1, %f1, 1.5;").operands.at(2).bits, 0x3fc00000U);
  EXPECT_EQ(One("fma.rn.f32 %f1, 1.0, 0d4000000000000000, %f2;").operands.at(2).bits, 0x40000000U);
  EXPECT_EQ(One("st.global.f32 [%rd1], 1.5;").operands.at(1).bits, 0x3fc00000U);
}

// The literal of `text` at `operand`, with its type.
Operand LiteralOf(std::string_view text, std::size_t operand) {
  const Instruction instruction = One(std::string(text) + ";");
  EXPECT_EQ(instruction.reason, "") << text;
  return instruction.operands.size() > operand ? instruction.operands[operand] : Operand{};
}

TEST(OperandImmediates, OfListsAreOfTheInstructionsWidth) {
  const Operand singles = LiteralOf("st.global.v2.f32 [%rd1], {1.5, 2.5}", 1);
  ASSERT_EQ(singles.elements.size(), 2U);
  EXPECT_EQ(singles.elements[0].bits, 0x3fc00000U);
  EXPECT_EQ(singles.elements[0].type, Type::kF32);
  EXPECT_EQ(singles.elements[1].bits, 0x40200000U);
  const Operand doubles = LiteralOf("st.global.v2.f64 [%rd1], {0f3F800000, %fd1}", 1);
  ASSERT_EQ(doubles.elements.size(), 2U);
  EXPECT_EQ(doubles.elements[0].bits, 0x3ff0000000000000U);
  EXPECT_EQ(doubles.elements[0].type, Type::kF64);
  const Operand added = LiteralOf("atom.global.v2.f32.add {%f1, %f2}, [%rd1], {1.0, %f3}", 2);
  ASSERT_EQ(added.elements.size(), 2U);
  EXPECT_EQ(added.elements[0].bits, 0x3f800000U);
  EXPECT_EQ(LiteralOf("mov.b64 %rd1, {0f3F800000, %r1}", 1).elements.at(0).bits, 0x3f800000U);
}

TEST(OperandImmediates, OfASelectorAreOfTheSecondType) {
  EXPECT_EQ(LiteralOf("slct.u32.f32 %r1, %r2, %r3, -1.5", 3).bits, 0xbfc00000U);
  const Instruction mixed = One("slct.f64.f32 %fd1, 1.5, %fd2, 0d3FF8000000000000;");
  ASSERT_EQ(mixed.operands.size(), 4U) << mixed.reason;
  EXPECT_EQ(mixed.operands[1].bits, 0x3ff8000000000000U);
  EXPECT_EQ(mixed.operands[3].bits, 0x3fc00000U);
  EXPECT_EQ(LiteralOf("createpolicy.fractional.L2::evict_first.b64 %rd1, 0.5", 1).bits,
            0x3f000000U);
}

TEST(OperandAddresses, HaveABaseAndAnOffset) {
  struct Case {
    std::string_view text;
    std::string_view reg;
    std::string_view name;
    std::int64_t offset;
  };
  for (const auto& [text, reg, name, offset] : std::to_array<Case>({
           {"[%rd1]", "%rd1", "", 0},
           {"[ %rd1 + 8 ]", "%rd1", "", 8},
           {"[%rd1+-8]", "%rd1", "", -8},
           {"[%rd1-8]", "%rd1", "", -8},
           {"[%rd1+0x7fffffff]", "%rd1", "", 0x7fffffff},
           {"[%rd1+4*(2+1)]", "%rd1", "", 12},
           {"[g]", "", "g", 0},
           {"[g+4]", "", "g", 4},
           {"[g-4+1]", "", "g", -3},
           {"[p+8]", "", "p", 8},
           {"[f]", "", "f", 0},
           {"[4096]", "", "", 4096},
           {"[0x10+0x10]", "", "", 32},
           {"[-4]", "", "", -4},
       })) {
    const Function kernel = Kernel("ld.u32 %r1, " + std::string(text) + ";");
    ASSERT_EQ(kernel.instructions.size(), 1U) << text;
    ASSERT_EQ(kernel.instructions[0].operands.size(), 2U) << text;
    const Operand& address = kernel.instructions[0].operands[1];
    EXPECT_EQ(address.kind, Kind::kAddress) << text;
    EXPECT_EQ(address.name, name) << text;
    EXPECT_EQ(address.offset, offset) << text;
    ASSERT_EQ(address.index >= 0, !reg.empty()) << text;
    if (!reg.empty()) {
      EXPECT_EQ(kernel.registers.at(static_cast<std::size_t>(address.index)).name, reg) << text;
    }
  }
}

TEST(OperandNames, OfVariablesMayHaveOffsets) {
  struct Case {
    std::string_view text;
    std::string_view name;
    std::int64_t offset;
  };
  for (const auto& [text, name, offset] : std::to_array<Case>(
           {{"g", "g", 0}, {"g+12", "g", 12}, {"g - 2", "g", -2}, {"dyn+1024", "dyn", 1024}})) {
    const Instruction move = One("mov.u64 %rd1, " + std::string(text) + ";");
    ASSERT_EQ(move.operands.size(), 2U) << text;
    EXPECT_EQ(move.operands[1].kind, Kind::kVariable) << text;
    EXPECT_EQ(move.operands[1].name, name) << text;
    EXPECT_EQ(move.operands[1].offset, offset) << text;
  }
  EXPECT_THAT(Failure(ParseBody("mov.u64 %rd1, %rd2+8;")),
              HasSubstr("expected \",\" but found \"+\""));
}

TEST(OperandLists, HaveWhatIsListed) {
  const Instruction store = One("st.global.v4.f32 [%rd1], {%f1, 0f3F800000, %f2, %f3};");
  ASSERT_EQ(store.operands.size(), 2U);
  ASSERT_EQ(store.operands[1].elements.size(), 4U);
  EXPECT_EQ(store.operands[1].elements[1].kind, Kind::kImmediate);
  EXPECT_EQ(store.operands[1].elements[1].bits, 0x3f800000U);
  const Instruction unpacked = One("mov.b64 {_, %r1}, %rd1;");
  ASSERT_EQ(unpacked.operands.size(), 2U);
  EXPECT_EQ(unpacked.operands[0].elements[0].kind, Kind::kSink);
  EXPECT_EQ(unpacked.operands[0].elements[1].kind, Kind::kRegister);
  // One element may stand in braces.
  EXPECT_EQ(One("ld.global.f32 {%f1}, [%rd1];").operands.at(0).elements.size(), 1U);
}

TEST(OperandLists, AreOfBoundedLength) {
  std::string list = "_";
  for (int i = 0; i < 2000; ++i) {
    list += ",_";
  }
  EXPECT_THAT(Failure(ParseBody("mov.b32 {" + list + "}, %r1;")),
              HasSubstr("list of operands is longer than 1024"));
  EXPECT_THAT(Failure(ParseBody("call f, (" + list + ");")),
              HasSubstr("list of operands is longer than 1024"));
  EXPECT_THAT(Failure(ParseBody("add.s32 " + list + ";")),
              HasSubstr("add.s32 has more than 32 operands"));
}

TEST(OperandPairs, AreOfTheFirstOperandAlone) {
  const Instruction compare = One("setp.lt.s32 %p1|%p2, %r1, %r2;");
  ASSERT_EQ(compare.operands.size(), 4U);
  EXPECT_TRUE(compare.has_second_destination);
  EXPECT_EQ(One("shfl.sync.up.b32 %r1 | _, %r2, 1, 0, -1;").operands.at(1).kind, Kind::kSink);
  EXPECT_THAT(Failure(ParseBody("setp.lt.s32 %p1, %r1|%r2, %r3;")),
              HasSubstr("expected \",\" but found \"|\""));
  EXPECT_THAT(Failure(ParseBody("setp.lt.s32 %p1|%p2|%p3, %r1, %r2;")),
              HasSubstr("expected \",\" but found \"|\""));
}

TEST(OperandFaults, NameTheInstructionAndTheLine) {
  struct Case {
    std::string_view body;
    std::string_view refusal;
  };
  for (const auto& [body, refusal] : std::to_array<Case>({
           {"\nadd.s32 %r1, %r2, ;", "test.ptx:6: expected an operand of add.s32 but found \";\""},
           {"add.s32 %r1 %r2, %r3;", "expected \",\" but found \"%r2\""},
           {"add.s32 , %r2, %r3;", "expected an operand of add.s32 but found \",\""},
           {"add.s32 %r1, %r2, nothing;", "\"nothing\", an operand of add.s32, is not declared"},
           {"add.s32 %r1, %r2, %r40;", "\"%r40\", an operand of add.s32, is not declared"},
           {"add.s32 %r1, %r2, \"x\";", "expected an operand of add.s32 but found \"x\""},
           {"add.s32 %r1, %r2, 09;", "expected an operand of add.s32 but found \"09\""},
           {"add.s32 %r1, %r2, %r3", "expected \",\" but found \"}\""},
           {"and.pred %p1, %p2, !%r1;", "\"!\" stands before what is no predicate"},
           {"and.pred %p1, %p2, !g;", "\"!\" stands before what is no predicate"},
           {"ld.u32 %r1, [];", "expected an operand of ld.u32 but found \"]\""},
           {"ld.u32 %r1, [%rd1;", "expected \"]\" but found \";\""},
           {"ld.u32 %r1, [%rd1+%r2];", "expected a number but found \"%r2\""},
           {"ld.u32 %r1, [%rd1*2];", "expected \"]\" but found \"*\""},
           {"ld.u32 %r1, [%rd1+1.5];", "offset of an address is no integer"},
           {"ld.u32 %r1, [1.5];", "offset of an address is no integer"},
           {"ld.u32 %r1, [g+0f3F800000];", "offset of an address is no integer"},
           {"mov.u64 %rd1, g-1.5;", "offset of an address is no integer"},
           {"mov.b64 %rd1, !1.5;", "cannot apply \"!\""},
           {"ld.u32 %r1, [_];", "address of ld.u32 is neither a register nor a variable"},
           {"ld.u32 %r1, [%cluster_ctarank];", "is neither a register nor a variable"},
           {"ld.u32 %r1, [[%rd1]];", "expected an operand of ld.u32 but found \"[\""},
           {"mov.b64 {%r1, {%r2}}, %rd1;", "list within a list of operands"},
           {"mov.b64 {%r1, [%rd2]}, %rd1;", "list within a list of operands"},
           {"mov.b64 {%r1 %r2}, %rd1;", "expected \",\" but found \"%r2\""},
           {"mov.b64 {%r1, %r2, %rd1;", "expected \",\" but found \";\""},
       })) {
    EXPECT_THAT(Failure(ParseBody(body)), HasSubstr(refusal)) << body;
  }
}

TEST(OperandsOfUnsupportedInstructions, EndWithTheirSemicolon) {
  for (const std::string_view body :
       {"tex.2d.v4.f32.f32 {%f1, %f2}, [nothing, {%f1, ;}]; exit;", "what; exit;",
        "what %r1, \"a;\", @, !; exit;", "what.is.this ((;)); exit;"}) {
    const Function kernel = Kernel(body);
    ASSERT_EQ(kernel.instructions.size(), 2U) << body;
    EXPECT_EQ(kernel.instructions[0].opcode, Opcode::kUnsupported) << body;
    EXPECT_EQ(kernel.instructions[1].opcode, Opcode::kExit) << body;
  }
  EXPECT_THAT(Failure(ParseBody("what %r1")), HasSubstr("expected \";\" behind \"what\""));
  EXPECT_THAT(Failure(ParseBody("what {%r1")), HasSubstr("expected \";\" behind \"what\""));
  EXPECT_THAT(Failure(ParseBody("what %r1];")), HasSubstr("expected \";\" behind \"what\""));
}

TEST(OperandsOfSplitSpellings, FollowTheLastModifier) {
  const Instruction add = One("add .sat\n .s32 %r1, %r2, 1;");
  EXPECT_EQ(add.spelling, "add.sat.s32");
  EXPECT_TRUE(add.saturate);
  EXPECT_EQ(add.ptx_line, 5U);
  EXPECT_EQ(One("ld.global .L1::no_allocate.u32 %r1, [%rd1];").opcode, Opcode::kLd);
}

}  // namespace
}  // namespace assay::gpu::ptx
