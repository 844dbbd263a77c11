// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REPORT_PLAIN_TEXT_H_
#define ASSAY_REPORT_PLAIN_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace assay {

/// Hostile text made safe for a terminal and a page: `?` stands for bytes that are no UTF-8, for
/// control characters (of C0 and C1, which drive terminals), and for what is not seen: characters
/// that reorder text, of width zero, tags, variation selectors, separators of lines that are no
/// line breaks. As one line: line breaks and tabs become spaces.
[[nodiscard]] std::string PlainLine(std::string_view text);
/// The same with its line breaks and tabs.
[[nodiscard]] std::string PlainLines(std::string_view text);

/// With the entities that HTML and XML share for `&`, `<`, `>` and `"`.
[[nodiscard]] std::string EscapeMarkup(std::string_view text);

/// The first `limit_bytes` of `text` or fewer, never half a character, with `…` where it was cut.
[[nodiscard]] std::string Shorten(std::string_view text, std::size_t limit_bytes);

}  // namespace assay

#endif  // ASSAY_REPORT_PLAIN_TEXT_H_
