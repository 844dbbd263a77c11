// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SPEC_UNICODE_H_
#define ASSAY_SPEC_UNICODE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace assay {

/// The first byte of a text that no file of Assay may hold, and what it is.
struct BadCharacter {
  std::size_t offset = 0;
  std::string what;  ///< `the control character U+001B`, `bytes that are not UTF-8`.
};

/// Looks for invalid UTF-8, control characters other than line breaks and tabs, and the invisible
/// characters that reorder text (bidirectional controls), which make a file read as it is not.
[[nodiscard]] std::optional<BadCharacter> FindBadCharacter(std::string_view text);

}  // namespace assay

#endif  // ASSAY_SPEC_UNICODE_H_
