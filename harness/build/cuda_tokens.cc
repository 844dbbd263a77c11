// SPDX-License-Identifier: Apache-2.0
#include "build/cuda_tokens.h"

#include <algorithm>
#include <cstddef>
#include <string>

namespace assay {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

bool IsNamePart(char c) { return IsNameStart(c) || IsDigit(c); }

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

class Lexer {
 public:
  explicit Lexer(std::string_view source) : rest_(source) {}

  void Run() {
    while (!rest_.empty()) {
      Step();
    }
    EndDirective();
  }

  std::vector<CudaToken> TakeTokens() { return std::move(tokens_); }
  /// String and character literals, with their quotes.
  [[nodiscard]] const std::vector<std::string_view>& literals() const { return literals_; }

 private:
  void Step() {
    const char c = rest_.front();
    if (c == '\n') {
      rest_.remove_prefix(1);
      EndDirective();
      line_is_empty_ = true;
    } else if (IsSpace(c)) {
      rest_.remove_prefix(1);
    } else if (rest_.starts_with("\\\n") || rest_.starts_with("\\\r\n")) {
      Drop(rest_.find('\n') + 1);
    } else if (rest_.starts_with("//")) {
      SkipLineComment();
    } else if (rest_.starts_with("/*")) {
      const std::size_t end = rest_.find("*/", 2);
      Drop(end == std::string_view::npos ? end : end + 2);
    } else {
      Token(c);
      line_is_empty_ = false;
    }
  }

  void Token(char c) {
    if (c == '"' || c == '\'') {
      SkipQuoted(c);
    } else if (IsDigit(c)) {
      SkipNumber();
    } else if (IsNameStart(c)) {
      TakeName();
    } else {
      in_directive_ = in_directive_ || (c == '#' && line_is_empty_);
      Add(c == '#' && line_is_empty_ ? CudaToken::Kind::kDirective : CudaToken::Kind::kSign, 1);
    }
  }

  void TakeName() {
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), IsNamePart);
    const auto size = static_cast<std::size_t>(end - rest_.begin());
    const std::string_view name = rest_.substr(0, size);
    const bool is_raw =
        name == "R" || name == "LR" || name == "u8R" || name == "uR" || name == "UR";
    if (is_raw && rest_.substr(size).starts_with('"')) {
      Drop(size);
      SkipRaw();
    } else {
      Add(CudaToken::Kind::kName, size);
    }
  }

  // From the quote of `R"delimiter(text)delimiter"`.
  void SkipRaw() {
    // A delimiter has at most 16 characters: to look further would take long, for each of many.
    const std::size_t open = rest_.substr(0, 18).find('(');
    if (open == std::string_view::npos) {
      Drop(1);
      return;
    }
    const std::string close = ")" + std::string(rest_.substr(1, open - 1)) + "\"";
    const std::size_t end = rest_.find(close, open);
    DropLiteral(end == std::string_view::npos ? end : end + close.size());
  }

  // An unterminated literal ends with its line.
  void SkipQuoted(char quote) {
    std::size_t i = 1;
    while (i < rest_.size() && rest_[i] != quote && rest_[i] != '\n') {
      i += rest_[i] == '\\' && i + 1 < rest_.size() ? 2U : 1U;
    }
    DropLiteral(i < rest_.size() && rest_[i] == quote ? i + 1 : i);
  }

  // Suffixes, exponents and separators (1'000) belong to it.
  void SkipNumber() {
    std::size_t i = 0;
    while (i < rest_.size() &&
           (IsNamePart(rest_[i]) || rest_[i] == '.' ||
            (rest_[i] == '\'' && i + 1 < rest_.size() && IsNamePart(rest_[i + 1])))) {
      ++i;
    }
    Drop(i);
  }

  void SkipLineComment() {
    std::size_t end = rest_.find('\n');
    while (end != std::string_view::npos && rest_[end - 1] == '\\') {
      end = rest_.find('\n', end + 1);
    }
    Drop(end);  // The line break itself may end a directive.
  }

  void EndDirective() {
    if (in_directive_) {
      tokens_.push_back({.kind = CudaToken::Kind::kDirectiveEnd, .text = {}});
      in_directive_ = false;
    }
  }

  void Add(CudaToken::Kind kind, std::size_t size) {
    tokens_.push_back({.kind = kind, .text = rest_.substr(0, size)});
    Drop(size);
  }

  void DropLiteral(std::size_t size) {
    literals_.push_back(rest_.substr(0, size));
    Drop(size);
  }

  void Drop(std::size_t size) { rest_.remove_prefix(std::min(size, rest_.size())); }

  std::string_view rest_;
  std::vector<CudaToken> tokens_;
  std::vector<std::string_view> literals_;
  bool line_is_empty_ = true;
  bool in_directive_ = false;
};

}  // namespace

std::vector<CudaToken> CudaTokens(std::string_view source) {
  Lexer lexer(source);
  lexer.Run();
  return lexer.TakeTokens();
}

std::size_t LiteralBytes(std::string_view source) {
  Lexer lexer(source);
  lexer.Run();
  std::size_t bytes = 0;
  for (const std::string_view literal : lexer.literals()) {
    bytes += literal.size();
  }
  return bytes;
}

std::string WithoutLiterals(std::string_view source) {
  Lexer lexer(source);
  lexer.Run();
  std::string text(source);
  for (const std::string_view literal : lexer.literals()) {
    const auto begin = static_cast<std::size_t>(literal.data() - source.data());
    for (std::size_t i = begin; i < begin + literal.size(); ++i) {
      if (text[i] != '\n' && text[i] != '\r') {
        text[i] = 'x';
      }
    }
  }
  return text;
}

}  // namespace assay
