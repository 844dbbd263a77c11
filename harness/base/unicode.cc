// SPDX-License-Identifier: Apache-2.0
#include "base/unicode.h"

#include <algorithm>
#include <array>

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

}  // namespace

Character FirstCharacter(std::string_view text) {
  const auto byte = [text](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  const std::uint32_t first = byte(0);
  if (first < 0x80) {
    return {.code_point = first};
  }
  const Character not_utf8{.code_point = first, .size_bytes = 1, .is_utf8 = false};
  const std::size_t size_bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < size_bytes) {
    return not_utf8;
  }
  std::uint32_t code_point = first & (0x7FU >> size_bytes);
  for (std::size_t i = 1; i < size_bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) {
      return not_utf8;
    }
    code_point = (code_point << 6U) | (byte(i) & 0x3FU);
  }
  const std::uint32_t least = size_bytes == 4 ? 0x10000 : size_bytes == 3 ? 0x800 : 0x80;
  const bool is_surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  return code_point < least || code_point > 0x10FFFF || is_surrogate
             ? not_utf8
             : Character{.code_point = code_point, .size_bytes = size_bytes};
}

bool IsControl(std::uint32_t code_point) {
  return code_point < 0x20 || (code_point >= 0x7F && code_point <= 0x9F);
}

bool IsInvisible(std::uint32_t code_point) {
  const std::uint32_t in_plane = code_point & 0xFFFFU;
  return in_plane >= 0xFFFE || std::ranges::any_of(kInvisible, [&](const Range& range) {
           return code_point >= range.first && code_point <= range.last;
         });
}

bool IsUnseen(std::uint32_t code_point) {
  return IsControl(code_point) ? code_point != '\n' && code_point != '\t' : IsInvisible(code_point);
}

}  // namespace assay
