// SPDX-License-Identifier: Apache-2.0
#include "pr/inert.h"

#include <array>

#include "report/plain_text.h"

namespace assay {
namespace {

constexpr std::size_t kLongestName_bytes = 120;

/// What GitHub makes a link of, in any case of letters, and how much of it stays together.
struct LinkStart {
  std::string_view word;
  std::size_t kept_bytes;
};
// Of an address nothing is left that one begins with: of `www.` alone GitHub makes a link too.
constexpr std::array<LinkStart, 5> kLinkStarts = {
    {{"://", 1}, {"www.", 3}, {"@", 1}, {"#", 1}, {"gh-", 3}}};

// Puts a space into `start`, wherever it stands.
std::string Broken(std::string_view text, const LinkStart& start) {
  std::string broken;
  std::string lower;
  for (const char c : text) {
    broken += c;
    lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (lower.ends_with(start.word)) {
      broken.insert(broken.size() - start.word.size() + start.kept_bytes, 1, ' ');
      lower.clear();
    }
  }
  return broken;
}

}  // namespace

Markdown InertText(std::string_view text, std::size_t limit_bytes) {
  std::string line = Shorten(PlainLine(text), limit_bytes);
  for (const LinkStart& start : kLinkStarts) {
    line = Broken(line, start);
  }
  return Markdown::Text(line);
}

Markdown InertName(std::string_view name) {
  // Two backticks with nothing between them begin other code.
  return Markdown::Code(name.empty() ? "?" : name.substr(0, kLongestName_bytes));
}

std::string EscapeXml(std::string_view text) {
  std::string escaped;
  for (const char c : EscapeMarkup(PlainLines(text))) {
    escaped += c == '\n' ? "&#10;" : c == '\t' ? "&#9;" : std::string(1, c);
  }
  return escaped;
}

}  // namespace assay
