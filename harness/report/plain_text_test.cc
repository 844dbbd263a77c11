// SPDX-License-Identifier: Apache-2.0
#include "report/plain_text.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(PlainText, OfOneLineHasNoLineBreak) {
  EXPECT_EQ(PlainLine("a\nb\tc\r\nd"), "a b c d");
  EXPECT_EQ(PlainLines("a\nb\tc\r\nd"), "a\nb\tc\nd");
}

TEST(PlainText, DrivesNoTerminal) {
  EXPECT_EQ(PlainLine("\x1b[31mred\x7f"), "?[31mred?");
  EXPECT_EQ(PlainLine("\xC2\x80-\xC2\x9B-\xC2\x9F"), "?-?-?");
  EXPECT_EQ(PlainLine("a\rb"), "a?b");
  // No UTF-8: each byte is one.
  EXPECT_EQ(PlainLine("a\xff\xfe\x9b"
                      "b"),
            "a???b");
}

TEST(PlainText, HidesAndReordersNothing) {
  for (const char* const invisible :
       {"\xC2\xAD",         "\xCD\x8F",         "\xD8\x9C",         "\xE1\x85\x9F",
        "\xE2\x80\x8B",     "\xE2\x80\x8D",     "\xE2\x80\xA8",     "\xE2\x80\xA9",
        "\xE2\x80\xAE",     "\xE2\x81\xA0",     "\xE2\x81\xA6",     "\xE3\x85\xA4",
        "\xEF\xB7\x90",     "\xEF\xB8\x8F",     "\xEF\xBB\xBF",     "\xEF\xBF\xBE",
        "\xF0\x9F\xBF\xBF", "\xF3\xA0\x80\x81", "\xF3\xA0\x84\x80", "\xF3\xA0\xBF\xBF"}) {
    EXPECT_EQ(PlainLine(std::string("a") + invisible + "b"), "a?b");
    EXPECT_EQ(PlainLines(std::string("a\n") + invisible + "b"), "a\n?b");
  }
}

TEST(PlainText, LeavesWhatIsSeen) {
  const std::string seen = "größer … ≤ → 漢字 \xF0\x9F\x98\x80";
  EXPECT_EQ(PlainLine(seen), seen);
}

// Text of ASCII alone goes another way than other text.
TEST(PlainText, ACharacterIsShownAlikeBesideAnyOther) {
  for (int code = 0; code < 128; ++code) {
    const std::string character(1, static_cast<char>(code));
    EXPECT_EQ(PlainLines(character) + "é", PlainLines(character + "é")) << code;
  }
}

TEST(Shorten, NeverCutsACharacter) {
  EXPECT_EQ(Shorten("abc", 3), "abc");
  EXPECT_EQ(Shorten("abcd", 3), "abc…");
  EXPECT_EQ(Shorten("aé", 2), "a…");
}

}  // namespace
}  // namespace assay
