// SPDX-License-Identifier: Apache-2.0
// Bodies of functions: registers, scopes, labels, tables, prototypes, guards.
#include "emulator/ptx/function_parser.h"

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
using testing::HasSubstr;

std::vector<std::string> RegisterNames(const Function& function) {
  std::vector<std::string> names;
  for (const Register& each : function.registers) {
    names.push_back(each.name);
  }
  return names;
}

TEST(RegisterRanges, HaveAsManyAsTheySay) {
  const Function kernel = Kernel(".reg .b32 %x<4>; mov.b32 %x0, %x3;");
  EXPECT_THAT(RegisterNames(kernel), ElementsAre("%x0", "%x3"));
  for (const std::string_view name :
       {"%x4", "%x00", "%x03", "%x", "%x-1", "%x3a", "%x99999999999"}) {
    EXPECT_FALSE(ParseBody(".reg .b32 %x<4>; mov.b32 %r1, " + std::string(name) + ";").has_value())
        << name;
  }
  EXPECT_THAT(Failure(ParseBody(".reg .b32 %x<0>; mov.b32 %r1, %x0;")),
              HasSubstr("\"%x0\", an operand of mov.b32, is not declared"));
}

TEST(RegisterRanges, MayHaveNamesThatEndInDigits) {
  // %x12 is the second of %x1<5>, since %x<10> has no twelfth; %x1 is of %x<10>.
  const Function kernel = Kernel(
      ".reg .b32 %x<10>; .reg .b64 %x1<5>; mov.b32 %r1, %x9; mov.b64 %rd1, %x12;"
      "mov.b32 %r1, %x1;");
  ASSERT_EQ(kernel.instructions.size(), 3U);
  EXPECT_EQ(kernel.instructions[0].operands[1].type, Type::kB32);
  EXPECT_EQ(kernel.instructions[1].operands[1].type, Type::kB64);
  EXPECT_EQ(kernel.instructions[2].operands[1].type, Type::kB32);
}

TEST(RegisterRanges, AreBounded) {
  const Function kernel = Kernel(".reg .b32 %x<16777216>; mov.b32 %x16777215, %x0;");
  EXPECT_EQ(RegisterNames(kernel).front(), "%x16777215");
  EXPECT_THAT(Failure(ParseBody(".reg .b32 %x<16777217>;")),
              HasSubstr("the number of registers is \"16777217\", more than 16777216"));
  EXPECT_THAT(Failure(ParseBody(".reg .b32 %x<4>; .reg .b64 %x<4>;")),
              HasSubstr("registers \"%x\" are declared twice"));
}

TEST(RegisterRanges, HaveNoRegisterThatIsDeclaredBesideThem) {
  for (const std::string_view body :
       {".reg .b32 %x3; .reg .b64 %x<4>;", ".reg .b64 %x<4>; .reg .b32 %x0;",
        ".reg .b32 %x<20>; .reg .b64 %x1<2>;", ".reg .b64 %x1<2>; .reg .b32 %x<11>;",
        ".reg .b32 %x<4>; mov.b32 %r1, %x3; .reg .b32 %x3;"}) {
    EXPECT_THAT(Failure(ParseBody(body)), HasSubstr("declared twice")) << body;
  }
  for (const std::string_view body :
       {".reg .b32 %x4; .reg .b64 %x<4>;", ".reg .b64 %x<4>; .reg .b32 %x03;",
        ".reg .b32 %x<10>; .reg .b64 %x1<2>;", ".reg .b64 %x1<2>; .reg .b32 %x<10>;",
        ".reg .b32 %x<20>; .reg .b64 %x1<0>;", ".reg .b32 %x<4>; { .reg .b64 %x3; }"}) {
    EXPECT_TRUE(ParseBody(body).has_value()) << body;
  }
}

TEST(RegisterDeclarations, OfVectorsAreRefusedByName) {
  EXPECT_THAT(Failure(ParseBody("\n.reg .v4 .f32 v;")),
              HasSubstr("test.ptx:6: registers of vectors (.reg .v4) are not supported"));
  EXPECT_THAT(Failure(ParseBody(".reg .v2 .b32 v;")), HasSubstr("(.reg .v2) are not supported"));
}

