// SPDX-License-Identifier: Apache-2.0
// Declarations of variables and parameters: spaces, types, sizes, alignments.
#include "emulator/ptx/variables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/ptx/parse_for_test.h"

namespace assay::gpu::ptx {
namespace {

using testing::HasSubstr;

// What stands in `text` behind a space and its directive.
std::vector<DeclaredVariable> Declared(std::string_view text) {
  Source source(text, "v.ptx");
  auto variables = ParseVariables(source, Space::kGlobal);
  EXPECT_TRUE(variables.has_value()) << text << ": " << ToString(variables.error());
  EXPECT_TRUE(source.lexer.Is(Token::Kind::kEnd)) << text;
  return variables.value_or(std::vector<DeclaredVariable>{});
}

std::string RefusalOfVariables(std::string_view text) {
  Source source(text, "v.ptx");
  const auto variables = ParseVariables(source, Space::kGlobal);
  EXPECT_FALSE(variables.has_value()) << text;
  return variables ? "" : variables.error().where + ": " + variables.error().cause;
}

std::string RefusalOfParameters(std::string_view text) {
  Source source(text, "v.ptx");
  const auto parameters = ParseParameters(source);
  EXPECT_FALSE(parameters.has_value()) << text;
  return parameters ? "" : parameters.error().cause;
}

TEST(VariableDeclarations, SpacesHaveTheirDirectives) {
  EXPECT_EQ(SpaceOf(".global"), Space::kGlobal);
  EXPECT_EQ(SpaceOf(".shared"), Space::kShared);
  EXPECT_EQ(SpaceOf(".local"), Space::kLocal);
  EXPECT_EQ(SpaceOf(".const"), Space::kConst);
  EXPECT_EQ(SpaceOf(".param"), Space::kParam);
  for (const std::string_view other : {"", ".", "global", ".reg", ".sreg", ".tex", ".Global"}) {
    EXPECT_EQ(SpaceOf(other), Space::kGeneric) << other;
  }
}

TEST(VariableDeclarations, TypesAreTakenOneAtATime) {
  Source source(".b32.f64 .pred .texref .surfref .samplerref .u33", "v.ptx");
  EXPECT_EQ(ParseType(source), Type::kB32);
  EXPECT_EQ(ParseType(source), Type::kF64);
  EXPECT_EQ(ParseType(source), Type::kPred);
  for (int handle = 0; handle < 3; ++handle) {
    EXPECT_EQ(ParseType(source), Type::kB64);
  }
  const auto unknown = ParseType(source);
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().cause, "expected a type such as .b32 but found \".u33\"");
  Source word("b32", "v.ptx");
  EXPECT_FALSE(ParseType(word).has_value());
}

TEST(VariableDeclarations, SizesAndAlignments) {
  struct Case {
    std::string_view text;
    Type type;
    std::uint64_t size_bytes;
    std::uint32_t align_bytes;
    bool is_array;
  };
  for (const auto& [text, type, size_bytes, align_bytes, is_array] : std::to_array<Case>({
           // A variable is aligned to its own size, a vector to that of all of it.
           {".b8 a;", Type::kB8, 1, 1, false},
           {".s16 a;", Type::kS16, 2, 2, false},
           {".u32 a;", Type::kU32, 4, 4, false},
           {".f64 a;", Type::kF64, 8, 8, false},
           {".b128 a;", Type::kB128, 16, 16, false},
           {".f16x2 a;", Type::kF16x2, 4, 4, false},
           {".texref a;", Type::kB64, 8, 8, false},
           {".v2 .f32 a;", Type::kF32, 8, 8, true},
           {".v4 .b8 a;", Type::kB8, 4, 4, true},
           {".v4 .f32 a[3];", Type::kF32, 48, 16, true},
           {".f32 .v2 a;", Type::kF32, 8, 8, true},
           {".b8 a[7];", Type::kB8, 7, 1, true},
           {".f64 a[2][3];", Type::kF64, 48, 8, true},
           {".b16 a[2][3][4];", Type::kB16, 48, 2, true},
           {".b32 a[2 + 3 * 2];", Type::kB32, 32, 4, true},
           {".b32 a[0x10];", Type::kB32, 64, 4, true},
           {".b32 a[WARP_SZ];", Type::kB32, 128, 4, true},
           {".b32 a[];", Type::kB32, 0, 4, true},
           {".b32 a[][8];", Type::kB32, 0, 4, true},
           // What is written goes before what the type would have.
           {".align 16 .b8 a[4];", Type::kB8, 4, 16, true},
           {".align 1 .b64 a;", Type::kB64, 8, 1, false},
           {".align 65536 .b8 a;", Type::kB8, 1, 65536, false},
           {".b32 .align 8 a;", Type::kB32, 4, 8, false},
           {".attribute(.managed) .align 4 .u32 a;", Type::kU32, 4, 4, false},
           {".b8 a[1099511627776];", Type::kB8, 1099511627776, 1, true},
           {".b8 %a[2];", Type::kB8, 2, 1, true},
       })) {
    const auto variables = Declared(text);
    ASSERT_EQ(variables.size(), 1U) << text;
    const Variable& variable = variables[0].variable;
    EXPECT_EQ(ToString(variable.type), ToString(type)) << text;
    EXPECT_EQ(variable.size_bytes, size_bytes) << text;
    EXPECT_EQ(variable.align_bytes, align_bytes) << text;
    EXPECT_EQ(variable.is_array, is_array) << text;
    EXPECT_EQ(variable.space, Space::kGlobal) << text;
    EXPECT_EQ(variable.name, variables[0].name) << text;
  }
}

TEST(VariableDeclarations, SeveralShareWhatStandsBeforeThem) {
  const auto variables = Declared(".align 8 .u16 a, b[3], c = 5;");
  ASSERT_EQ(variables.size(), 3U);
  EXPECT_EQ(variables[0].name, "a");
  EXPECT_EQ(variables[1].name, "b");
  EXPECT_EQ(variables[2].name, "c");
  for (const DeclaredVariable& each : variables) {
    EXPECT_EQ(each.variable.type, Type::kU16);
    EXPECT_EQ(each.variable.align_bytes, 8U);
  }
  EXPECT_FALSE(variables[0].variable.is_array);
  EXPECT_EQ(variables[1].variable.size_bytes, 6U);
  EXPECT_EQ(variables[2].variable.initial.size(), 2U);
}

TEST(VariableDeclarations, FaultsSayWhatIsMissing) {
  struct Case {
    std::string_view text;
    std::string_view refusal;
  };
  for (const auto& [text, refusal] : std::to_array<Case>({
           {"a;", "v.ptx:1: expected a type of whole bytes"},
           {".pred a;", "expected a type of whole bytes"},
           {".u4 a;", "expected a type of whole bytes"},
           {".b1 a;", "expected a type of whole bytes"},
           {".v2 a;", "expected a type of whole bytes"},
           {".v3 .b32 a;", "expected a type such as .b32 but found \".v3\""},
           {".b33 a;", "expected a type such as .b32 but found \".b33\""},
           {".b32;", "expected the name of a variable but found \";\""},
           {".b32 5;", "expected the name of a variable but found \"5\""},
           {".b32 a,;", "expected the name of a variable but found \";\""},
           {".b32 a", "expected \";\" but found the end of the text"},
           {".b32 a\n.b32 b;", "v.ptx:2: expected \";\" but found \".b32\""},
           {".b32 a[2;", "expected \"]\" but found \";\""},
           {".b32 a[x];", "expected a number but found \"x\""},
           {".b32 a[1 / 0];", "cannot apply \"/\""},
           {".b32 a[-1];", "array has more than 1099511627776 elements"},
           {".b8 a[1099511627777];", "array has more than 1099511627776 elements"},
           {".b16 a[1099511627776];", "variable is larger than 1024 GiB"},
           {".b8 a[1048576][1048577];", "variable is larger than 1024 GiB"},
           {".align 0 .b8 a;", "alignment 0 is no power of two"},
           {".align 12 .b8 a;", "alignment 12 is no power of two"},
           {".align 131072 .b8 a;", "an alignment is \"131072\", more than 65536"},
           {".align .b8 a;", "expected an alignment but found \".b8\""},
           {".attribute .b8 a;", "expected \"(\" but found \".b8\""},
           {".attribute(.managed .b8 a;", "expected \")\" but found the end of the text"},
       })) {
    EXPECT_THAT(RefusalOfVariables(text), HasSubstr(refusal)) << text;
  }
}

TEST(VariableDeclarations, DimensionsAreBounded) {
  const auto nested = [](int dimensions) {
    std::string text = ".b8 a";
    for (int i = 0; i < dimensions; ++i) {
      text += "[1]";
    }
    return text + ";";
  };
  EXPECT_EQ(Declared(nested(32)).size(), 1U);
  EXPECT_THAT(RefusalOfVariables(nested(33)), HasSubstr("too many dimensions"));
  EXPECT_THAT(RefusalOfVariables(nested(100'000)), HasSubstr("too many dimensions"));
}

TEST(Parameters, HaveSizesAndAlignmentsOfTheirOwn) {
  Source source(
      "(.param .u8 a, .param .b64 .ptr .global .align 16 b,\n.param .align 16 .b8 c[20],"
      ".param .u64 .ptr d, .param .v4 .f32 e, .param .u64 .ptr .shared f) rest",
      "v.ptx");
  const auto parameters = ParseParameters(source);
  ASSERT_TRUE(parameters.has_value()) << ToString(parameters.error());
  EXPECT_EQ(source.lexer.token().text, "rest");
  ASSERT_EQ(parameters->size(), 6U);
  const auto size_of = [&](std::size_t i) { return (*parameters)[i].variable.size_bytes; };
  const auto align_of = [&](std::size_t i) { return (*parameters)[i].variable.align_bytes; };
  EXPECT_EQ(size_of(0), 1U);
  EXPECT_EQ(align_of(0), 1U);
  // What a pointer points to is aligned so, not the pointer.
  EXPECT_EQ(size_of(1), 8U);
  EXPECT_EQ(align_of(1), 8U);
  EXPECT_EQ(size_of(2), 20U);
  EXPECT_EQ(align_of(2), 16U);
  EXPECT_TRUE((*parameters)[2].variable.is_array);
  EXPECT_EQ(size_of(4), 16U);
  EXPECT_EQ((*parameters)[5].name, "f");
  for (const DeclaredVariable& each : *parameters) {
    EXPECT_EQ(each.variable.space, Space::kParam);
  }
}

TEST(Parameters, MayBeNone) {
  Source source("() rest", "v.ptx");
  const auto parameters = ParseParameters(source);
  ASSERT_TRUE(parameters.has_value());
  EXPECT_TRUE(parameters->empty());
  EXPECT_EQ(source.lexer.token().text, "rest");
}

TEST(Parameters, FaultsSayWhatIsMissing) {
  struct Case {
    std::string_view text;
    std::string_view refusal;
  };
  for (const auto& [text, refusal] : std::to_array<Case>({
           {"", "expected \"(\" but found the end of the text"},
           {"(", "expected a parameter in .param space but found the end of the text"},
           {"(.b32 a)", "expected a parameter in .param space but found \".b32\""},
           {"(.param)", "expected a type of whole bytes"},
           {"(.param .b32)", "expected the name of a variable but found \")\""},
           {"(.param .b32 a", "expected \",\" but found the end of the text"},
           {"(.param .b32 a .param .b32 b)", "expected \",\" but found \".param\""},
           {"(.param .b32 a,)", "expected a parameter in .param space but found \")\""},
           {"(.param .pred a)", "expected a type of whole bytes"},
           {"(.param .b64 .ptr .align 3 a)", "alignment 3 is no power of two"},
           {"(.param .align 5 .b8 a[8])", "alignment 5 is no power of two"},
           {"(.reg .b32 a)", "parameters in registers (.reg) are not supported"},
           {"(.param .b32 a, .reg .b32 b)", "parameters in registers (.reg) are not supported"},
       })) {
    EXPECT_THAT(RefusalOfParameters(text), HasSubstr(refusal)) << text;
  }
}

TEST(Parameters, OfFunctionsAndWhatTheyReturn) {
  const Module module = MustParse(ParseItems(
      ".func (.param .align 4 .b8 r[12]) f(.param .b32 a, .param .align 8 .b8 s[16]) { ret; }\n"
      ".func g { ret; }\n.visible .entry k { ret; }"));
  const Function& f = *module.FindFunction("f");
  ASSERT_EQ(f.returns.size(), 1U);
  EXPECT_EQ(f.returns[0].name, "r");
  EXPECT_EQ(f.returns[0].size_bytes, 12U);
  EXPECT_EQ(f.returns[0].align_bytes, 4U);
  ASSERT_EQ(f.parameters.size(), 2U);
  EXPECT_EQ(f.parameters[1].name, "s");
  EXPECT_EQ(f.parameters[1].align_bytes, 8U);
  EXPECT_TRUE(module.FindFunction("g")->parameters.empty());
  EXPECT_TRUE(module.FindFunction("k")->is_entry);
  // A kernel returns nothing.
  EXPECT_THAT(Failure(ParseItems(".entry (.param .b32 r) k() { ret; }")),
              HasSubstr("expected the name of a function but found \"(\""));
  EXPECT_THAT(Failure(ParseItems(".func f(.param .b32 a, .param .b64 a) { ret; }")),
              HasSubstr("\"a\" is declared twice in one scope of f"));
}

TEST(ModuleVariables, AreInTheSpacesThatModulesHave) {
  const Module module = MustParse(
      ParseItems(".visible .global .b32 a;\n.extern .global .b32 b;\n.weak .const .b32 c;\n"
                 ".extern .shared .align 16 .b8 d[];\n.shared .b32 e;\n;;"));
  ASSERT_EQ(module.variables.size(), 5U);
  EXPECT_EQ(module.variables[0].space, Space::kGlobal);
  EXPECT_FALSE(module.variables[0].is_extern);
  EXPECT_TRUE(module.variables[1].is_extern);
  EXPECT_EQ(module.variables[2].space, Space::kConst);
  EXPECT_EQ(module.variables[3].space, Space::kShared);
  EXPECT_TRUE(module.variables[3].is_extern);
  EXPECT_FALSE(module.variables[4].is_extern);
  EXPECT_EQ(module.FindVariable("d"), &module.variables[3]);
  EXPECT_EQ(module.FindVariable("f"), nullptr);
  for (const std::string space : {".local", ".param", ".reg", ".sreg"}) {
    EXPECT_THAT(Failure(ParseItems("\n" + space + " .b32 a;")),
                HasSubstr("test.ptx:5: directive \"" + space +
                          "\" is not known at the level of the module"));
  }
}

TEST(ModuleVariables, OnlyOnesThatTheLoaderWritesAreInitialised) {
  struct Case {
    std::string_view items;
    std::string_view refusal;
  };
  for (const auto& [items, refusal] : std::to_array<Case>({
           {".shared .b32 a = 5;", "initialiser of a, which is neither in .global nor in .const"},
           {".shared .b8 a[2] = {};", "initialiser of a, which is neither"},
           {".extern .global .b32 a = 5;", ".extern variable \"a\" has an initialiser"},
           {".extern .const .b8 a[2] = {};", ".extern variable \"a\" has an initialiser"},
           {".entry k(.param .b32 a = 5) { ret; }", "initialiser of a, which is neither"},
           {".entry k() { .local .b32 a = 5; ret; }", "initialiser of a, which is neither"},
           {".entry k() { .shared .b32 a = 5; ret; }", "initialiser of a, which is neither"},
       })) {
    EXPECT_THAT(Failure(ParseItems(items)), HasSubstr(refusal)) << items;
  }
}

TEST(ModuleVariables, AttributesMayHaveParenthesesWithin) {
  const Module module = MustParse(ParseItems(
      ".global .attribute(.unified(19, 95)) .f32 f;\n.global .attribute(.managed) .s32 g = 1;\n"
      ".func .attribute(.unified(0xAB, 0xCD)) (.param .b32 r) bar(.param .b32 a) { ret; }\n"
      ".func late() .attribute(.unified(1, (2))) { ret; }"));
  ASSERT_EQ(module.variables.size(), 2U);
  EXPECT_EQ(module.variables[0].type, Type::kF32);
  EXPECT_EQ(module.variables[1].initial.size(), 4U);
  ASSERT_NE(module.FindFunction("bar"), nullptr);
  EXPECT_EQ(module.FindFunction("bar")->returns.size(), 1U);
  ASSERT_NE(module.FindFunction("late"), nullptr);
  EXPECT_THAT(Failure(ParseItems(".func late() .attribute .noreturn { ret; }")),
              HasSubstr("expected \"(\" but found \".noreturn\""));
  EXPECT_THAT(Failure(ParseItems(".func f() .attribute((.a) { ret; }")),
              HasSubstr("expected \")\" but found the end of the text"));
}

TEST(ModuleVariables, ADefinitionGoesBeforeDeclarations) {
  const Module before =
      MustParse(ParseItems(".extern .global .b32 a;\n.visible .global .b32 a = 7;"));
  ASSERT_EQ(before.variables.size(), 1U);
  EXPECT_FALSE(before.variables[0].is_extern);
  EXPECT_EQ(before.variables[0].initial.size(), 4U);
  const Module after = MustParse(ParseItems(".global .b32 a = 7;\n.extern .global .b32 a;"));
  ASSERT_EQ(after.variables.size(), 1U);
  EXPECT_FALSE(after.variables[0].is_extern);
  EXPECT_EQ(after.variables[0].initial.size(), 4U);
}

TEST(BodyVariables, AreLocalSharedOrParameters) {
  const Function kernel =
      Kernel(".local .align 16 .b8 depot[40]; .shared .f32 tile[8][8]; .param .b64 out; ret;");
  ASSERT_EQ(kernel.variables.size(), 3U);
  EXPECT_EQ(kernel.variables[0].space, Space::kLocal);
  EXPECT_EQ(kernel.variables[0].align_bytes, 16U);
  EXPECT_EQ(kernel.variables[1].space, Space::kShared);
  EXPECT_EQ(kernel.variables[1].size_bytes, 256U);
  EXPECT_EQ(kernel.variables[2].space, Space::kParam);
  for (const std::string space : {".global", ".const", ".extern", ".file"}) {
    EXPECT_THAT(Failure(ParseBody("\n" + space + " .b32 a;")),
                HasSubstr("test.ptx:6: directive \"" + space + "\" in the body of k"));
  }
  EXPECT_THAT(Failure(ParseBody(".shared .b32 s; .local .b32 s;")),
              HasSubstr("\"s\" is declared twice in one scope of k"));
}

}  // namespace
}  // namespace assay::gpu::ptx
