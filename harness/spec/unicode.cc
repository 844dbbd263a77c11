// SPDX-License-Identifier: Apache-2.0
#include "spec/unicode.h"

#include <fmt/format.h>

#include <cstdint>

namespace assay {
namespace {

struct Decoded {
  std::uint32_t code_point = 0;
  std::size_t size_bytes = 0;  ///< 0: not UTF-8.
};

Decoded DecodeFirst(std::string_view text) {
  const auto byte = [text](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  const std::uint32_t first = byte(0);
  if (first < 0x80) {
    return {first, 1};
  }
  const std::size_t size_bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < size_bytes) {
    return {};
  }
  std::uint32_t code_point = first & (0x7FU >> size_bytes);
  for (std::size_t i = 1; i < size_bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) {
      return {};
    }
    code_point = (code_point << 6U) | (byte(i) & 0x3FU);
  }
  const std::uint32_t least = size_bytes == 4 ? 0x10000 : size_bytes == 3 ? 0x800 : 0x80;
  const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  if (code_point < least || code_point > 0x10FFFF || surrogate) {
    return {};
  }
  return {code_point, size_bytes};
}

bool IsForbidden(std::uint32_t code_point) {
  const bool control = (code_point < 0x20 && code_point != '\n' && code_point != '\t') ||
                       (code_point >= 0x7F && code_point < 0xA0);
  const bool reorders = code_point == 0x200E || code_point == 0x200F ||
                        (code_point >= 0x202A && code_point <= 0x202E) ||
                        (code_point >= 0x2066 && code_point <= 0x2069);
  return control || reorders;
}

}  // namespace

std::optional<BadCharacter> FindBadCharacter(std::string_view text) {
  for (std::size_t offset = 0; offset < text.size();) {
    const auto [code_point, size_bytes] = DecodeFirst(text.substr(offset));
    if (size_bytes == 0) {
      return BadCharacter{.offset = offset, .what = "bytes that are not UTF-8"};
    }
    const bool windows_break = text.substr(offset).starts_with("\r\n");
    if (IsForbidden(code_point) && !windows_break) {
      return BadCharacter{.offset = offset,
                          .what = fmt::format("the control character U+{:04X}", code_point)};
    }
    offset += size_bytes;
  }
  return std::nullopt;
}

std::string ReplaceBadCharacters(std::string_view text) {
  std::string clean;
  while (const auto bad = FindBadCharacter(text)) {
    clean += text.substr(0, bad->offset);
    clean += '?';
    text.remove_prefix(bad->offset + 1);
    while (!text.empty() && (static_cast<unsigned char>(text.front()) & 0xC0U) == 0x80U) {
      text.remove_prefix(1);
    }
  }
  clean += text;
  return clean;
}

}  // namespace assay
