// SPDX-License-Identifier: Apache-2.0
#include "grade/tool_output.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(ParseLineCounts, GivesTheCodeLinesOfEachFile) {
  EXPECT_EQ(ParseLineCounts(R"({"header": {"n_files": 2},
      "/submission/a.cc": {"blank": 1, "comment": 2, "code": 30, "language": "C++"},
      "/submission/SUM": {"blank": 0, "comment": 0, "code": 12, "language": "C++"},
      "SUM": {"blank": 1, "comment": 2, "code": 42, "nFiles": 2}})"),
            (LineCounts{{"/submission/a.cc", 30}, {"/submission/SUM", 12}}));
}

TEST(ParseLineCounts, TextThatIsNoReportHasNoCounts) {
  EXPECT_FALSE(ParseLineCounts(""));
  EXPECT_FALSE(ParseLineCounts("[]"));
  EXPECT_FALSE(ParseLineCounts(R"({"a.cc": {"blank": 1}})"));
  EXPECT_FALSE(ParseLineCounts(R"({"a.cc": {"code": "many"}})"));
}

TEST(ParseLineCounts, CountsThatNoSubmissionCanHaveAreNone) {
  EXPECT_FALSE(ParseLineCounts(R"({"a": {"code": 10000000}, "b": {"code": 10000000}})"));
  EXPECT_FALSE(ParseLineCounts(R"({"a": {"code": 18446744073709551615}})"));
  EXPECT_FALSE(ParseLineCounts(R"({"a": {"code": -1}})"));
}

TEST(ParseFunctionMeasures, CountsThatNoSubmissionCanHaveAreNone) {
  EXPECT_EQ(ParseFunctionMeasures(
                "a: note: 2147483647 lines including whitespace and comments (threshold 0)\n"
                "a: note: 2000000000 lines including whitespace and comments (threshold 0)\n"
                "a: f has cognitive complexity of -5 (threshold 0)\n"),
            FunctionMeasures{});
}

TEST(ParseFunctionMeasures, TakesTheWorstOfEach) {
  const FunctionMeasures worst = ParseFunctionMeasures(
      "/submission/a.cc:3:6: warning: function 'f' has cognitive complexity of 7 (threshold 0) "
      "[readability-function-cognitive-complexity]\n"
      "    3 | void f() {\n"
      "/submission/a.cc:3:6: warning: function 'f' exceeds recommended size/complexity thresholds "
      "[readability-function-size]\n"
      "/submission/a.cc:3:6: note: 12 lines including whitespace and comments (threshold 0)\n"
      "/submission/a.cc:30:6: note: 40 lines including whitespace and comments (threshold 0)\n"
      "/submission/a.cc:90:6: warning: function 'g' has cognitive complexity of 2 (threshold 0) "
      "[readability-function-cognitive-complexity]\n");
  EXPECT_EQ(worst, (FunctionMeasures{.longest_lines = 41, .cognitive_complexity = 7}));
}

TEST(ParseFunctionMeasures, QuotedSourceLinesDoNotCount) {
  EXPECT_EQ(ParseFunctionMeasures(
                "    7 | // x: note: 900 lines including whitespace and comments (threshold 0)\n"
                "  // function 'f' has cognitive complexity of 900 (threshold 0)\n"),
            FunctionMeasures{});
}

TEST(WithoutSuppressions, RespellsEachInTheSameNumberOfBytes) {
  EXPECT_EQ(WithoutSuppressions("a // NOLINT\nb // NOLINTNEXTLINE(x)\n"),
            "a // XOLINT\nb // XOLINTNEXTLINE(x)\n");
  EXPECT_EQ(WithoutSuppressions("#ifdef __has_warning\n#elif defined __is_identifier\n"),
            "#ifdef X_has_warning\n#elif defined X_is_identifier\n");
}

}  // namespace
}  // namespace assay
