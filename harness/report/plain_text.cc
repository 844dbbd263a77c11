// SPDX-License-Identifier: Apache-2.0
#include "report/plain_text.h"

#include <algorithm>

#include "base/text.h"

namespace assay {
namespace {

bool IsContinuationByte(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

}  // namespace

std::string PlainLines(std::string_view text) {
  std::string plain;
  for (std::size_t at = text.find("\r\n"); at != std::string_view::npos; at = text.find("\r\n")) {
    plain += ReplaceUnseen(text.substr(0, at), "?");
    text.remove_prefix(at + 1);
  }
  plain += ReplaceUnseen(text, "?");
  return plain;
}

std::string PlainLine(std::string_view text) {
  std::string line = PlainLines(text);
  std::ranges::replace(line, '\n', ' ');
  std::ranges::replace(line, '\t', ' ');
  return line;
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
  while (limit_bytes > 0 && IsContinuationByte(text[limit_bytes])) {
    --limit_bytes;
  }
  return std::string(text.substr(0, limit_bytes)) + "…";
}

}  // namespace assay
