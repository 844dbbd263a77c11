// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_PR_INERT_H_
#define ASSAY_PR_INERT_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "report/markdown.h"

namespace assay {

/// Hostile text for a comment that others read: as Markdown::Text, on one line, cut to
/// `limit_bytes`, and besides nothing in it becomes a link: GitHub makes some of `https://…`,
/// `www.…`, `@name`, `#1` and `GH-1` even where they are escaped. scripts/ci/inert.awk, which is
/// asked before a comment is posted, refuses these words, so that none of them may be left.
[[nodiscard]] Markdown InertText(std::string_view text, std::size_t limit_bytes);

/// A path or a name of a branch in code letters, cut to what a line of a comment holds.
[[nodiscard]] Markdown InertName(std::string_view name);

/// `text` for XML 1.0, as content or between quotes: valid UTF-8 of characters that XML has, line
/// breaks as references, so that they survive in attributes.
[[nodiscard]] std::string EscapeXml(std::string_view text);

}  // namespace assay

#endif  // ASSAY_PR_INERT_H_
