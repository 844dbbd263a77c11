// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>

#include "build/testing/tiny_challenge.h"
#include "grade/static_analysis.h"

namespace assay {
namespace {

// Files are counted by us; every value that a tool reads is absent.
StaticEvidence NothingButFiles(int files) {
  StaticEvidence evidence;
  evidence.files = files;
  return evidence;
}

class AnalyseSourcesTest : public testing::Test {
 protected:
  [[nodiscard]] StaticEvidence Analyse(int warnings = 0) const {
    const auto evidence = AnalyseSources(tiny_.submission, tiny_.Path("challenge"), warnings,
                                         tiny_.Path("out"), tiny_.tools);
    EXPECT_TRUE(evidence) << ToString(evidence.error());
    return evidence.value_or(StaticEvidence{});
  }

  TinyChallenge tiny_;
};

TEST_F(AnalyseSourcesTest, CountsTheLinesOfAllFilesAndReadsTheFunctionsOfSources) {
  tiny_.WriteSource(
      "#include \"a.h\"\n\n// A comment.\nint twice(int x) {\n  if (x > 0) {\n    x += Zero();\n"
      "  }\n  return x + x;\n}\n");
  tiny_.Write("submission/a.h", "#include \"interface.h\"\ninline int Zero() { return 0; }\n");
  tiny_.Write("submission/tests/t.cc", "int main() {}\n");
  tiny_.Write("submission/tests/t.h", "int t;\n");
  tiny_.submission.headers = {"a.h", "tests/t.h"};
  tiny_.submission.tests = {"tests/t.cc"};
  EXPECT_EQ(Analyse(3), (StaticEvidence{.files = 4,
                                        .code_lines = 11,
                                        .source_code_lines = 9,
                                        .largest_file_share = 7.0 / 9,
                                        .longest_function_lines = 6,
                                        .cognitive_complexity = 1,
                                        .parsed_share = 1,
                                        .warnings_per_1000_lines = 3000.0 / 9,
                                        .unused_device_functions = std::nullopt,
                                        .duplicated_share = 0}));
}

TEST_F(AnalyseSourcesTest, NeitherACommentNorAPragmaHidesAFunction) {
  const std::string body = "if (x) { return 1; }\nreturn 2;\n}\n";
  tiny_.WriteSource(
      "#include \"a.h\"\nint f(int x) {  // NOLINT\nif (x) {\nif (x) {\nreturn 3;\n"
      "}\n}\n" +
      body);
  EXPECT_EQ(Analyse().parsed_share, 0) << "a.h is missing";
  tiny_.Write("submission/a.h",
              "#pragma GCC system_header\ninline int g(int x) {\n\n\n\n\n\n\n\n" + body);
  tiny_.submission.headers = {"a.h"};
  const StaticEvidence evidence = Analyse();
  EXPECT_EQ(evidence.cognitive_complexity, 4);
  EXPECT_EQ(evidence.longest_function_lines, 11);
}

// 111 lines of code were 39 to cloc: those between literals that look like a comment's two ends.
TEST_F(AnalyseSourcesTest, CodeBetweenLiteralsIsNoComment) {
  tiny_.WriteSource(
      "const char* begin = \"/*\";\nint f(int x) {\n  return x;\n}\nconst char* end = \"*/\";\n"
      "const char* raw = R\"x(\n/*\n)x\";\nint g() { return '\"'; }\n");
  EXPECT_EQ(Analyse().code_lines, 9);
}

TEST_F(AnalyseSourcesTest, ClangSeesTheCodeThatTheCompilerSees) {
  const std::string body =
      "int f(int x) {\nif (x) {\nif (x > 1) {\nreturn 3;\n}\n}\nreturn x;\n}\n";
  for (const char* condition :
       {"#ifdef __clang__", "#if defined __clang_major__ && __clang_major__ > 3", "#ifdef __llvm__",
        "#if __GNUC__ < 5", "#ifdef __has_feature"}) {
    tiny_.WriteSource("#include <cstdlib>\n#include <immintrin.h>\n" + std::string(condition) +
                      "\nint f(int x) { return x; }\n#else\n" + body + "#endif\n");
    EXPECT_EQ(Analyse().cognitive_complexity, 3) << condition;
  }
}

// clang-tidy saw a function of complexity 0 in each.
TEST_F(AnalyseSourcesTest, WhatClangPassesOverIsReadByTokens) {
  const std::string body =
      "int f(int x) {\nif (x) {\nif (x > 1) {\nreturn 3;\n}\n}\nreturn x;\n}\n";
  for (const std::string_view before :
       {"[[gnu::weak]] ", "__attribute__((weak)) ", "#pragma weak f\n",
        "#if __GXX_ABI_VERSION == 1002\nint f(int x) { return x; }\n#else\n",
        "#if !__has_include(<quadmath.h>)\nint f(int x) { return x; }\n#else\n",
        "#ifdef __cl\\\nang__\nint f(int x) { return x; }\n#else\n"}) {
    std::string source = "int g() { return 0; }\n";
    source += before;
    source += body;
    source += before.starts_with("#if") ? "#endif\n" : "";
    tiny_.WriteSource(source);
    EXPECT_EQ(Analyse().cognitive_complexity, 3) << before;
  }
}

// cloc saw 2 lines: one comment began in a header's name, the others ended in a line that begins
// with `//`.
TEST_F(AnalyseSourcesTest, CodeBetweenWhatClocTakesForACommentIsCounted) {
  tiny_.WriteSource("#if !__has_include(</*>)\nint a;\nint b;\nint c;\n#endif\n// */\n");
  EXPECT_GE(Analyse().code_lines.value_or(0), 5);
  tiny_.WriteSource("/*\n//*/ int a;\n/*\n//*/ int b;\nint c;\n");
  EXPECT_EQ(Analyse().code_lines, 3);
}

TEST_F(AnalyseSourcesTest, SourcesWithoutAFunctionHaveNoMeasuresOfFunctions) {
  tiny_.WriteSource("int x;\n");
  const StaticEvidence evidence = Analyse();
  EXPECT_EQ(evidence.cognitive_complexity, std::nullopt);
  EXPECT_EQ(evidence.parsed_share, 1);  // The tool was there: nothing found is a failure.
}

// 60 statements in one line were one line of code, and a function of one line.
TEST_F(AnalyseSourcesTest, StatementsInOneLineAreNoLessCode) {
  std::string source = "int f(int x) { ";
  for (int i = 0; i < 60; ++i) {
    source += "x = x * 3 + 1; ";
  }
  tiny_.WriteSource(source + "return x; }\n");
  const StaticEvidence evidence = Analyse();
  EXPECT_EQ(evidence.longest_function_lines, 61);
  EXPECT_EQ(evidence.code_lines, 31);  // 371 names and signs.
}

// What g++ makes of 2,000 lines is one literal.
TEST_F(AnalyseSourcesTest, AssemblyInOneLiteralIsNoLessCode) {
  std::string source = "int f(int x) { asm(\"";
  for (int i = 0; i < 100; ++i) {
    source += "add %0, %0\\n\\t";
  }
  tiny_.WriteSource(source + "\" : \"+r\"(x)); return x; }\n");
  EXPECT_EQ(Analyse().code_lines, 16);  // 1,400 characters, and 2 for the rest.
}

TEST_F(AnalyseSourcesTest, CodeInAMacroIsAsComplexAsWithout) {
  tiny_.WriteSource(
      "#define BODY if (x) { if (x > 1) { return 3; } }\nint f(int x) {\nBODY\nreturn x;\n}\n");
  EXPECT_EQ(Analyse().cognitive_complexity, 3);
}

// One .cu file, even an empty one, took the measures of all functions away.
TEST_F(AnalyseSourcesTest, CudaBesideCppHidesNothing) {
  tiny_.WriteSource("int f(int x) {\nif (x) {\nif (x > 1) {\nreturn 3;\n}\n}\nreturn x;\n}\n");
  tiny_.Write("submission/empty.cu", "");
  tiny_.submission.sources = {"a.cc", "empty.cu"};
  StaticEvidence evidence = Analyse();
  EXPECT_EQ(evidence.cognitive_complexity, 3);
  EXPECT_EQ(evidence.longest_function_lines, 8);
  EXPECT_EQ(evidence.parsed_share, 1);
  tiny_.Write("submission/empty.cu",
              "__global__ void K(int* x) {\n" + std::string(9, '\n') + "}\n");
  evidence = Analyse();
  EXPECT_EQ(evidence.longest_function_lines, 11);
  EXPECT_EQ(evidence.parsed_share, 26.0 / 36);
}

TEST_F(AnalyseSourcesTest, WhatClangCannotParseIsReadByTokens) {
  tiny_.WriteSource("int f(int x) {\nint g(int y) { return x + y; }\nreturn x ? g(1) : 2;\n}\n");
  const StaticEvidence evidence = Analyse();  // A function in a function is g++'s alone.
  EXPECT_EQ(evidence.parsed_share, 0);
  EXPECT_EQ(evidence.longest_function_lines, 4);
  EXPECT_EQ(evidence.cognitive_complexity, 1);
}

TEST_F(AnalyseSourcesTest, CopiesWithinTheImplementationAreCountedAndThoseInTestsAreNot) {
  std::string lines;
  for (int i = 0; i < 40; ++i) {
    lines += "  x" + std::to_string(i) + " += y;\n";
  }
  tiny_.WriteSource("int F() {\n" + lines + "}\nint G() {\n" + lines + "}\n");
  EXPECT_NEAR(Analyse().duplicated_share.value_or(0), 0.5, 0.05);
  tiny_.WriteSource("int F() {\n" + lines + "}\n");
  tiny_.Write("submission/tests/t.cc", "int G() {\n" + lines + "}\n");
  tiny_.submission.tests = {"tests/t.cc"};
  EXPECT_EQ(Analyse().duplicated_share, 0);
}

TEST_F(AnalyseSourcesTest, CudaIsCountedAndItsUnusedDeviceFunctionsAreFound) {
  tiny_.Write("submission/a.cu",
              "#include \"a.cuh\"\n__global__ void K(int* x) {\n  *x = Used(*x);\n}\n"
              "__device__ int Dead() { return 1; }\n");
  tiny_.Write("submission/a.cuh", "// A comment.\n__device__ int Used(int x) { return x; }\n");
  tiny_.submission.sources = {"a.cu"};
  tiny_.submission.headers = {"a.cuh"};
  EXPECT_EQ(Analyse(), (StaticEvidence{.files = 2,
                                       .code_lines = 6,
                                       .source_code_lines = 6,
                                       .largest_file_share = 5.0 / 6,
                                       .longest_function_lines = 3,
                                       .cognitive_complexity = 0,
                                       .parsed_share = 0,
                                       .warnings_per_1000_lines = 0,
                                       .unused_device_functions = 1,
                                       .duplicated_share = 0}));
}

TEST_F(AnalyseSourcesTest, SourceThatIsNotCppHasNoMeasuresOfFunctions) {
  tiny_.WriteSource("this is not C++\n");
  const StaticEvidence evidence = Analyse();
  EXPECT_EQ(evidence.code_lines, 1);
  EXPECT_EQ(evidence.longest_function_lines, std::nullopt);
  EXPECT_EQ(evidence.cognitive_complexity, std::nullopt);
  EXPECT_EQ(evidence.parsed_share, 0);
}

TEST_F(AnalyseSourcesTest, ToolsThatMeetALimitLeaveLinesAbsentAndFunctionsToTokens) {
  tiny_.WriteSource(TinyChallenge::kRight);
  tiny_.tools.time_limit = std::chrono::milliseconds(1);
  StaticEvidence evidence = NothingButFiles(1);
  evidence.longest_function_lines = 1;
  evidence.cognitive_complexity = 0;
  evidence.parsed_share = 0;
  evidence.duplicated_share = 0;
  EXPECT_EQ(Analyse(), evidence);
}

TEST_F(AnalyseSourcesTest, MissingSourceLeavesAllAbsent) {
  EXPECT_EQ(Analyse(), NothingButFiles(1));
}

}  // namespace
}  // namespace assay