TEST(RegisterDeclarations, OfEveryType) {
  const Function kernel = Kernel(
      ".reg .pred ra; .reg .b16 rb; .reg .s32 rc, rd; .reg .u64 re; .reg .f16 rf; .reg .f64 rg;"
      ".reg .b128 rh; .reg .f16x2 ri; .reg .s8 rj; .reg .b32 rk, %z<3>, rl; ret;");
  EXPECT_THAT(RegisterNames(kernel),
              ElementsAre("ra", "rb", "rc", "rd", "re", "rf", "rg", "rh", "ri", "rj", "rk", "rl"));
  const auto types = std::to_array<Type>({Type::kPred, Type::kB16, Type::kS32, Type::kS32,
                                          Type::kU64, Type::kF16, Type::kF64, Type::kB128,
                                          Type::kF16x2, Type::kB16, Type::kB32, Type::kB32});
  for (std::size_t i = 0; i < types.size(); ++i) {
    EXPECT_EQ(ToString(kernel.registers.at(i).type), ToString(types.at(i))) << i;
  }
}

TEST(RegisterDeclarations, FaultsNameWhatIsMissing) {
  struct Case {
    std::string_view body;
    std::string_view refusal;
  };
  for (const auto& [body, refusal] : std::to_array<Case>({
           {".reg x;", "test.ptx:5: expected a type such as .b32 but found \"x\""},
           {".reg .u4 x;", "registers of type u4"},
           {".reg .b32;", "expected the name of a register but found \";\""},
           {".reg .b32 x,;", "expected the name of a register but found \";\""},
           {".reg .b32 x", "expected \";\" but found \"}\""},
           {".reg .b32 x<>;", "expected the number of registers but found \">\""},
           {".reg .b32 x<-1>;", "expected the number of registers but found \"-\""},
           {".reg .b32 x<4;", "expected \">\" but found \";\""},
           {".reg .b32 x;\n.reg .f32 x;", "test.ptx:6: \"x\" is declared twice in one scope of k"},
           {".reg .b32 x; x: ret;", "label \"x\" is defined twice"},
           {"x: ret; .reg .b32 x;", "\"x\" is declared twice in one scope of k"},
           {".reg .b32 x; .shared .b32 x;", "\"x\" is declared twice in one scope of k"},
       })) {
    EXPECT_THAT(Failure(ParseBody(body)), HasSubstr(refusal)) << body;
  }
}

TEST(BodyScopes, NestAsDeepAsTheyMay) {
  // The body itself is the first of 64.
  const std::string open(63, '{');
  const std::string close(63, '}');
  EXPECT_TRUE(ParseBody(open + close).has_value());
  EXPECT_THAT(Failure(ParseBody(open + "{" + close + "}")),
              HasSubstr("test.ptx:5: scopes nest deeper than 64 levels"));
}

TEST(BodyScopes, RegistersOfRangesBelongToTheirScope) {
  const Function kernel =
      Kernel("{ .reg .b64 %x<2>; mov.b64 %rd1, %x1; } { .reg .b32 %x<2>; mov.b32 %r1, %x1; }");
  EXPECT_THAT(RegisterNames(kernel), ElementsAre("%rd1", "%x1", "%r1", "%x1#1"));
  EXPECT_EQ(kernel.registers[1].type, Type::kB64);
  EXPECT_EQ(kernel.registers[3].type, Type::kB32);
  EXPECT_THAT(Failure(ParseBody("{ .reg .b32 %x<2>; } mov.b32 %r1, %x1;")),
              HasSubstr("\"%x1\", an operand of mov.b32, is not declared"));
}

TEST(BodyScopes, AnInnerScopeUsesTheRegistersAroundIt) {
  const Function kernel = Kernel("mov.b32 %r1, 1; { { mov.b32 %r1, 2; } }");
  ASSERT_EQ(kernel.instructions.size(), 2U);
  EXPECT_EQ(kernel.registers.size(), 1U);
  EXPECT_EQ(kernel.instructions[1].operands[0].index, kernel.instructions[0].operands[0].index);
}

