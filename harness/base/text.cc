// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/unicode.h"

namespace assay {
namespace {

constexpr std::size_t kLongestName_bytes = 64;

bool IsLetterOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool IsPlainAscii(char c) { return IsPrintableAscii(c) || c == '\n' || c == '\t'; }

}  // namespace

std::string ReplaceUnseen(std::string_view text, std::string_view replacement) {
  std::string seen;
  while (!text.empty()) {
    const auto ascii = std::ranges::find_if_not(text, &IsPlainAscii) - text.begin();
    seen += text.substr(0, static_cast<std::size_t>(ascii));
    text.remove_prefix(static_cast<std::size_t>(ascii));
    if (text.empty()) {
      break;
    }
    const Character one = FirstCharacter(text);
    const bool is_shown = one.is_utf8 && !IsUnseen(one.code_point);
    seen += is_shown ? text.substr(0, one.size_bytes) : replacement;
    text.remove_prefix(one.size_bytes);
  }
  return seen;
}

std::string OneSeenLine(std::string_view text, std::string_view replacement, char for_break) {
  std::string line = ReplaceUnseen(text, replacement);
  std::ranges::replace_if(line, [](char c) { return c == '\n' || c == '\t'; }, for_break);
  return line;
}

bool IsPlainName(std::string_view text) {
  constexpr std::string_view kAllowed = " ._-+():";
  return !text.empty() && text.size() <= kLongestName_bytes &&
         std::all_of(text.begin(), text.end(), [kAllowed](char c) {
           return IsLetterOrDigit(c) || kAllowed.find(c) != std::string_view::npos;
         });
}

bool IsId(std::string_view text) {
  const auto is_lower = [](char c) { return IsLetterOrDigit(c) && !(c >= 'A' && c <= 'Z'); };
  return !text.empty() && text.size() <= kLongestName_bytes && is_lower(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [&](char c) { return is_lower(c) || c == '.' || c == '_' || c == '-'; });
}

std::string EscapeMarkdown(std::string_view text) {
  constexpr std::string_view kSpecial = "|\\`*_<>[]#@&~$";
  std::string escaped;
  for (const char c : OneSeenLine(text, "")) {
    if (kSpecial.find(c) != std::string_view::npos) {
      escaped += '\\';
    }
    escaped += c;
  }
  return escaped;
}

std::string EscapeCodeBlock(std::string_view text) {
  std::string escaped;
  for (const char c : ReplaceUnseen(text, "")) {
    if (c == '`' && escaped.ends_with("``")) {
      escaped += ' ';
    }
    escaped += c;
  }
  return escaped;
}

std::string Truncate(std::string_view text, std::size_t limit_bytes) {
  if (text.size() <= limit_bytes) {
    return std::string(text);
  }
  std::string_view kept = text.substr(0, limit_bytes);
  if (const std::size_t line_end = kept.rfind('\n'); line_end != std::string_view::npos) {
    kept = kept.substr(0, line_end);
  }
  return fmt::format("{}\n[{} more bytes]", kept, text.size() - kept.size());
}

std::string ToLower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower;
}

std::vector<std::string> SplitLines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string Join(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

}  // namespace assay
