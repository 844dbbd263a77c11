// SPDX-License-Identifier: Apache-2.0
#include "report/markdown.h"

#include <algorithm>
#include <numeric>

#include "base/text.h"
#include "report/plain_text.h"

namespace assay {
namespace {

std::string EscapeHtml(std::string_view text) {
  std::string escaped;
  for (const char c : EscapeMarkup(text)) {
    escaped += c == '@' ? "&#64;" : std::string(1, c);
  }
  return escaped;
}

/// A cell whose numbers stay on one line: `88.4 ± 1.2` and `53.8 %` with spaces that do not break.
std::string KeptTogether(std::string_view cell) {
  constexpr std::string_view kSpace = "\u00a0";
  std::string text;
  text.reserve(cell.size());
  std::size_t done = 0;
  for (std::size_t at = cell.find(' '); at != std::string_view::npos; at = cell.find(' ', at + 1)) {
    const std::string_view next = cell.substr(at + 1);
    const bool is_after_digit = at > 0 && cell[at - 1] >= '0' && cell[at - 1] <= '9';
    if ((is_after_digit && (next.starts_with("± ") || next.starts_with('%'))) ||
        cell.substr(0, at).ends_with("±")) {
      text.append(cell.substr(done, at - done)).append(kSpace);
      done = at + 1;
    }
  }
  return text.append(cell.substr(done));
}

}  // namespace

Markdown Markdown::Raw(std::string text) {
  Markdown markdown;
  markdown.text_ = std::move(text);
  return markdown;
}

Markdown Markdown::Text(std::string_view text) { return Raw(EscapeMarkdown(PlainLine(text))); }

Markdown Markdown::Code(std::string_view name) {
  std::string safe(name);
  for (char& c : safe) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') ||
                          std::string_view("._-+/:").find(c) != std::string_view::npos;
    c = is_plain ? c : '?';
  }
  return Raw("`" + safe + "`");
}

Markdown Markdown::Bold(const Markdown& text) {
  return text.empty() ? text : Raw("**" + text.text_ + "**");
}

Markdown Markdown::Link(const Markdown& label, std::string_view path) {
  return Raw("[" + label.text_ + "](" + std::string(path) + ")");
}

Markdown Markdown::Image(const Markdown& description, std::string_view path) {
  return "!" + Link(description, path);
}

Markdown Markdown::CodeBlock(std::string_view text) {
  return Raw("```text\n" + EscapeCodeBlock(PlainLines(text)) + "\n```\n");
}

Markdown Markdown::Details(std::string_view summary, const Markdown& body) {
  // The empty line after the summary makes the body markdown again.
  return Raw("<details><summary>" + EscapeHtml(PlainLine(summary)) + "</summary>\n\n" + body.text_ +
             "\n</details>\n");
}

Markdown Markdown::Join(const std::vector<Markdown>& parts, const Markdown& separator) {
  Markdown joined;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) {
      joined += separator;
    }
    joined += parts[i];
  }
  return joined;
}

void MarkdownTable::AddRow(std::vector<Markdown> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

Markdown MarkdownTable::Render() const {
  std::vector<std::size_t> keys(std::min(key_columns_, columns_.size()));
  std::iota(keys.begin(), keys.end(), std::size_t{0});
  const std::size_t rest = columns_.size() - keys.size();
  const std::size_t most = kMostColumns - keys.size();
  const std::size_t tables = std::max<std::size_t>((rest + most - 1) / most, 1);
  std::string text;
  std::size_t next = keys.size();
  for (std::size_t table = 0; table < tables; ++table) {
    std::vector<std::size_t> shown = keys;
    // Of equal width, rather than the last of one column.
    const std::size_t end = keys.size() + rest * (table + 1) / tables;
    for (; next < end; ++next) {
      shown.push_back(next);
    }
    text += (table == 0 ? "" : "\n") + RenderColumns(shown);
  }
  return Markdown::Raw(std::move(text));
}

std::string MarkdownTable::RenderColumns(const std::vector<std::size_t>& shown) const {
  std::string text = "|";
  for (const std::size_t column : shown) {
    text += " " + columns_[column].title.text() + " |";
  }
  text += "\n|";
  for (const std::size_t column : shown) {
    text += columns_[column].align == Align::kRight ? "---:|" : "---|";
  }
  text += "\n";
  for (const std::vector<Markdown>& row : rows_) {
    text += "|";
    for (const std::size_t column : shown) {
      text += " " + KeptTogether(row[column].text()) + " |";
    }
    text += "\n";
  }
  return text;
}

}  // namespace assay
