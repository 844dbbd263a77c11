// SPDX-License-Identifier: Apache-2.0
// Modules: functions, variables, initialisers, directives.
#include "emulator/ptx/parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "emulator/ptx/parse_for_test.h"

namespace assay::gpu::ptx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Module, HeaderAndFiles) {
  const Module module =
      MustParse(ParseItems(".file 2 \"b.cu\", 1700000000, 12345\n.file 1 \"a.cu\""));
  EXPECT_EQ(module.version_major, 9U);
  EXPECT_EQ(module.version_minor, 0U);
  EXPECT_EQ(module.target, "sm_80");
  EXPECT_THAT(module.files, ElementsAre("", "a.cu", "b.cu"));
  const auto late = Parse(".version 7.10 .target sm_90a, debug", "x");
  ASSERT_TRUE(late.has_value());
  EXPECT_EQ(late->version_minor, 10U);
  EXPECT_EQ(late->target, "sm_90a");
}

TEST(Module, VersionsAreOfAFewDigits) {
  for (const std::string version : {"1000000.0", "0.0", "9.0e1", "12345.0", "9.12345", "1e5.0"}) {
    EXPECT_FALSE(Parse(".version " + version, "x").has_value()) << version;
  }
  EXPECT_THAT(Failure(Parse(".version 1000000.0\n", "x")),
              HasSubstr("x:1: .version \"1000000.0\" is none of PTX"));
  EXPECT_THAT(Failure(Parse(".version 0.5", "x")), HasSubstr(".version \"0.5\" is none of PTX"));
  EXPECT_THAT(Failure(Parse(".version .5", "x")), HasSubstr(".version \".5\" is none of PTX"));
}

TEST(Module, WhatIsNoPtxIsAnError) {
  EXPECT_THAT(Failure(Parse("", "empty.ptx")), HasSubstr("empty.ptx:1: text has no .version"));
  EXPECT_THAT(Failure(Parse("int main() {}", "x")), HasSubstr("expected a directive"));
  EXPECT_THAT(Failure(Parse(".version 9.0 .address_size 32", "x")), HasSubstr("32 bits"));
  EXPECT_THAT(Failure(ParseItems("\n.what x;")),
              HasSubstr("test.ptx:5: directive \".what\" is not known"));
  EXPECT_THAT(Failure(ParseItems(".section .debug_str { ")), HasSubstr("of a section"));
  EXPECT_FALSE(Parse(std::string(kMaxTextBytes + 1, ' '), "x").has_value());
}

TEST(Module, SkipsDebugSectionsAndPragmas) {
  const Module module =
      MustParse(ParseItems(".section .debug_str\n{\n$L__info_string0:\n.b8 97\n.b8 0\n}\n.pragma "
                           "\"x\";\n.global .b32 a;"));
  EXPECT_EQ(module.variables.size(), 1U);
}

TEST(Module, ErrorsNameTheCudaLineInForce) {
  const auto parsed = ParseItems(
      ".visible .entry k() {\n.loc 1 42 7, function_name $L__info_string0+3, inlined_at 1 7 1\n"
      "add.s32 %r1, 1, 2;\n}\n.file 1 \"dir/kernel.cu\"\n");
  EXPECT_THAT(Failure(parsed), HasSubstr("test.ptx:6: \"%r1\", an operand of add.s32, is not "
                                         "declared (dir/kernel.cu:42)"));
  EXPECT_THAT(parsed.error().remedy, HasSubstr("nvcc"));
}

TEST(Module, LinesOfLocStayUntilTheNextAndEndWithTheFunction) {
  const Module module =
      MustParse(ParseItems(".entry a() { exit; .loc 1 5 3\n exit; exit;\n.loc 2 9 1, function_name "
                           "$L, inlined_at 1 5 3\n"
                           "ret; } .entry b() { ret; }"));
  const auto& a = module.functions[0].instructions;
  EXPECT_EQ(a[0].source, (SourceLine{}));
  EXPECT_EQ(a[2].source, (SourceLine{.file = 1, .line = 5}));
  EXPECT_EQ(a[3].source, (SourceLine{.file = 2, .line = 9}));
  EXPECT_EQ(module.functions[1].instructions[0].source, (SourceLine{}));
}

TEST(Module, CodeOfToolkitHeadersCountsAsTheLineThatCalledIt) {
  const Module module = MustParse(ParseItems(
      ".entry a() {\n.loc 1 7 3\n.loc 2 100 1, function_name $L, inlined_at 1 7 3\nexit;\n"
      ".loc 2 200 5, function_name $L, inlined_at 2 100 1\nexit;\n"
      ".loc 3 9 1, function_name $L, inlined_at 1 7 3\nexit; }\n"
      ".file\t1 \"/home/me/a.cu\"\n.file\t2 \"/usr/local/cuda/include/sm_30_intrinsics.hpp\"\n"
      ".file\t3 \"/home/me/mine.h\"\n"));
  const auto& a = module.functions[0].instructions;
  EXPECT_EQ(a[0].source, (SourceLine{.file = 1, .line = 7}));
  EXPECT_EQ(a[1].source, (SourceLine{.file = 1, .line = 7}));
  EXPECT_EQ(a[2].source, (SourceLine{.file = 3, .line = 9}));
}

