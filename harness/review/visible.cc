// SPDX-License-Identifier: Apache-2.0
#include "review/visible.h"

#include <fmt/format.h>

#include "report/plain_text.h"

namespace assay {

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

bool IsUnseen(std::uint32_t code_point) {
  const bool is_control = code_point < 0x20 || (code_point >= 0x7F && code_point <= 0x9F);
  return is_control ? code_point != '\n' && code_point != '\t' : IsInvisible(code_point);
}

std::string MakeVisible(std::string_view text) {
  std::string visible;
  while (!text.empty()) {
    const Character one = FirstCharacter(text);
    if (text.starts_with("\r\n")) {
      // A line break of Windows is one.
    } else if (!one.is_utf8) {
      visible += fmt::format("⟦x{:02x}⟧", one.code_point);
    } else if (IsUnseen(one.code_point)) {
      visible += fmt::format("⟦U+{:04X}⟧", one.code_point);
    } else {
      visible += text.substr(0, one.size_bytes);
    }
    text.remove_prefix(one.size_bytes);
  }
  return visible;
}

}  // namespace assay
