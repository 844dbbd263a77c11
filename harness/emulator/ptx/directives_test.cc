// SPDX-License-Identifier: Apache-2.0
// Directives of functions, .loc and .pragma, and which lines an instruction gets.
#include "emulator/ptx/directives.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "emulator/ptx/parse_for_test.h"

namespace assay::gpu::ptx {
namespace {

using testing::HasSubstr;

using Block = std::array<std::uint32_t, 3>;

// A kernel with `directives` on line 5.
Result<Module> ParseKernelWith(std::string_view directives) {
  return ParseItems(".entry k()\n" + std::string(directives) + "\n{ ret; }");
}

Function KernelWith(std::string_view directives) {
  const Module module = MustParse(ParseKernelWith(directives));
  EXPECT_EQ(module.functions.size(), 1U) << directives;
  return module.functions.empty() ? Function{} : module.functions.front();
}

TEST(FunctionDirectives, ThreadsAreTheProductOfTheExtents) {
  struct Case {
    std::string_view extents;
    std::uint32_t threads;
    Block block;
  };
  for (const auto& [extents, threads, block] : std::to_array<Case>({
           {"1", 1, {1, 1, 1}},
           {"256", 256, {256, 1, 1}},
           {"16, 8", 128, {16, 8, 1}},
           {"16,8,2", 256, {16, 8, 2}},
           {"0x20, 010", 256, {32, 8, 1}},
           {"1, 1, 64", 64, {1, 1, 64}},
           // More than a number of 32 bits holds is as much as one holds.
           {"65536, 65536, 2", 0xffffffff, {65536, 65536, 2}},
       })) {
    const Function at_most = KernelWith(".maxntid " + std::string(extents));
    EXPECT_EQ(at_most.max_threads, threads) << extents;
    EXPECT_EQ(at_most.required_block, std::nullopt) << extents;
    const Function exactly = KernelWith(".reqntid " + std::string(extents));
    EXPECT_EQ(exactly.max_threads, threads) << extents;
    EXPECT_EQ(exactly.required_block, block) << extents;
  }
}

TEST(FunctionDirectives, WithoutAnyNothingIsBound) {
  const Function kernel = KernelWith("");
  EXPECT_EQ(kernel.max_threads, std::nullopt);
  EXPECT_EQ(kernel.min_blocks_per_sm, std::nullopt);
  EXPECT_EQ(kernel.max_registers, std::nullopt);
  EXPECT_EQ(kernel.required_block, std::nullopt);
  EXPECT_EQ(kernel.ptx_line, 4U);
}

TEST(FunctionDirectives, ComeInAnyOrder) {
  for (const std::string_view directives :
       {".maxntid 64 .minnctapersm 3 .maxnreg 40", ".maxnreg 40 .maxntid 64, 1 .minnctapersm 3",
        ".minnctapersm 3 .pragma \"nounroll\"; .maxnreg 40 .maxntid 64"}) {
    const Function kernel = KernelWith(directives);
    EXPECT_EQ(kernel.max_threads, 64U) << directives;
    EXPECT_EQ(kernel.min_blocks_per_sm, 3U) << directives;
    EXPECT_EQ(kernel.max_registers, 40U) << directives;
  }
}

TEST(FunctionDirectives, OnesThatBindNothingHereAreRead) {
  for (const std::string_view directives :
       {".noreturn", ".maxnctapersm 4", ".abi_preserve 8", ".abi_preserve_control 2",
        ".local_maxnreg 32", ".unique", ".maxclusterrank 8", ".explicitcluster",
        ".blocksareclusters", ".reqnctapercluster 1", ".reqnctapercluster 1, 1, 1"}) {
    const Function kernel = KernelWith(directives);
    EXPECT_EQ(kernel.instructions.size(), 1U) << directives;
    EXPECT_EQ(kernel.max_threads, std::nullopt) << directives;
    EXPECT_EQ(kernel.max_registers, std::nullopt) << directives;
  }
}

TEST(FunctionDirectives, AClusterOfSeveralBlocksIsRefusedWhereItIsReached) {
  for (const std::string_view extents : {"2", "1, 2", "1, 1, 4", "8, 1, 1"}) {
    const Function kernel = KernelWith(".reqnctapercluster " + std::string(extents));
    ASSERT_EQ(kernel.instructions.size(), 2U) << extents;
    EXPECT_EQ(kernel.instructions[0].opcode, Opcode::kUnsupported) << extents;
    EXPECT_EQ(kernel.instructions[0].spelling, ".reqnctapercluster");
    EXPECT_EQ(kernel.instructions[0].reason, "clusters of blocks");
    EXPECT_EQ(kernel.instructions[0].ptx_line, 5U);
  }
}

TEST(FunctionDirectives, FaultsNameTheDirectiveAndItsLine) {
  struct Case {
    std::string_view directives;
    std::string_view refusal;
  };
  for (const auto& [directives, refusal] : std::to_array<Case>({
           {".maxntid 1, 2, 3, 4", "test.ptx:5: .maxntid has four dimensions"},
           {".reqntid 1, 2, 3, 4", ".reqntid has four dimensions"},
           {".reqnctapercluster 1, 1, 1, 1", ".reqnctapercluster has four dimensions"},
           {".maxntid", "test.ptx:6: expected a number of threads but found \"{\""},
           {".maxntid 8,", "expected a number of threads but found \"{\""},
           {".maxntid -1", "test.ptx:5: expected a number of threads but found \"-\""},
           {".maxntid 1.5", "expected a number of threads but found \"1.5\""},
           {".maxntid 4294967296", "\"4294967296\", more than 4294967295"},
           {".minnctapersm", "expected a number but found \"{\""},
           {".maxnreg %r1", "expected a number but found \"%r1\""},
           {".maxthreads 5", "test.ptx:5: function has the unknown directive \".maxthreads\""},
           {".b32", "function has the unknown directive \".b32\""},
           {".pragma nounroll;", "expected the text of a .pragma but found \"nounroll\""},
           {".pragma \"nounroll\"", "test.ptx:6: expected \";\" but found \"{\""},
           {".pragma \"a\",;", "expected the text of a .pragma but found \";\""},
       })) {
    EXPECT_THAT(Failure(ParseKernelWith(directives)), HasSubstr(refusal)) << directives;
  }
}

TEST(FunctionDirectives, OfAPrototypeEndWithItAndBindNothing) {
  Source source(".noreturn .maxntid 5 .reqnctapercluster 4; next", "x");
  Function function;
  EXPECT_TRUE(ParseFunctionDirectives(source, function, DirectivesOf::kPrototype).has_value());
  EXPECT_EQ(source.lexer.token().text, "next");
  EXPECT_EQ(function.max_threads, std::nullopt);
  EXPECT_TRUE(function.instructions.empty());
  Source open(".noreturn next", "x");
  EXPECT_FALSE(ParseFunctionDirectives(open, function, DirectivesOf::kPrototype).has_value());
}

TEST(FunctionDirectives, OfAFunctionEndBeforeItsBody) {
  Source source(".noreturn { ret; }", "x");
  Function function;
  EXPECT_TRUE(ParseFunctionDirectives(source, function, DirectivesOf::kFunction).has_value());
  EXPECT_TRUE(source.lexer.Is("{"));
}

TEST(Pragmas, AreSkippedWhereverTheyStand) {
  const Module module = MustParse(
      ParseItems(".pragma \"a\", \"b\";\n.entry k() { .pragma \"nounroll\"; ret; .pragma \"\"; }"));
  EXPECT_EQ(module.functions.at(0).instructions.size(), 1U);
  for (const std::string_view text :
       {".pragma", ".pragma ;", ".pragma \"a\"", ".pragma \"a", ".pragma \"a\" \"b\";"}) {
    EXPECT_FALSE(ParseItems(text).has_value()) << text;
  }
}

TEST(Loc, FormsThatNvccWrites) {
  for (const std::string_view text :
       {".loc 2 20 3 next", ".loc\t2\t20\t3\nnext", ".loc 2 20 0 next",
        ".loc 2 20 3, function_name $L__info_string0, inlined_at 1 7 1 next",
        ".loc 2 20 3, function_name $L__info_string0+17, inlined_at 1 7 1 next",
        ".loc 2 20 3, inlined_at 1 7 1 next", ".loc 2 20 3, function_name $L+0 next"}) {
    Source source(text, "x");
    const Status status = ParseLoc(source);
    ASSERT_TRUE(status.has_value()) << text;
    EXPECT_EQ(source.line, (SourceLine{.file = 2, .line = 20})) << text;
    EXPECT_EQ(source.lexer.token().text, "next") << text;
  }
}

TEST(Loc, FaultsSayWhichPartIsMissing) {
  struct Case {
    std::string_view text;
    std::string_view refusal;
  };
  for (const auto& [text, refusal] : std::to_array<Case>({
           {".loc", "expected the file of .loc but found the end of the text"},
           {".loc x", "expected the file of .loc but found \"x\""},
           {".loc 65537 1 1", "the file of .loc is \"65537\", more than 65536"},
           {".loc 1", "expected the line of .loc"},
           {".loc 1 -2 3", "expected the line of .loc but found \"-\""},
           {".loc 1 2", "expected the column of .loc"},
           {".loc 1 2 99999999999", "the column of .loc is \"99999999999\""},
           {".loc 1 2 3,", "expected function_name or inlined_at but found the end"},
           {".loc 1 2 3, name x", ".loc has the unknown word \"name\""},
           {".loc 1 2 3, function_name", "expected the label of a name"},
           {".loc 1 2 3, function_name x+", "expected an offset"},
           {".loc 1 2 3, inlined_at 1 2", "expected the column of .loc"},
       })) {
    Source source(text, "x");
    const Status status = ParseLoc(source);
    ASSERT_FALSE(status.has_value()) << text;
    EXPECT_THAT(status.error().cause, HasSubstr(refusal)) << text;
  }
}

TEST(Loc, LinesOfInstructionsAreThoseOfTheirOpcodes) {
  const Function kernel =
      Kernel("add.s32 %r1,\n  %r2,\n  %r3;\n@%p1\n  bra L;\nL:\n\n/* \n */ ret; exit; // x\ntrap;");
  ASSERT_EQ(kernel.instructions.size(), 5U);
  EXPECT_EQ(kernel.instructions[0].ptx_line, 5U);
  EXPECT_EQ(kernel.instructions[1].ptx_line, 9U);
  EXPECT_EQ(kernel.instructions[2].ptx_line, 13U);
  EXPECT_EQ(kernel.instructions[3].ptx_line, 13U);
  EXPECT_EQ(kernel.instructions[4].ptx_line, 14U);
}

TEST(Loc, InstructionsHaveTheCudaLineInForce) {
  const Function kernel = Kernel(
      "trap;\n.loc 1 10 3\nexit;\n{ .loc 1 11 1\n @%p1 exit; }\nexit;\n"
      ".loc 2 12 1\nwgmma.fence.sync.aligned;\nL: .loc 1 0 0\nret;");
  ASSERT_EQ(kernel.instructions.size(), 6U);
  EXPECT_EQ(kernel.instructions[0].source, (SourceLine{}));
  EXPECT_EQ(kernel.instructions[1].source, (SourceLine{.file = 1, .line = 10}));
  EXPECT_EQ(kernel.instructions[2].source, (SourceLine{.file = 1, .line = 11}));
  // A line does not end with the scope that it begins in.
  EXPECT_EQ(kernel.instructions[3].source, (SourceLine{.file = 1, .line = 11}));
  EXPECT_EQ(kernel.instructions[4].opcode, Opcode::kUnsupported);
  EXPECT_EQ(kernel.instructions[4].source, (SourceLine{.file = 2, .line = 12}));
  EXPECT_EQ(kernel.instructions[5].source, (SourceLine{.file = 1, .line = 0}));
}

TEST(Loc, OutsideOfFunctionsIsOfNoInstruction) {
  const Module module = MustParse(ParseItems(".loc 1 5 1\n.entry k() { ret; }"));
  EXPECT_EQ(module.functions.at(0).instructions.at(0).source, (SourceLine{}));
}

TEST(Files, HaveTheNumbersThatTheyAreGiven) {
  const Module module = MustParse(ParseItems(".file 3 \"c.cu\", 1, 2\n.file 0x1 \"a.cu\", 99"));
  ASSERT_EQ(module.files.size(), 4U);
  EXPECT_EQ(module.files[1], "a.cu");
  EXPECT_EQ(module.files[2], "");
  EXPECT_EQ(module.files[3], "c.cu");
  EXPECT_THAT(Failure(ParseItems(".file 65537 \"a\"")), HasSubstr("more than 65536"));
  EXPECT_THAT(Failure(ParseItems(".file \"a\"")), HasSubstr("expected the number of a file"));
  EXPECT_THAT(Failure(ParseItems(".file 1 a")), HasSubstr("expected the name of a file"));
  EXPECT_THAT(Failure(ParseItems(".file 1 \"a\", b")),
              HasSubstr("expected the time or size of a file but found \"b\""));
}

}  // namespace
}  // namespace assay::gpu::ptx
