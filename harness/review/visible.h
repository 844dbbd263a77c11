// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REVIEW_VISIBLE_H_
#define ASSAY_REVIEW_VISIBLE_H_

#include <cstddef>
#include <cstdint>
#include <string>
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

/// Whether it is a control character, but no line break and no tab, or IsInvisible
/// (report/plain_text.h).
[[nodiscard]] bool IsUnseen(std::uint32_t code_point);

/// `text` with `⟦U+202E⟧` for each character that IsUnseen and `⟦x9f⟧` for each byte that is no
/// UTF-8. Lines end with `\n`, as Windows' do not.
[[nodiscard]] std::string MakeVisible(std::string_view text);

}  // namespace assay

#endif  // ASSAY_REVIEW_VISIBLE_H_