TEST(BodyScopes, ParametersAreOfTheOutermost) {
  const Module module =
      MustParse(ParseItems(".func (.param .b32 out) f(.param .b32 in) {\n.reg .b32 %r<2>;\n"
                           "{ ld.param.b32 %r1, [in]; }\nst.param.b32 [out], %r1; ret; }"));
  const auto& instructions = module.FindFunction("f")->instructions;
  EXPECT_EQ(instructions.at(0).operands.at(1).name, "in");
  EXPECT_EQ(instructions.at(1).operands.at(0).name, "out");
  EXPECT_THAT(Failure(ParseBody(".reg .b32 p;")), HasSubstr("\"p\" is declared twice"));
}

TEST(BodyScopes, FunctionsDoNotSeeEachOthersNames) {
  EXPECT_THAT(Failure(ParseItems(".entry a() { .reg .b32 %r<2>; mov.b32 %r1, 1; }\n"
                                 ".entry b() { mov.b32 %r1, 1; }")),
              HasSubstr("test.ptx:5: \"%r1\", an operand of mov.b32, is not declared"));
  EXPECT_THAT(Failure(ParseItems(".entry a() { L: ret; }\n.entry b() { bra L; }")),
              HasSubstr("test.ptx:5: label \"L\" of b is nowhere defined"));
}

TEST(BodyLabels, MarkTheInstructionBehindThem) {
  const Function kernel = Kernel("A: B: ret; { C: { D: exit; E: } } F:");
  std::vector<std::string> names;
  std::vector<std::uint32_t> instructions;
  for (const Label& label : kernel.labels) {
    names.push_back(label.name);
    instructions.push_back(label.instruction);
  }
  EXPECT_THAT(names, ElementsAre("A", "B", "C", "D", "E", "F"));
  EXPECT_THAT(instructions, ElementsAre(0U, 0U, 1U, 1U, 2U, 2U));
}

TEST(BodyLabels, TheNearestScopesOneIsMeant) {
  const Function kernel = Kernel("L: ret; { bra L; L: exit; } { bra L; } bra L;");
  const auto target = [&](std::size_t i) {
    const std::int32_t label = kernel.instructions.at(i).operands.at(0).index;
    return kernel.labels.at(static_cast<std::size_t>(label)).instruction;
  };
  EXPECT_EQ(target(1), 2U);
  EXPECT_EQ(target(3), 0U);
  EXPECT_EQ(target(4), 0U);
}

TEST(BodyLabels, FaultsNameTheBranch) {
  EXPECT_THAT(Failure(ParseBody("ret;\nbra %r1;\n")),
              HasSubstr("test.ptx:6: label \"%r1\" of k is nowhere defined"));
  EXPECT_THAT(Failure(ParseBody(".reg .b32 x;\nbra x;\n")),
              HasSubstr("test.ptx:6: \"x\" is no label"));
  EXPECT_THAT(Failure(ParseBody("bra;")), HasSubstr("expected a label but found \";\""));
  EXPECT_THAT(Failure(ParseBody("bra 5;")), HasSubstr("expected a label but found \"5\""));
  EXPECT_THAT(Failure(ParseBody("L: bra L")), HasSubstr("expected \";\" but found \"}\""));
  EXPECT_THAT(Failure(ParseBody("L: bra L, L;")), HasSubstr("expected \";\" but found \",\""));
  EXPECT_THAT(Failure(ParseBody("L: mov.b32 %r1, L;")),
              HasSubstr("label \"L\" is an operand of mov.b32"));
}

TEST(BranchTables, AreResolvedInTheirScope) {
  const Function kernel = Kernel(
      "A: ret; { t: .branchtargets A, B, A, C; @%p1 brx.idx.uni %r1, t; B: exit; } C: trap;");
  ASSERT_EQ(kernel.branch_tables.size(), 1U);
  std::vector<std::uint32_t> targets;
  for (const std::uint32_t label : kernel.branch_tables[0]) {
    targets.push_back(kernel.labels.at(label).instruction);
  }
  EXPECT_THAT(targets, ElementsAre(0U, 2U, 0U, 3U));
  EXPECT_TRUE(kernel.instructions.at(1).is_uniform);
  EXPECT_GE(kernel.instructions.at(1).guard, 0);
}

