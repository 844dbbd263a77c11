// SPDX-License-Identifier: Apache-2.0
#include "base/unicode.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>
#include <tuple>

namespace assay {
namespace {

TEST(UnicodeTest, CharactersOfOneToFourBytes) {
  for (const auto& [text, code_point, size_bytes] :
       {std::tuple{"a", 0x61U, 1U}, {"½", 0xBDU, 2U}, {"€", 0x20ACU, 3U}, {"😀", 0x1F600U, 4U}}) {
    const Character one = FirstCharacter(text);
    EXPECT_TRUE(one.is_utf8) << text;
    EXPECT_EQ(one.code_point, code_point) << text;
    EXPECT_EQ(one.size_bytes, size_bytes) << text;
  }
}

/// Cut short, overlong, surrogates, beyond U+10FFFF, and bytes that begin nothing.
TEST(UnicodeTest, BytesThatAreNoText) {
  for (const char* text : {"\x80", "\xFF", "\xE2\x82", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80",
                           "\xF4\x90\x80\x80", "\xC3z"}) {
    const Character one = FirstCharacter(text);
    EXPECT_FALSE(one.is_utf8);
    EXPECT_EQ(one.size_bytes, 1);
    EXPECT_EQ(one.code_point, static_cast<unsigned char>(text[0]));
  }
}

TEST(UnicodeTest, TextIsCutBetweenCharacters) {
  const std::string_view text = "a\xE2\x82\xAC";  // "a€"
  EXPECT_EQ(CharacterBorder(text, 4), 4);
  EXPECT_EQ(CharacterBorder(text, 3), 1);
  EXPECT_EQ(CharacterBorder(text, 2), 1);
  EXPECT_EQ(CharacterBorder(text, 1), 1);
  EXPECT_EQ(CharacterBorder("\x80\x80", 1), 0);
  EXPECT_EQ(CharacterBorder("", 0), 0);
}

TEST(UnicodeTest, UnseenAreControlsAndWhatIsInvisible) {
  for (const std::uint32_t code_point : {0x0U, 0x1BU, 0x7FU, 0x9BU, static_cast<unsigned>('\r')}) {
    EXPECT_TRUE(IsControl(code_point) && IsUnseen(code_point)) << code_point;
  }
  for (const std::uint32_t code_point :
       {0xADU, 0x200BU, 0x202EU, 0x2069U, 0x3164U, 0xFE0FU, 0xFFA0U, 0xFFFEU, 0x1FFFEU, 0xE0041U}) {
    EXPECT_TRUE(IsInvisible(code_point) && IsUnseen(code_point)) << code_point;
    EXPECT_FALSE(IsControl(code_point)) << code_point;
  }
  for (const std::uint32_t code_point : {0xAU, 0x9U}) {
    EXPECT_TRUE(IsControl(code_point)) << code_point;
    EXPECT_FALSE(IsUnseen(code_point)) << code_point;
  }
  for (const std::uint32_t code_point : {0x20U, 0x61U, 0xA0U, 0xBDU, 0x20ACU, 0x1F600U}) {
    EXPECT_FALSE(IsUnseen(code_point)) << code_point;
  }
}

}  // namespace
}  // namespace assay
