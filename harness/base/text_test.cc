// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(TextTest, PlainNames) {
  EXPECT_TRUE(IsPlainName("Qwen3.6-27B"));
  EXPECT_FALSE(IsPlainName(""));
  EXPECT_FALSE(IsPlainName("a|b"));
  EXPECT_FALSE(IsPlainName("a\nb"));
  EXPECT_FALSE(IsPlainName("<img>"));
  EXPECT_FALSE(IsPlainName(std::string(65, 'a')));
}

TEST(TextTest, Ids) {
  EXPECT_TRUE(IsId("qwen3.6-27b"));
  EXPECT_TRUE(IsId("layernorm_backward"));
  EXPECT_FALSE(IsId("..") || IsId(".hidden") || IsId("A") || IsId("a/b") || IsId(""));
}

TEST(TextTest, MarkdownIsEscaped) {
  EXPECT_EQ(EscapeMarkdown("a|b\n<i>\x01"), "a\\|b \\<i\\>");
  EXPECT_EQ(EscapeMarkdown("@x `y`"), "\\@x \\`y\\`");
  EXPECT_EQ(EscapeMarkdown("&lt; ~~a~~ $b$"), "\\&lt; \\~\\~a\\~\\~ \\$b\\$");
}

TEST(TextTest, WhatIsNotSeenIsReplaced) {
  EXPECT_EQ(ReplaceUnseen("a\u202Eb\u3164\U000E0041c", "?"), "a?b??c");
  EXPECT_EQ(ReplaceUnseen("\x1B[2J\xC2\x9B\x7F\r", "?"), "?[2J???");
  EXPECT_EQ(ReplaceUnseen("\xFFz\xE2\x82", "?"), "?z??");
  EXPECT_EQ(ReplaceUnseen("x = ½;\n\ty\n", "?"), "x = ½;\n\ty\n");
  EXPECT_EQ(EscapeMarkdown("a\u202Eb\xC2\x9B|"), "ab\\|");
  EXPECT_EQ(EscapeCodeBlock("a\u200Bb\xC2\x9B"), "ab");
}

TEST(TextTest, OneLineHasNoLineBreakAndNoTab) {
  EXPECT_EQ(OneSeenLine("a\nb\tc\r\nd\n", ""), "a b c d ");
  EXPECT_EQ(OneSeenLine("a\nb\tc\r\nd\n", "?"), "a b c? d ");
  EXPECT_EQ(OneSeenLine("a\nb\tc\x1b[2J", "", '?'), "a?b?c[2J");
  EXPECT_EQ(OneSeenLine("ä\u2028\u202Eb\xFF", "?"), "ä??b?");
}

TEST(TextTest, CodeBlockCannotBeClosed) {
  EXPECT_EQ(EscapeCodeBlock("a\n```\nb\x1b[0m"), "a\n`` `\nb[0m");
}

TEST(TextTest, TruncationSaysHowMuchIsCut) {
  EXPECT_EQ(Truncate("short", 10), "short");
  EXPECT_EQ(Truncate("line one\nline two", 12), "line one\n[9 more bytes]");
}

TEST(TextTest, LettersOfAsciiAreMadeSmallAndNoOthers) {
  EXPECT_EQ(ToLower("AZaz09_[`\xC3\x84"), "azaz09_[`\xC3\x84");
  EXPECT_EQ(ToLower(""), "");
}

TEST(TextTest, LinesSplitAndJoin) {
  EXPECT_EQ(SplitLines("a\n\nb\n"), (std::vector<std::string>{"a", "", "b"}));
  EXPECT_EQ(Join({"a", "b"}, ", "), "a, b");
}

}  // namespace
}  // namespace assay
