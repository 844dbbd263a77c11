// SPDX-License-Identifier: Apache-2.0
#include "pr/inert.h"

#include "report/plain_text.h"
#include "spec/unicode.h"

namespace assay {
namespace {

constexpr std::size_t kLongestName_bytes = 120;

// Puts a space behind `word` wherever it stands, in any case of letters.
std::string Broken(std::string_view text, std::string_view word) {
  std::string broken;
  std::string lower;
  for (const char c : text) {
    broken += c;
    lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (lower.ends_with(word)) {
      broken += ' ';
      lower.clear();
    }
  }
  return broken;
}

}  // namespace

Markdown InertText(std::string_view text, std::size_t limit_bytes) {
  std::string line = Shorten(PlainLine(text), limit_bytes);
  for (const std::string_view word : {"://", "www.", "@", "#", "gh-"}) {
    line = Broken(line, word);
  }
  return Markdown::Text(line);
}

Markdown InertName(std::string_view name) {
  return Markdown::Code(name.substr(0, kLongestName_bytes));
}

std::string EscapeXml(std::string_view text) {
  std::string escaped;
  const std::string clean = ReplaceBadCharacters(text);
  for (std::size_t i = 0; i < clean.size(); ++i) {
    // U+FFFE and U+FFFF are no characters of XML.
    const std::string_view next = std::string_view(clean).substr(i, 3);
    if (next == "\xEF\xBF\xBE" || next == "\xEF\xBF\xBF") {
      escaped += '?';
      i += 2;
      continue;
    }
    switch (clean[i]) {
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
      case '\n':
        escaped += "&#10;";
        break;
      case '\r':
        break;
      case '\t':
        escaped += "&#9;";
        break;
      default:
        escaped += clean[i];
    }
  }
  return escaped;
}

}  // namespace assay