TEST(Functions, DirectivesOfKernels) {
  const Module module = MustParse(ParseItems(
      ".visible .entry k(.param .u64 .ptr .global .align 16 a, .param .align 8 .b8 b[24])\n"
      ".maxntid 32, 4, 2\n.minnctapersm 2\n.maxnreg 64\n.pragma \"x\";\n{ ret; }\n"
      ".weak .entry r() .reqntid 128 { ret; }\n.func n() .noreturn { trap; }"));
  const Function& kernel = module.functions[0];
  EXPECT_TRUE(kernel.is_entry);
  EXPECT_EQ(kernel.max_threads, 256U);
  EXPECT_EQ(kernel.min_blocks_per_sm, 2U);
  EXPECT_EQ(kernel.max_registers, 64U);
  EXPECT_EQ(kernel.required_block, std::nullopt);
  ASSERT_EQ(kernel.parameters.size(), 2U);
  EXPECT_EQ(kernel.parameters[0].align_bytes, 8U);
  EXPECT_EQ(kernel.parameters[1].size_bytes, 24U);
  EXPECT_EQ(kernel.parameters[1].align_bytes, 8U);
  EXPECT_EQ(module.functions[1].required_block, (std::array<std::uint32_t, 3>{128, 1, 1}));
  EXPECT_EQ(module.functions[1].max_threads, 128U);
  EXPECT_FALSE(module.functions[2].is_entry);
}

TEST(Functions, OnesOfAClusterAreUnsupportedAlone) {
  const Module module =
      MustParse(ParseItems(".entry one() .explicitcluster .reqnctapercluster 1, 1, 1 { ret; }\n"
                           ".entry two() .reqnctapercluster 2 { ret; }"));
  EXPECT_EQ(module.functions[0].instructions.size(), 1U);
  EXPECT_EQ(module.functions[1].instructions[0].opcode, Opcode::kUnsupported);
  EXPECT_EQ(module.functions[1].instructions[0].reason, "clusters of blocks");
}

TEST(Functions, DeclaredBeforeDefined) {
  const Module module = MustParse(ParseItems(
      ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
      ".func (.param .b32 r) f(.param .b32 a);\n"
      ".entry k() { call f; }\n.func (.param .b32 r) f(.param .b32 a) { call f; ret; }"));
  ASSERT_EQ(module.functions.size(), 3U);
  EXPECT_TRUE(module.FindFunction("vprintf")->is_declaration);
  EXPECT_EQ(module.FindFunction("vprintf")->returns.size(), 1U);
  EXPECT_FALSE(module.FindFunction("f")->is_declaration);
  EXPECT_EQ(module.FindFunction("f")->instructions.size(), 2U);
  EXPECT_EQ(module.FindFunction("g"), nullptr);
  EXPECT_THAT(Failure(ParseItems(".func f() { ret; }\n.func f() { ret; }")),
              HasSubstr("test.ptx:5: function \"f\" is defined twice"));
}

TEST(Functions, AliasesGiveWayToWhatTheyName) {
  const Module module = MustParse(
      ParseItems(".func c2() { ret; }\n.func c1();\n.global .u64 v[1] = {c1};\n.alias c1, c2;\n"
                 ".entry k() { .reg .b64 %rd1; call c1; mov.u64 %rd1, c1; }"));
  const Function& kernel = *module.FindFunction("k");
  EXPECT_EQ(kernel.instructions[0].operands[1].name, "c2");
  EXPECT_EQ(kernel.instructions[1].operands[1].name, "c2");
  EXPECT_EQ(module.FindVariable("v")->addresses[0].symbol, "c2");
  EXPECT_THAT(Failure(ParseItems(".func a();\n.alias a, b;")), HasSubstr("no function defined"));
}

TEST(Variables, SizesAndAlignments) {
  const Variable array = OneVariable(".shared .align 16 .f32 tile[4][33];");
  EXPECT_EQ(array.space, Space::kShared);
  EXPECT_EQ(array.size_bytes, 528U);
  EXPECT_EQ(array.align_bytes, 16U);
  EXPECT_TRUE(array.is_array);
  const Variable dynamic = OneVariable(".extern .shared .align 16 .b8 dyn[];");
  EXPECT_TRUE(dynamic.is_extern);
  EXPECT_EQ(dynamic.size_bytes, 0U);
  const Variable vector = OneVariable(".global .v4 .f32 v[2];");
  EXPECT_EQ(vector.size_bytes, 32U);
  EXPECT_EQ(vector.align_bytes, 16U);
  EXPECT_EQ(OneVariable(".const .u64 c;").align_bytes, 8U);
  EXPECT_EQ(OneVariable(".global .attribute(.managed) .align 4 .u32 m;").size_bytes, 4U);
  EXPECT_EQ(MustParse(ParseItems(".common .global .u32 a, b[2];")).variables.size(), 2U);
}

