// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_BASE_UNICODE_H_
#define ASSAY_BASE_UNICODE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace assay {

/// One character of a text that may be anything.
struct Character {
  std::uint32_t code_point = 0;
  std::size_t size_bytes = 1;
  bool is_utf8 = true;  ///< If not, it is one byte, and `code_point` its value.
};
/// The first of `text`, which is not empty.
[[nodiscard]] Character FirstCharacter(std::string_view text);

/// Whether a byte of UTF-8 is not the first of its character.
[[nodiscard]] constexpr bool ContinuesCharacter(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

/// The last place, `at` or before, at which `text` may be cut and no character with it. `at` is a
/// place in it or its end.
[[nodiscard]] constexpr std::size_t CharacterBorder(std::string_view text, std::size_t at) {
  while (at > 0 && at < text.size() && ContinuesCharacter(text[at])) {
    --at;
  }
  return at;
}

/// Of C0, C1 (which drive terminals as C0 does) or DEL; line breaks and tabs too.
[[nodiscard]] bool IsControl(std::uint32_t code_point);

/// Whether a reader sees nothing of a character, or something else than is there: it reorders text,
/// has width zero, is a tag, a variation selector, a separator of lines that is no line break, or
/// no character at all. Control characters are not among them. Source: Default_Ignorable_Code_Point
/// of Unicode 15, with U+2028, U+2029, U+FFF9 to U+FFFB and the noncharacters.
[[nodiscard]] bool IsInvisible(std::uint32_t code_point);

/// Either, but no line break and no tab.
[[nodiscard]] bool IsUnseen(std::uint32_t code_point);

}  // namespace assay

#endif  // ASSAY_BASE_UNICODE_H_
