// SPDX-License-Identifier: Apache-2.0
#include "build/diagnostics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace assay {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(CountWarnings, CountsEachDistinctWarningOnce) {
  const std::string in_header = "util.h:3:7: warning: unused variable 'x' [-Wunused-variable]\n";
  EXPECT_EQ(
      CountWarnings({in_header + "a.cc:9:1: warning: no return [-Wreturn-type]\n", in_header}), 2);
}

TEST(WithoutSilencing, RespellsEachInTheSameNumberOfBytes) {
  EXPECT_EQ(WithoutSilencing("#pragma GCC diagnostic ignored \"-Wall\"\n"
                             "_Pragma(\"GCC diagnostic \\\n ignored \\\"-Wextra\\\"\")\n"
                             "#pragma GCC system_header\n#pragma nv_diag_suppress 177\n"
                             "  # 1 \"x.h\" 3\n#2 \"x.h\" 3\n"),
            "#pragma GCC Xiagnostic ignored \"-Wall\"\n"
            "_Pragma(\"GCC Xiagnostic \\\n ignored \\\"-Wextra\\\"\")\n"
            "#pragma GCC Xystem_header\n#pragma nv_Xiag_suppress 177\n"
            "  //1 \"x.h\" 3\n// \"x.h\" 3\n");
}

