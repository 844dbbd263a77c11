// SPDX-License-Identifier: Apache-2.0
#include "report/plain_text.h"

#include "base/text.h"
#include "base/unicode.h"

namespace assay {
namespace {

// A line break of Windows is one too.
std::string WithoutReturnsBeforeBreaks(std::string_view text) {
  std::string kept;
  for (std::size_t at = text.find("\r\n"); at != std::string_view::npos; at = text.find("\r\n")) {
    kept += text.substr(0, at);
    text.remove_prefix(at + 1);
  }
  return kept += text;
}

}  // namespace

std::string PlainLines(std::string_view text) {
  return ReplaceUnseen(WithoutReturnsBeforeBreaks(text), "?");
}

std::string PlainLine(std::string_view text) {
  return OneSeenLine(WithoutReturnsBeforeBreaks(text), "?");
}

std::string EscapeMarkup(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string Shorten(std::string_view text, std::size_t limit_bytes) {
  if (text.size() <= limit_bytes) {
    return std::string(text);
  }
  return std::string(text.substr(0, CharacterBorder(text, limit_bytes))) + "…";
}

}  // namespace assay
