// SPDX-License-Identifier: Apache-2.0
#include "emulator/ptx/lexer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <string>
#include <vector>

namespace assay::gpu::ptx {
namespace {

using testing::ElementsAre;
using Kind = Token::Kind;

std::vector<std::string> Texts(std::string_view text) {
  std::vector<std::string> texts;
  for (Lexer lexer(text); !lexer.Is(Kind::kEnd); lexer.Advance()) {
    texts.emplace_back(lexer.token().text);
  }
  return texts;
}

Token First(std::string_view text) { return Lexer(text).token(); }

TEST(Lexer, WordsPunctuationAndComments) {
  EXPECT_THAT(Texts("@!%p1 bra $L__BB0_1; // end\n/* a\n b */ .reg .b32 %r<5>;\n# 1 \"x.i\"\n{_}"),
              ElementsAre("@", "!", "%p1", "bra", "$L__BB0_1", ";", ".reg", ".b32", "%r", "<", "5",
                          ">", ";", "{", "_", "}"));
}

TEST(Lexer, PairsOfPunctuationAreOneToken) {
  EXPECT_THAT(Texts("a<<b>>c<=d>=e==f!=g&&h||i|j"),
              ElementsAre("a", "<<", "b", ">>", "c", "<=", "d", ">=", "e", "==", "f", "!=", "g",
                          "&&", "h", "||", "i", "|", "j"));
}

TEST(Lexer, IntegersOfEveryBase) {
  EXPECT_EQ(First("0x1F").bits, 31U);
  EXPECT_EQ(First("0b101").bits, 5U);
  EXPECT_EQ(First("017").bits, 15U);
  EXPECT_EQ(First("0").bits, 0U);
  EXPECT_EQ(First("1234567890123").bits, 1234567890123U);
  EXPECT_FALSE(First("7").is_unsigned);
  EXPECT_TRUE(First("7U").is_unsigned);
  EXPECT_TRUE(First("0xFFFFFFFFFFFFFFFF").is_unsigned);
}

TEST(Lexer, Floats) {
  EXPECT_EQ(First("0f3F800000").kind, Kind::kFloat);
  EXPECT_EQ(First("0f3F800000").bits, 0x3f800000U);
  EXPECT_EQ(First("0dbff0000000000000").bits, 0xbff0000000000000U);
  EXPECT_EQ(First("1.5").kind, Kind::kDouble);
  EXPECT_EQ(std::bit_cast<double>(First("1.5").bits), 1.5);
  EXPECT_EQ(std::bit_cast<double>(First("2e3").bits), 2000.0);
}

TEST(Lexer, FloatsMayBeginWithTheirDot) {
  EXPECT_EQ(First(".5").kind, Kind::kDouble);
  EXPECT_EQ(std::bit_cast<double>(First(".05").bits), 0.05);
  EXPECT_EQ(First(".5x").kind, Kind::kBad);
  EXPECT_EQ(First(".b5").kind, Kind::kDirective);
  EXPECT_THAT(Texts("{.05,.1}"), ElementsAre("{", ".05", ",", ".1", "}"));
}

TEST(Lexer, NumbersEndAtAPercent) {
  EXPECT_THAT(Texts("7%4 0x7% 1.5%2"), ElementsAre("7", "%4", "0x7", "%", "1.5", "%2"));
  Lexer lexer("%4+%r1");
  lexer.SplitPercent();
  EXPECT_EQ(lexer.token().text, "%");
  lexer.Advance();
  EXPECT_EQ(lexer.token().bits, 4U);
  lexer.Advance();
  lexer.Advance();
  lexer.SplitPercent();
  EXPECT_EQ(lexer.token().text, "%r1");
}

TEST(Lexer, MalformedNumbersAreBad) {
  for (const char* const text : {"0x", "0xg", "089", "0b2", "0f3F8000", "0d1", "12ab",
                                 "99999999999999999999", "0f3F8000000", "0f3F80000G"}) {
    EXPECT_EQ(First(text).kind, Kind::kBad) << text;
  }
}

TEST(Lexer, UnendedTextIsNoToken) {
  EXPECT_EQ(First("\"abc").kind, Kind::kBad);
  EXPECT_EQ(First("\"abc\\").kind, Kind::kBad);
  EXPECT_EQ(First("/* abc").kind, Kind::kBad);
  EXPECT_EQ(First("/*").kind, Kind::kBad);
  EXPECT_EQ(First("/*/").kind, Kind::kBad);
  EXPECT_EQ(First("/**/").kind, Kind::kEnd);
  EXPECT_EQ(First("\x01").kind, Kind::kBad);
  EXPECT_EQ(First("").kind, Kind::kEnd);
}

TEST(Lexer, CountsLines) {
  Lexer lexer("a\n\n/*\n*/ b // c\nd");
  EXPECT_EQ(lexer.token().line, 1U);
  lexer.Advance();
  EXPECT_EQ(lexer.token().line, 4U);
  lexer.Advance();
  EXPECT_EQ(lexer.token().line, 5U);
}

TEST(Lexer, ModifiersJoinTheirOpcodeAndLabelsDoNot) {
  Lexer lexer("ld.global.L1::evict_last.u32 LOOP: %tid.x");
  lexer.ExtendWithModifiers();
  EXPECT_EQ(lexer.token().text, "ld.global.L1::evict_last.u32");
  lexer.Advance();
  lexer.ExtendWithModifiers();
  EXPECT_EQ(lexer.token().text, "LOOP");
  lexer.Advance();
  EXPECT_TRUE(lexer.Is(":"));
  lexer.Advance();
  lexer.ExtendWithModifiers();
  EXPECT_EQ(lexer.token().text, "%tid.x");
}

TEST(Lexer, SkipsBracesAndKeepsCountingLines) {
  Lexer lexer("{ { \n } \n } after");
  EXPECT_TRUE(lexer.SkipBraces());
  EXPECT_EQ(lexer.token().text, "after");
  EXPECT_EQ(lexer.token().line, 3U);
  Lexer open("{ { }");
  EXPECT_FALSE(open.SkipBraces());
}

}  // namespace
}  // namespace assay::gpu::ptx
