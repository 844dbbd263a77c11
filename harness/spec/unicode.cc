// SPDX-License-Identifier: Apache-2.0
#include "spec/unicode.h"

#include <fmt/format.h>

#include <cstdint>

#include "base/unicode.h"

namespace assay {
namespace {

bool IsForbidden(std::uint32_t code_point) {
  const bool control = IsControl(code_point) && code_point != '\n' && code_point != '\t';
  const bool reorders = code_point == 0x200E || code_point == 0x200F ||
                        (code_point >= 0x202A && code_point <= 0x202E) ||
                        (code_point >= 0x2066 && code_point <= 0x2069);
  return control || reorders;
}

}  // namespace

std::optional<BadCharacter> FindBadCharacter(std::string_view text) {
  for (std::size_t offset = 0; offset < text.size();) {
    const auto [code_point, size_bytes, is_utf8] = FirstCharacter(text.substr(offset));
    if (!is_utf8) {
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

}  // namespace assay
