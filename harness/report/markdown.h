// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REPORT_MARKDOWN_H_
#define ASSAY_REPORT_MARKDOWN_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay {

/// Text that is markdown already. There is no way to make one from a string but by escaping it, so
/// a report cannot print hostile text raw: that would not compile.
class Markdown {
 public:
  Markdown() = default;
  /// A literal of our own.
  template <std::size_t kSize>
  Markdown(const char (&literal)[kSize])  // NOLINT(google-explicit-constructor)
      : text_(literal, kSize - 1) {}

  /// Any text as PlainLine gives it, escaped (base/text.h).
  [[nodiscard]] static Markdown Text(std::string_view text);
  /// A name in code letters. What is no letter, digit or one of `._-+/:` becomes `?`.
  [[nodiscard]] static Markdown Code(std::string_view name);
  [[nodiscard]] static Markdown Bold(const Markdown& text);
  /// `path` is relative to the file it stands in and made of ids.
  [[nodiscard]] static Markdown Link(const Markdown& label, std::string_view path);
  /// A picture that lies at `path`, and its description for who does not see it.
  [[nodiscard]] static Markdown Image(const Markdown& description, std::string_view path);
  /// A fenced block, on lines of its own.
  [[nodiscard]] static Markdown CodeBlock(std::string_view text);
  /// Folded under a summary, on lines of its own. The summary is any text: inside HTML it is
  /// escaped as HTML, since backslashes escape nothing there.
  [[nodiscard]] static Markdown Details(std::string_view summary, const Markdown& body);
  [[nodiscard]] static Markdown Join(const std::vector<Markdown>& parts, const Markdown& separator);

  Markdown& operator+=(const Markdown& other) {
    text_ += other.text_;
    return *this;
  }
  friend Markdown operator+(Markdown left, const Markdown& right) {
    left += right;
    return left;
  }

  [[nodiscard]] bool empty() const { return text_.empty(); }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  friend class MarkdownTable;
  static Markdown Raw(std::string text);

  std::string text_;
};

enum class Align { kLeft, kRight };

/// A table of GitHub's markdown, columns padded to nothing: what is diffed is the cells. One of
/// more than kMostColumns columns becomes several, below each other, that repeat its first ones: a
/// page is never wider than its reader's screen.
class MarkdownTable {
 public:
  static constexpr std::size_t kMostColumns = 6;
  struct Column {
    Markdown title;
    Align align = Align::kLeft;
  };
  /// `key_columns`, the first, say what a row is about; fewer than kMostColumns.
  explicit MarkdownTable(std::vector<Column> columns, std::size_t key_columns = 1)
      : columns_(std::move(columns)), key_columns_(key_columns) {}

  /// As many cells as columns; missing ones are empty.
  void AddRow(std::vector<Markdown> cells);
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  /// Ends with a line break.
  [[nodiscard]] Markdown Render() const;

 private:
  [[nodiscard]] std::string RenderColumns(const std::vector<std::size_t>& shown) const;

  std::vector<Column> columns_;
  std::size_t key_columns_ = 1;
  std::vector<std::vector<Markdown>> rows_;
};

}  // namespace assay

#endif  // ASSAY_REPORT_MARKDOWN_H_