TEST(BranchTables, FaultsNameTheTable) {
  struct Case {
    std::string_view body;
    std::string_view refusal;
  };
  for (const auto& [body, refusal] : std::to_array<Case>({
           {"t: .branchtargets;", "expected a label but found \";\""},
           {"A: t: .branchtargets A,;", "expected a label but found \";\""},
           {"A: t: .branchtargets A", "expected \";\" but found \"}\""},
           {"t: .branchtargets A;", "label \"A\" of k is nowhere defined"},
           {"A: t: .branchtargets A; t: ret;", "label \"t\" is defined twice"},
           {"A: t: .branchtargets A; t: .branchtargets A;", "\"t\" is declared twice"},
           {"A: brx.idx %r1, A;", "\"A\" is no table of brx.idx"},
           {"A: t: .branchtargets A; brx.idx %r1;", "expected \",\" but found \";\""},
           {"A: t: .branchtargets A; bra t;", "\"t\" is no label"},
           {"q: .callprototype _ (); brx.idx %r1, q;", "\"q\" is no table of brx.idx"},
           {"A: t: .branchtargets A; call %rd1, t;", "\"t\" is no table of call"},
       })) {
    EXPECT_THAT(Failure(ParseBody(body)), HasSubstr(refusal)) << body;
  }
}

TEST(Prototypes, HaveReturnsAndParameters) {
  const Function kernel = Kernel(
      "a: .callprototype _;\nb: .callprototype () _ ();\nc: .callprototype _ (.param .b32 _);\n"
      "d: .callprototype (.param .align 8 .b8 _[24]) _ (.param .b64 _, .param .f32 _) .noreturn;");
  ASSERT_EQ(kernel.call_prototypes.size(), 4U);
  EXPECT_EQ(kernel.call_prototypes[0].name, "a");
  EXPECT_TRUE(kernel.call_prototypes[1].parameters.empty());
  EXPECT_TRUE(kernel.call_prototypes[2].returns.empty());
  EXPECT_EQ(kernel.call_prototypes[2].parameters.size(), 1U);
  ASSERT_EQ(kernel.call_prototypes[3].returns.size(), 1U);
  EXPECT_EQ(kernel.call_prototypes[3].returns[0].size_bytes, 24U);
  EXPECT_EQ(kernel.call_prototypes[3].returns[0].align_bytes, 8U);
  ASSERT_EQ(kernel.call_prototypes[3].parameters.size(), 2U);
  EXPECT_EQ(kernel.call_prototypes[3].parameters[1].type, Type::kF32);
  EXPECT_THAT(Failure(ParseBody("q: .callprototype (.param .b32 _);")),
              HasSubstr("expected \"_\" but found \";\""));
  EXPECT_THAT(Failure(ParseBody("q: .callprototype _ (.b32 _);")),
              HasSubstr("expected a parameter in .param space"));
  EXPECT_THAT(Failure(ParseBody("q: .callprototype _ .what;")),
              HasSubstr("the unknown directive \".what\""));
}

TEST(Prototypes, ListsOfTargetsAreReadAndNotSupported) {
  const Function kernel = Kernel("t: .calltargets f, g;\ncall %rd1, (), t; exit;");
  ASSERT_EQ(kernel.instructions.size(), 2U);
  EXPECT_EQ(kernel.instructions[0].opcode, Opcode::kUnsupported);
  EXPECT_EQ(kernel.instructions[0].reason, "list of .calltargets");
  EXPECT_THAT(Failure(ParseBody("t: .calltargets f, g")),
              HasSubstr("expected \";\" but found the end of the text"));
}