TEST(Variables, InitialisersOfNumbers) {
  EXPECT_THAT(OneVariable(".global .u32 a = 258;").initial, ElementsAre(2, 1, 0, 0));
  EXPECT_THAT(OneVariable(".const .b8 a[4] = {1, -1};").initial, ElementsAre(1, 255));
  EXPECT_THAT(OneVariable(".global .f32 a = 0f3F800000;").initial, ElementsAre(0, 0, 128, 63));
  EXPECT_THAT(OneVariable(".global .f32 a = 1.0;").initial, ElementsAre(0, 0, 128, 63));
  EXPECT_THAT(OneVariable(".global .s16 a[2][3] = {{1}, {2, 3}};").initial,
              ElementsAre(1, 0, 0, 0, 0, 0, 2, 0, 3, 0));
  const Variable open = OneVariable(".global .u16 a[] = {1, 2, 3};");
  EXPECT_EQ(open.size_bytes, 6U);
  EXPECT_EQ(OneVariable(".global .u16 a[][2] = {{1}, {2, 3}, 4};").size_bytes, 12U);
  EXPECT_THAT(OneVariable(".global .v2 .u16 a[2] = {{1, 2}, {3}};").initial,
              ElementsAre(1, 0, 2, 0, 3, 0));
}

TEST(Variables, InitialisersOfAddresses) {
  const Variable addresses =
      OneVariable(".func f(); .global .b32 x[8]; .global .u64 a[4] = {5, f, x+8, generic(x)+4};");
  ASSERT_EQ(addresses.addresses.size(), 3U);
  EXPECT_EQ(addresses.addresses[0].offset_bytes, 8U);
  EXPECT_EQ(addresses.addresses[0].symbol, "f");
  EXPECT_FALSE(addresses.addresses[0].generic);
  EXPECT_EQ(addresses.addresses[1].addend, 8);
  EXPECT_TRUE(addresses.addresses[2].generic);
  EXPECT_EQ(addresses.addresses[2].addend, 4);
  EXPECT_EQ(addresses.initial.size(), 32U);
  EXPECT_THAT(Failure(ParseItems(".global .u64 a = missing;")),
              HasSubstr("names \"missing\", which nothing declares"));
  EXPECT_THAT(Failure(ParseItems(".global .u32 x; .global .u32 a = x;")), HasSubstr("4 bytes"));
}

TEST(Variables, AddressesByteByByte) {
  const std::string bytes =
      "0xFF(x), 0xFF00(x), 0xFF0000(x), 0xFF000000(x), 0xFF00000000(x), 0xFF0000000000(x), "
      "0xFF000000000000(x), 0xFF00000000000000(x)";
  const Variable packed = OneVariable(".global .u32 x; .global .align 8 .b8 a[17] = {7, " + bytes +
                                      ", " + bytes + "};");
  ASSERT_EQ(packed.addresses.size(), 2U);
  EXPECT_EQ(packed.addresses[0].offset_bytes, 1U);
  EXPECT_EQ(packed.addresses[1].offset_bytes, 9U);
  EXPECT_THAT(Failure(ParseItems(".global .u32 x; .global .b8 a[9] = {0xFF(x), 0xFF0000(x)};")),
              HasSubstr("out of order"));
  EXPECT_THAT(Failure(ParseItems(".global .u32 x; .global .b8 a[9] = {0xFF(x), 1, 2};")),
              HasSubstr("not whole"));
  EXPECT_THAT(Failure(ParseItems(".global .u32 x; .global .b8 a[9] = {0xF0(x)};")),
              HasSubstr("not a byte"));
}

TEST(Variables, HostileSizesAreRefusedOrOnlyRecorded) {
  EXPECT_EQ(OneVariable(".global .b8 a[1000000000000];").size_bytes, 1'000'000'000'000U);
  EXPECT_TRUE(OneVariable(".global .b8 a[1000000000000] = {1};").initial.size() == 1);
  for (const char* const text :
       {".global .b8 a[10000000000000];", ".global .b8 a[1000000][1000000][1000000];",
        ".global .b8 a[-1];", ".global .align 3 .b8 a;", ".global .align 1000000 .b8 a;",
        ".global .b8 a[2][100000000] = {{1}, {2}};", ".global .b8 a[1] = {1, 2};",
        ".global .b8 a[1] = {{1}};", ".global .pred a;", ".global .b1 a;", ".global a;",
        ".global .b8 a[0][1000000000000] = {{},{},{}};"}) {
    EXPECT_FALSE(ParseItems(text).has_value()) << text;
  }
}

TEST(Variables, DefinedOnce) {
  EXPECT_EQ(OneVariable(".extern .global .b32 a; .global .b32 a = 1;").initial.size(), 4U);
  EXPECT_THAT(Failure(ParseItems(".global .b32 a; .global .b32 a;")), HasSubstr("defined twice"));
  EXPECT_THAT(Failure(ParseItems(".global .b32 a; .func a();")), HasSubstr("variable already"));
  EXPECT_THAT(Failure(ParseItems(".func a(); .global .b32 a;")), HasSubstr("function already"));
}

}  // namespace
}  // namespace assay::gpu::ptx
