// SPDX-License-Identifier: Apache-2.0
#include "review/visible.h"

#include <fmt/format.h>

#include "base/unicode.h"

namespace assay {

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
