// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_BASE_TEXT_H_
#define ASSAY_BASE_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// Whether `c` is a printable character of ASCII, from space to `~`.
[[nodiscard]] constexpr bool IsPrintableAscii(char c) { return c >= ' ' && c <= '~'; }

/// Whether `text` may name a thing in a report: not empty, at most 64 bytes, printable ASCII with
/// no markdown, HTML or shell meaning (letters, digits, space and `. _ - + ( ) :`).
[[nodiscard]] bool IsPlainName(std::string_view text);

/// Whether `text` may be an id and so a file name: `[a-z0-9][a-z0-9._-]*`, at most 64 bytes.
[[nodiscard]] bool IsId(std::string_view text);

/// Hostile text with `replacement` for each character that no reader sees or that drives a terminal
/// (IsUnseen of base/unicode.h) and for each byte that is no UTF-8. Line breaks and tabs stay.
[[nodiscard]] std::string ReplaceUnseen(std::string_view text, std::string_view replacement);

/// The same as one line: with `for_break` for each line break and each tab.
[[nodiscard]] std::string OneSeenLine(std::string_view text, std::string_view replacement,
                                      char for_break = ' ');

/// `text` made safe inside a markdown table cell: escapes `| \ ` * _ < > [ ] # @ & ~ $` of what
/// OneSeenLine leaves, which drops what is unseen.
[[nodiscard]] std::string EscapeMarkdown(std::string_view text);

/// `text` made safe inside a fenced code block: drops what ReplaceUnseen replaces, and breaks runs
/// of three backticks.
[[nodiscard]] std::string EscapeCodeBlock(std::string_view text);

/// `text` cut to at most `limit_bytes` at a line break where there is one, followed by a line that
/// says how many bytes were cut.
[[nodiscard]] std::string Truncate(std::string_view text, std::size_t limit_bytes);

/// A to Z as a to z; every other byte as it is.
[[nodiscard]] std::string ToLower(std::string_view text);

[[nodiscard]] std::vector<std::string> SplitLines(std::string_view text);
[[nodiscard]] std::string Join(const std::vector<std::string>& parts, std::string_view separator);

}  // namespace assay

#endif  // ASSAY_BASE_TEXT_H_