TEST(CallStatements, HaveOperandsInTheOrderOfPtx) {
  const Function kernel = Kernel(
      "{ .param .b32 a, b, r;\ncall f; call.uni f, (a); call (r), f; call (r), f, (a, b, 5);"
      "@!%p2 call (r), f, (%r1, _); }");
  struct Case {
    std::size_t returns;
    std::size_t arguments;
    bool is_uniform;
  };
  const auto cases = std::to_array<Case>(
      {{0, 0, false}, {0, 1, true}, {1, 0, false}, {1, 3, false}, {1, 2, false}});
  ASSERT_EQ(kernel.instructions.size(), cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Instruction& call = kernel.instructions[i];
    ASSERT_EQ(call.operands.size(), 3U) << i;
    EXPECT_EQ(call.operands[0].elements.size(), cases.at(i).returns) << i;
    EXPECT_EQ(call.operands[1].name, "f") << i;
    EXPECT_EQ(call.operands[2].elements.size(), cases.at(i).arguments) << i;
    EXPECT_EQ(call.is_uniform, cases.at(i).is_uniform) << i;
  }
  EXPECT_TRUE(kernel.instructions[4].guard_negated);
}

TEST(CallStatements, OnesThatCannotBeAreRefusedByName) {
  struct Case {
    std::string_view body;
    std::string_view refusal;
  };
  for (const auto& [body, refusal] : std::to_array<Case>({
           {"call;", "expected an operand of call but found \";\""},
           {"call 5;", "expected an operand of call but found \"5\""},
           {"call g;", "call of what is neither a function nor a register"},
           {"call _;", "call of what is neither a function nor a register"},
           {"call (%r1) f;", "expected \",\" but found \"f\""},
           {"call f (%r1);", "expected \";\" but found \"(\""},
           {"call f, (%r1;", "expected \",\" but found \";\""},
           {"call f, (%r1, {%r2});", "list within a list of operands"},
           {"call f, (), ;", "expected the label of .branchtargets or .callprototype"},
           {"call f, (), nothing;", "\"nothing\" is no table of call"},
       })) {
    EXPECT_THAT(Failure(ParseBody(body)), HasSubstr(refusal)) << body;
  }
  EXPECT_THAT(One("q: .callprototype _; call %r1, (), q;").reason, HasSubstr("not of 64 bits"));
}

TEST(GuardedInstructions, HaveOnePredicateEach) {
  const Function kernel = Kernel("@%p1 add.s32 %r1, %r1, 1; @!%p2 bra L; L: @ ! %p1 ret; exit;");
  ASSERT_EQ(kernel.instructions.size(), 4U);
  const auto name = [&](std::size_t i) {
    return kernel.registers.at(static_cast<std::size_t>(kernel.instructions.at(i).guard)).name;
  };
  EXPECT_EQ(name(0), "%p1");
  EXPECT_FALSE(kernel.instructions[0].guard_negated);
  EXPECT_EQ(name(1), "%p2");
  EXPECT_TRUE(kernel.instructions[1].guard_negated);
  EXPECT_EQ(name(2), "%p1");
  EXPECT_TRUE(kernel.instructions[2].guard_negated);
  EXPECT_EQ(kernel.instructions[3].guard, -1);
}

TEST(GuardedInstructions, FaultsNameTheGuard) {
  struct Case {
    std::string_view body;
    std::string_view refusal;
  };
  for (const auto& [body, refusal] : std::to_array<Case>({
           {"@;", "expected a predicate but found \";\""},
           {"@1 exit;", "expected a predicate but found \"1\""},
           {"@!!%p1 exit;", "expected a predicate but found \"!\""},
           {"@%p9 exit;", "guard \"%p9\" is no predicate register"},
           {"@%r1 exit;", "guard \"%r1\" is no predicate register"},
           {"@g exit;", "guard \"g\" is no predicate register"},
           {"@L exit; L:", "guard \"L\" is no predicate register"},
           {"@%p1 ;", "expected an instruction behind its guard but found \";\""},
           {"@%p1 {exit;}", "expected an instruction behind its guard but found \"{\""},
           {"@%p1 @%p2 exit;", "expected an instruction behind its guard but found \"@\""},
           {"@%p1 .reg .b32 x;", "expected an instruction behind its guard but found \".reg\""},
       })) {
    EXPECT_THAT(Failure(ParseBody(body)), HasSubstr(refusal)) << body;
  }
}

}  // namespace
}  // namespace assay::gpu::ptx
