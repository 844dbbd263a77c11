// SPDX-License-Identifier: Apache-2.0
// How faults are told, and which CUDA line is in force.
#include "emulator/ptx/source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace assay::gpu::ptx {
namespace {

using testing::EndsWith;

std::string CauseOf(const Status& status) {
  EXPECT_FALSE(status.has_value());
  return status ? "" : status.error().cause;
}

template <class T>
std::string CauseOf(const Result<T>& result) {
  EXPECT_FALSE(result.has_value());
  return result ? "" : result.error().cause;
}

TEST(SourceFaults, NameTheTextAndTheLineOfTheToken) {
  Source source("a\n\n b", "dir/x.ptx");
  EXPECT_EQ(source.Fault("first").where, "dir/x.ptx:1");
  source.lexer.Advance();
  const Error error = source.Fault("second");
  EXPECT_EQ(error.where, "dir/x.ptx:3");
  EXPECT_EQ(error.cause, "second");
  EXPECT_EQ(error.kind, ErrorKind::kConfiguration);
  EXPECT_FALSE(error.remedy.empty());
  EXPECT_EQ(source.Fault("third", 77).where, "dir/x.ptx:77");
}

TEST(SourceFaults, NameTheCudaLineInForce) {
  Source source("ret;\n.file 7 \"a.cu\"\n.file 1 \"dir/b.cu\", 5, 6\n", "x");
  source.line = {.file = 1, .line = 12};
  EXPECT_EQ(source.Fault("bad").cause, "bad (dir/b.cu:12)");
  source.line = {.file = 7, .line = 3};
  EXPECT_EQ(source.Fault("bad").cause, "bad (a.cu:3)");
  source.line = {.file = 2, .line = 4};
  EXPECT_EQ(source.Fault("bad").cause, "bad (CUDA source:4)");
  source.line = {.file = 1, .line = 0};
  EXPECT_EQ(source.Fault("bad").cause, "bad");
}

TEST(SourceFaults, FileTablesThatAreNoneDoNotHarm) {
  for (const std::string_view text :
       {".file", ".file 1", ".file 1 b", ".file \"b\" 1", ".file 1 \"unended", ".file -1 \"b\""}) {
    Source source(text, "x");
    source.line = {.file = 1, .line = 9};
    EXPECT_EQ(source.Fault("bad").cause, "bad (CUDA source:9)") << text;
  }
}

TEST(SourceFaults, ExpectedSaysWhatWasFound) {
  const auto found = [](std::string_view text) {
    return Source(text, "x").Expected("a thing").cause;
  };
  EXPECT_EQ(found(""), "expected a thing but found the end of the text");
  EXPECT_EQ(found("  // only a comment"), "expected a thing but found the end of the text");
  EXPECT_EQ(found("%r1"), "expected a thing but found \"%r1\"");
  EXPECT_EQ(found(".b32 x"), "expected a thing but found \".b32\"");
  EXPECT_EQ(found("<<"), "expected a thing but found \"<<\"");
  EXPECT_EQ(found("\"text\""), "expected a thing but found \"text\"");
  EXPECT_EQ(found(std::string(1000, 'a')),
            "expected a thing but found \"" + std::string(80, 'a') + "…\"");
}

TEST(SourceFaults, QuotedShortensWhatIsLong) {
  EXPECT_EQ(Quoted(""), "\"\"");
  EXPECT_EQ(Quoted("abc"), "\"abc\"");
  EXPECT_EQ(Quoted(std::string(80, 'x')), "\"" + std::string(80, 'x') + "\"");
  EXPECT_EQ(Quoted(std::string(81, 'x')), "\"" + std::string(80, 'x') + "…\"");
}

TEST(SourceTokens, ExpectTakesPunctuationOrSaysWhatStandsThere) {
  Source source("( ]", "x");
  EXPECT_TRUE(source.Expect("(").has_value());
  EXPECT_EQ(CauseOf(source.Expect(")")), "expected \")\" but found \"]\"");
  // What was not expected is still there.
  EXPECT_TRUE(source.Expect("]").has_value());
  EXPECT_EQ(CauseOf(source.Expect(";")), "expected \";\" but found the end of the text");
}

TEST(SourceTokens, TakeIdentifier) {
  Source source("$L__BB0_1 _ %p1 5", "x");
  EXPECT_EQ(source.TakeIdentifier("a label"), "$L__BB0_1");
  EXPECT_EQ(source.TakeIdentifier("a label"), "_");
  EXPECT_EQ(source.TakeIdentifier("a label"), "%p1");
  EXPECT_EQ(CauseOf(source.TakeIdentifier("a label")), "expected a label but found \"5\"");
  EXPECT_EQ(CauseOf(Source(".reg", "x").TakeIdentifier("a label")),
            "expected a label but found \".reg\"");
}

TEST(SourceTokens, TakeIntegerHasAnUpperBound) {
  const auto take = [](std::string_view text, std::uint32_t most) {
    return Source(text, "x").TakeInteger("the size", most);
  };
  EXPECT_EQ(take("0", 0), 0U);
  EXPECT_EQ(take("64", 64), 64U);
  EXPECT_EQ(take("0x40", 64), 64U);
  EXPECT_EQ(take("4294967295", 4294967295U), 4294967295U);
  EXPECT_EQ(CauseOf(take("65", 64)), "the size is \"65\", more than 64");
  EXPECT_EQ(CauseOf(take("4294967296", 4294967295U)),
            "the size is \"4294967296\", more than 4294967295");
  EXPECT_THAT(CauseOf(take("18446744073709551615", 64)), EndsWith("more than 64"));
  EXPECT_EQ(CauseOf(take("-1", 64)), "expected the size but found \"-\"");
  EXPECT_EQ(CauseOf(take("1.5", 64)), "expected the size but found \"1.5\"");
  EXPECT_EQ(CauseOf(take("x", 64)), "expected the size but found \"x\"");
}

// File 1 is the program's, the others are of a toolkit, by where they lie.
constexpr std::string_view kFiles =
    ".file\t1 \"/home/me/a.cu\"\n.file\t2 \"/usr/local/cuda/include/cub/cub.cuh\"\n"
    ".file\t3 \"/opt/cuda-12/targets/x86_64-linux/include/sm_60_atomic_functions.hpp\"\n"
    ".file\t4 \"/usr/include/c++/13/cmath\"\n.file\t5 \"/opt/nvvm/libdevice.cu\"\n"
    ".file\t6 \"/home/me/cuda/a.h\"\n";

TEST(SourceLines, OfTheProgramAreTaken) {
  Source source(kFiles, "x");
  source.EnterLine({.file = 1, .line = 7, .column = 3}, {});
  EXPECT_EQ(source.line, (SourceLine{.file = 1, .line = 7}));
  source.EnterLine({.file = 6, .line = 9, .column = 1},
                   Location{.file = 1, .line = 7, .column = 3});
  EXPECT_EQ(source.line, (SourceLine{.file = 6, .line = 9}));
  // Where no caller is told, the toolkit's own line is all there is.
  source.EnterLine({.file = 2, .line = 50, .column = 1}, {});
  EXPECT_EQ(source.line, (SourceLine{.file = 2, .line = 50}));
}

TEST(SourceLines, OfEachFolderOfTheToolkitGiveWayToTheCaller) {
  for (const std::uint32_t file : {2U, 3U, 4U, 5U}) {
    Source source(kFiles, "x");
    source.EnterLine({.file = file, .line = 100, .column = 2},
                     Location{.file = 1, .line = 8, .column = 5});
    EXPECT_EQ(source.line, (SourceLine{.file = 1, .line = 8})) << file;
  }
}

TEST(SourceLines, ThroughSeveralHeadersLeadToTheProgram) {
  Source source(kFiles, "x");
  source.EnterLine({.file = 2, .line = 100, .column = 1},
                   Location{.file = 1, .line = 8, .column = 5});
  source.EnterLine({.file = 3, .line = 20, .column = 9},
                   Location{.file = 2, .line = 100, .column = 1});
  EXPECT_EQ(source.line, (SourceLine{.file = 1, .line = 8}));
  source.EnterLine({.file = 4, .line = 30, .column = 9},
                   Location{.file = 3, .line = 20, .column = 9});
  EXPECT_EQ(source.line, (SourceLine{.file = 1, .line = 8}));
  // The same place inlined into another line counts as that one.
  source.EnterLine({.file = 2, .line = 100, .column = 1},
                   Location{.file = 1, .line = 9, .column = 5});
  source.EnterLine({.file = 3, .line = 20, .column = 9},
                   Location{.file = 2, .line = 100, .column = 1});
  EXPECT_EQ(source.line, (SourceLine{.file = 1, .line = 9}));
  // A caller that was never entered is named itself.
  source.EnterLine({.file = 3, .line = 20, .column = 9},
                   Location{.file = 2, .line = 101, .column = 1});
  EXPECT_EQ(source.line, (SourceLine{.file = 2, .line = 101}));
}

TEST(SourceLines, ATableCutShortNamesNoToolkit) {
  for (const std::string_view text :
       {".file\t", ".file\t2", ".file\t2 ", ".file\t2 \"", ".file\tx \"/usr/include/a\"",
        ".file\t99999999999 \"/usr/include/a\""}) {
    Source source(text, "x");
    source.EnterLine({.file = 2, .line = 5, .column = 1},
                     Location{.file = 1, .line = 1, .column = 1});
    EXPECT_EQ(source.line, (SourceLine{.file = 2, .line = 5})) << text;
  }
}

}  // namespace
}  // namespace assay::gpu::ptx
