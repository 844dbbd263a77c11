// SPDX-License-Identifier: Apache-2.0
#include "grade/duplication.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace assay {
namespace {

double ShareOf(const std::vector<std::string>& sources) { return DuplicatedShare(sources); }

/// 80 names and signs: 8 before the first line, 68 in twelve or so lines, 4 behind them.
std::string Function(const std::string& name, int constant) {
  std::string text = "__device__ int " + name + "(int x) {\n";
  for (int i = 0; i < 17; ++i) {
    text += "  x" + std::to_string(i) + " += " + std::to_string(constant) + ";\n";
  }
  return text + "  return x;\n}\n";
}

TEST(DuplicationTest, WhatStandsOnceIsNoCopy) {
  EXPECT_EQ(ShareOf({}), 0);
  EXPECT_EQ(ShareOf({"", ""}), 0);
  EXPECT_EQ(ShareOf({Function("f", 1)}), 0);
}

// But for the name of the function and what stands before it.
TEST(DuplicationTest, ACopyWithOtherConstantsLayoutAndCommentsIsOne) {
  const std::string copy = "/* other */" + Function("g", 2);
  EXPECT_NEAR(ShareOf({Function("f", 1) + copy}), 0.5, 0.05);
  EXPECT_NEAR(ShareOf({Function("f", 1), copy}), 0.5, 0.05) << "in another file";
  EXPECT_NEAR(ShareOf({Function("f", 1), copy, Function("h", 3)}), 2.0 / 3, 0.05);
}

TEST(DuplicationTest, AFewEqualLinesAreNoCopy) {
  const std::string lines = "if (status != 0) {\nreturn status;\n}\nx = Read(y);\n";
  EXPECT_EQ(ShareOf({lines + "a;\n" + lines, lines + "b;\n" + lines}), 0);
}

TEST(DuplicationTest, AShortTableIsNoCopyOfItself) {
  std::string table = "x = {";
  for (int i = 0; i < 30; ++i) {
    table += "&a, ";
  }
  EXPECT_EQ(ShareOf({table + "};"}), 0);
}

TEST(DuplicationTest, HostileTextTakesTimeLinearInItsLength) {
  const auto start = std::chrono::steady_clock::now();
  for (const std::string_view part : {"a", "(", "a b ", "#\n", "{}"}) {
    std::string text;
    while (text.size() < std::size_t{1} << 19) {
      text += part;
    }
    const double share = ShareOf({text, text});
    EXPECT_GE(share, 0);
    EXPECT_LE(share, 1);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

}  // namespace
}  // namespace assay
