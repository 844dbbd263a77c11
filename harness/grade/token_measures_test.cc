// SPDX-License-Identifier: Apache-2.0
#include "grade/token_measures.h"

#include <gtest/gtest.h>

#include <string>

namespace assay {
namespace {

FunctionMeasures Measures(int longest_lines, int cognitive_complexity) {
  return {.longest_lines = longest_lines, .cognitive_complexity = cognitive_complexity};
}

TEST(CountTokens, NamesAndSignsHoweverTheyAreLaidOut) {
  EXPECT_EQ(CountTokens("int f ( ) { return 0 ; }"), 8);
  EXPECT_EQ(CountTokens("#define X f()\n// a comment\n"), 6);
  EXPECT_EQ(CountTokens("char c = 'x';\n\n\n"), CountTokens("char c='x';"));
}

TEST(MeasureByTokens, TakesTheWorstOfEachAsClangTidyCounts) {
  EXPECT_EQ(MeasureByTokens("namespace n {\n"
                            "struct S {\n"
                            "  int Get() const {\n    return 1;\n  }\n"
                            "  int values[2] = {1, 2};\n"
                            "};\n"
                            "__global__ void __launch_bounds__(256) K(float* x, int n) {\n"
                            "  for (int i = threadIdx.x; i < n; i += 32) {\n"  // 1
                            "    if (x[i] > 0 && i > 2 && n > 3) {\n"          // 2 and 1
                            "      x[i] = x[i] > 1 ? 1 : 0;\n"                 // 3
                            "    } else if (i == 1) {\n"                       // 1
                            "      x[i] = 2;\n"
                            "    } else {\n"  // 1
                            "      x[i] = 3;\n"
                            "    }\n"
                            "  }\n"
                            "}\n"
                            "}  // namespace n\n"),
            Measures(11, 9));
}

TEST(MeasureByTokens, LoopsOfEveryKindAndLambdasNest) {
  EXPECT_EQ(MeasureByTokens("void f() {\n  do {\n    while (a) g();\n  } while (b || c);\n}\n"),
            Measures(5, 4));
  EXPECT_EQ(MeasureByTokens("auto f = [](int x) {\n  return x ? 1 : 2;\n};\n"), Measures(3, 1));
  EXPECT_EQ(MeasureByTokens("void f() {\n  h([&] { if (a) g(); });\n}\n"), Measures(3, 2));
}

TEST(MeasureByTokens, AParenthesisInARunOfOneOperatorIsPartOfIt) {
  EXPECT_EQ(MeasureByTokens("void f() {\n  if (a && !(b && (c && d))) g();\n}\n"), Measures(3, 2));
  EXPECT_EQ(MeasureByTokens("void f() {\n  if (a && (b || c) && d) g();\n}\n"), Measures(3, 3));
  EXPECT_EQ(MeasureByTokens("void f() {\n  if (a && g(b && c)) g();\n}\n"), Measures(3, 3));
}

TEST(MeasureByTokens, ClassesAndInitializersAreNoFunctions) {
  EXPECT_EQ(MeasureByTokens("struct alignas(16) S {\n int a;\n int b;\n};\n"
                            "template <class T>\n  requires (sizeof(T) > 4)\nclass C {\n int a;\n"
                            "};\nint table[] = {1,\n 2,\n 3};\nenum class E : int {\n kA };\n"),
            FunctionMeasures{});
}

// Code in one line is no shorter, nor is it in a macro; nor does it hide behind other brackets.
TEST(MeasureByTokens, NeitherALineNorAMacroNorADigraphHidesCode) {
  EXPECT_EQ(MeasureByTokens("void f() { a(); b(); c(); if (d) { e(); } }\n"), Measures(5, 1));
  EXPECT_EQ(
      MeasureByTokens("#define BODY \\\n  if (a) { \\\n    b(); \\\n  }\nvoid f() { BODY }\n"),
      Measures(3, 1));
  EXPECT_EQ(MeasureByTokens("void f() <%\n  if (a) b();\n%>\n"), Measures(3, 1));
}

TEST(MeasureByTokens, TextThatIsNoCodeEnds) {
  EXPECT_EQ(MeasureByTokens(""), FunctionMeasures{});
  EXPECT_EQ(MeasureByTokens("this is not C++\n"), FunctionMeasures{});
  EXPECT_EQ(MeasureByTokens("void f() }} else } ) do").longest_lines, 0);
  for (const char* const bracket : {"(", "{", "if ", "else ", "do ", "x = {", "else if (", "}"}) {
    std::string deep = "void f() {";
    for (int i = 0; i < 100'000; ++i) {
      deep += bracket;
    }
    EXPECT_GE(MeasureByTokens(deep).longest_lines, 1) << bracket;
  }
}

}  // namespace
}  // namespace assay
