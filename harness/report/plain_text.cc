// SPDX-License-Identifier: Apache-2.0
#include "report/plain_text.h"

#include <algorithm>
#include <array>

#include "spec/unicode.h"

namespace assay {
namespace {

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};
constexpr std::array<Range, 18> kInvisible = {{{0xAD, 0xAD},
                                               {0x34F, 0x34F},
                                               {0x61C, 0x61C},
                                               {0x115F, 0x1160},
                                               {0x17B4, 0x17B5},
                                               {0x180B, 0x180F},
                                               {0x200B, 0x200F},
                                               {0x2028, 0x202E},
                                               {0x2060, 0x206F},
                                               {0x3164, 0x3164},
                                               {0xFDD0, 0xFDEF},
                                               {0xFE00, 0xFE0F},
                                               {0xFEFF, 0xFEFF},
                                               {0xFFA0, 0xFFA0},
                                               {0xFFF0, 0xFFFB},
                                               {0x1BCA0, 0x1BCA3},
                                               {0x1D173, 0x1D17A},
                                               {0xE0000, 0xE0FFF}}};

/// Whether it stays as it is, whatever stands beside it.
bool IsPlainAscii(char c) { return (c >= ' ' && c <= '~') || c == '\n' || c == '\t'; }

bool IsContinuationByte(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

// Of the character that `text`, which is UTF-8, begins with; 0 of none.
std::size_t FirstCharacter_bytes(std::string_view text) {
  std::size_t size_bytes = std::min<std::size_t>(1, text.size());
  while (size_bytes < text.size() && IsContinuationByte(text[size_bytes])) {
    ++size_bytes;
  }
  return size_bytes;
}

std::uint32_t CodePointOf(std::string_view character) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(character[i]));
  };
  if (character.size() == 1) {
    return byte(0);
  }
  std::uint32_t code_point = byte(0) & (0x7FU >> character.size());
  for (std::size_t i = 1; i < character.size(); ++i) {
    code_point = (code_point << 6U) | (byte(i) & 0x3FU);
  }
  return code_point;
}

}  // namespace

bool IsInvisible(std::uint32_t code_point) {
  const std::uint32_t in_plane = code_point & 0xFFFFU;
  return in_plane >= 0xFFFE || std::ranges::any_of(kInvisible, [&](const Range& range) {
           return code_point >= range.first && code_point <= range.last;
         });
}

std::string PlainLines(std::string_view text) {
  if (std::ranges::all_of(text, &IsPlainAscii)) {
    return std::string(text);  // Nearly all text: reports of many models wait for this.
  }
  const std::string valid = ReplaceBadCharacters(text);
  std::string plain;
  for (std::string_view left = valid; !left.empty();) {
    const auto ascii = std::ranges::find_if_not(left, &IsPlainAscii) - left.begin();
    plain += left.substr(0, static_cast<std::size_t>(ascii));
    left.remove_prefix(static_cast<std::size_t>(ascii));
    const std::string_view character = left.substr(0, FirstCharacter_bytes(left));
    left.remove_prefix(character.size());
    // Before a line break; alone it is a control character.
    if (!character.empty() && character != "\r") {
      plain += IsInvisible(CodePointOf(character)) ? std::string_view("?") : character;
    }
  }
  return plain;
}

std::string PlainLine(std::string_view text) {
  std::string line = PlainLines(text);
  std::ranges::replace(line, '\n', ' ');
  std::ranges::replace(line, '\t', ' ');
  return line;
}

std::string EscapeMarkup(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string Shorten(std::string_view text, std::size_t limit_bytes) {
  if (text.size() <= limit_bytes) {
    return std::string(text);
  }
  while (limit_bytes > 0 && IsContinuationByte(text[limit_bytes])) {
    --limit_bytes;
  }
  return std::string(text.substr(0, limit_bytes)) + "…";
}

}  // namespace assay