// Each was a pragma to g++ and another text to us.
TEST(WithoutSilencing, NeitherEndsOfLinesNorCommentsNorEscapesHideAPragma) {
  EXPECT_EQ(WithoutSilencing("#pragma GCC system_h\\\neader\n#pragma GCC syst\\ \r\nem_header\n"
                             "#pragma GCC diagnostic/* a\n*/ /**/ignored \"-Wall\"\n"
                             "#pragma GCC diag\\\nnostic \\\n ign\\\nored \"-Wall\"\n"
                             "%:pragma nv_diag_\\\nsuppress 177\n#pragma hd_warning_disable\n"
                             "P(GCC diagnostic // a\n ignored \"-Wall\")\n"),
            "#pragma GCC Xystem_h\\\neader\n#pragma GCC Xyst\\ \r\nem_header\n"
            "#pragma GCC Xiagnostic/* a\n*/ /**/ignored \"-Wall\"\n"
            "#pragma GCC Xiag\\\nnostic \\\n ign\\\nored \"-Wall\"\n"
            "%:pragma nv_Xiag_\\\nsuppress 177\n#pragma Xd_warning_disable\n"
            "P(GCC Xiagnostic // a\n ignored \"-Wall\")\n");
  EXPECT_EQ(WithoutSilencing("_Pragma(\"GCC diagnostic/**/ignored \\\"-Wall\\\"\")"
                             "_Pragma(R\"(GCC system\\\n_header)\")"
                             "_Pragma(R\"(GCC system\\\\\n_header)\")"),
            "_Pragma(\"GCC Xiagnostic/**/ignored \\\"-Wall\\\"\")"
            "_Pragma(R\"(GCC Xystem\\\n_header)\")"
            "_Pragma(R\"(GCC Xystem\\\\\n_header)\")");
  const std::string far = "#pragma GCC diagnostic/*" + std::string(20'000, ' ') + "*/ignored";
  EXPECT_THAT(WithoutSilencing(far), StartsWith("#pragma GCC Xiagnostic/*"));
}

TEST(WithoutSilencing, NeitherEndsOfLinesNorCommentsNorDigraphsHideALineMarker) {
  EXPECT_EQ(WithoutSilencing("/**/ # 1 \"x.h\" 1 3\n%: 1 \"x.h\" 1 3\n#\\\n1 \"x.h\" 3\n"
                             "#/**/1 \"x.h\" 3\n#include </*>\n# 1 \"x.h\" 3\n"),
            "/**/ //1 \"x.h\" 1 3\n// 1 \"x.h\" 1 3\n//\n1 \"x.h\" 3\n"
            "//**/1 \"x.h\" 3\n#include </*>\n//1 \"x.h\" 3\n");
}

TEST(WithoutSilencing, HostileTextTakesTimeLinearInItsLength) {
  const auto start = std::chrono::steady_clock::now();
  for (const std::string part : {"diagnostic/*", "diagnostic//", "d\\\n", "\\\n", "diagnostic "}) {
    std::string text;
    while (text.size() < std::size_t{1} << 16) {
      text += part;
    }
    EXPECT_EQ(WithoutSilencing(text).size(), text.size());
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

TEST(WithoutSilencing, LeavesAllElse) {
  const std::string source =
      "#pragma GCC diagnostic push\n#pragma GCC diagnostic error \"-Wall\"\n# define X 1\n"
      "#pragma GCC diagnostic pop\nint ignored;\nchar a[] = R\"(\n# 1 of 2\n)\";\n#";
  EXPECT_EQ(WithoutSilencing(source), source);
}

TEST(CountWarnings, NumberedWarningsOfNvccCount) {
  EXPECT_EQ(CountWarnings({"a.cu(2): warning #177-D: variable \"unused\" was declared but never "
                           "referenced\n  float unused;\n        ^\n"}),
            1);
}

TEST(CountWarnings, QuotedSourceLinesAndErrorsDoNotCount) {
  EXPECT_EQ(CountWarnings({"a.cc:1:1: error: \"x: warning: y\" is wrong\n"
                           "    1 | puts(\"a.cc:1:1: warning: forged\");\n"}),
            0);
  EXPECT_EQ(CountWarnings({}), 0);
}

TEST(FirstDiagnostics, StartsAtTheFirstErrorWithWhatLeadsToIt) {
  const std::string text = FirstDiagnostics(
      "a.cc:1:1: warning: first\n"
      "    1 | int x;\n"
      "In file included from a.cc:2:\n"
      "b.h: In function 'int f()':\n"
      "b.h:7:3: error: 'y' was not declared in this scope\n"
      "    7 |   y;\n");
  EXPECT_THAT(text, StartsWith("In file included from a.cc:2:\nb.h: In function"));
  EXPECT_THAT(text, HasSubstr("7 |   y;"));
  EXPECT_THAT(text, Not(HasSubstr("first")));
}

TEST(FirstDiagnostics, ErrorsOfNvccAndOfPtxasAreErrors) {
  const std::string warning = "a.cu(2): warning #177-D: variable \"z\" was never referenced\n\n";
  for (const std::string error :
       {"a.cu(3): error: identifier \"y\" is undefined\n",
        "a.cu(3): catastrophic error: too many errors\n",
        "ptxas /out/k.ptx, line 31; error   : Not a name of any known instruction: 'bogus'\n",
        "nvcc fatal   : Unsupported gpu architecture\n"}) {
    EXPECT_EQ(FirstDiagnostics(warning + error), error.substr(0, error.size() - 1));
  }
}

TEST(FirstDiagnostics, LongWayToTheErrorDoesNotHideIt) {
  std::string text = "In file included from a.cc:1,\n";
  for (int i = 0; i < 200; ++i) {
    text += "                 from a.cc:1,\n";
  }
  EXPECT_THAT(FirstDiagnostics(text + "a.cc:1:10: error: nested too deeply\n", 1000),
              HasSubstr("nested too deeply"));
}

TEST(FirstDiagnostics, KeepsTextWithoutErrorsAndCutsAtTheLimit) {
  EXPECT_EQ(FirstDiagnostics("nothing wrong"), "nothing wrong");
  std::string flood;
  for (int i = 0; i < 1000; ++i) {
    flood += "a.cc:1:1: error: again and again\n";
  }
  EXPECT_LE(FirstDiagnostics(flood, 500).size(), 600U);
  EXPECT_THAT(FirstDiagnostics(flood, 500), StartsWith("a.cc:1:1: error: again"));
}

TEST(ReplacePaths, LongestPathIsReplacedFirst) {
  EXPECT_EQ(ReplacePaths("/tmp/x/submission/a.cc in /tmp/x",
                         {{"/tmp/x", "T"}, {"/tmp/x/submission/", ""}}),
            "a.cc in T");
}

TEST(ReplacePaths, AReplacementThatHoldsThePathEnds) {
  EXPECT_EQ(ReplacePaths("a a", {{"a", "aa"}}), "aa aa");
}

}  // namespace
}  // namespace assay
