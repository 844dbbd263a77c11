// SPDX-License-Identifier: Apache-2.0
#include "emulator/ptx/lexer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <limits>

namespace assay::gpu::ptx {
namespace {

enum CharacterClass : std::uint8_t { kOther = 0, kWord = 1, kDigit = 2, kBlank = 4, kHexDigit = 8 };

constexpr std::array<std::uint8_t, 256> MakeClasses() {
  std::array<std::uint8_t, 256> classes{};
  for (unsigned c = 'a'; c <= 'z'; ++c) {
    classes[c] = kWord;
    classes[c - 'a' + 'A'] = kWord;
  }
  for (unsigned c = '0'; c <= '9'; ++c) {
    classes[c] = kDigit | kWord | kHexDigit;
  }
  for (unsigned c = 'a'; c <= 'f'; ++c) {
    classes[c] |= kHexDigit;
    classes[c - 'a' + 'A'] |= kHexDigit;
  }
  classes['_'] = classes['$'] = classes['%'] = kWord;
  classes[' '] = classes['\t'] = classes['\r'] = classes['\f'] = classes['\v'] = kBlank;
  return classes;
}

constexpr std::array<std::uint8_t, 256> kClasses = MakeClasses();

bool Has(char character, CharacterClass wanted) {
  return (kClasses[static_cast<unsigned char>(character)] & wanted) != 0;
}

// A number may stand right before the operator %.
bool RunsOn(char character) { return Has(character, kWord) && character != '%'; }

bool IsWordStart(char character) { return Has(character, kWord) && !Has(character, kDigit); }

}  // namespace

Lexer::Lexer(std::string_view text) : text_(text) { Advance(); }

bool Lexer::Accept(std::string_view punctuation) {
  if (!Is(punctuation)) {
    return false;
  }
  Advance();
  return true;
}

bool Lexer::AcceptDirective(std::string_view directive) {
  if (!IsDirective(directive)) {
    return false;
  }
  Advance();
  return true;
}

void Lexer::Take(Token::Kind kind, std::size_t end) {
  token_.kind = kind;
  token_.text = text_.substr(position_, end - position_);
  position_ += token_.text.size();
}

void Lexer::SkipBlanks() {
  while (position_ < text_.size()) {
    const char character = text_[position_];
    if (Has(character, kBlank)) {
      ++position_;
    } else if (character == '\n') {
      ++line_;
      ++position_;
    } else if (character == '#' || (character == '/' && At(position_ + 1) == '/')) {
      position_ = std::min(text_.find('\n', position_), text_.size());
    } else if (character == '/' && At(position_ + 1) == '*') {
      const std::size_t close = text_.find("*/", position_ + 2);
      if (close == std::string_view::npos) {
        return;
      }
      const std::size_t end = close + 2;
      const auto comment = text_.substr(position_, end - position_);
      line_ += static_cast<std::uint32_t>(std::ranges::count(comment, '\n'));
      position_ = end;
    } else {
      return;
    }
  }
}

void Lexer::Advance() {
  SkipBlanks();
  token_ = Token{};
  token_.line = line_;
  if (position_ >= text_.size()) {
    return;
  }
  const char character = text_[position_];
  if (Has(character, kDigit)) {
    ReadNumber();
  } else if (character == '.' && Has(At(position_ + 1), kDigit)) {
    ReadDecimalFloat();
  } else if (IsWordStart(character) || (character == '.' && IsWordStart(At(position_ + 1)))) {
    std::size_t end = position_ + 1;
    while (Has(At(end), kWord)) {
      ++end;
    }
    Take(character == '.' ? Token::Kind::kDirective : Token::Kind::kIdentifier, end);
  } else if (character == '"') {
    ReadString();
  } else {
    ReadPunctuation();
  }
}

void Lexer::ExtendWithModifiers() {
  std::size_t end = position_;
  while (true) {
    if (At(end) == '.' && Has(At(end + 1), kWord)) {
      end += 1;
    } else if (At(end) == ':' && At(end + 1) == ':' && Has(At(end + 2), kWord)) {
      end += 2;
    } else {
      break;
    }
    while (Has(At(end), kWord)) {
      ++end;
    }
  }
  const std::size_t start = position_ - token_.text.size();
  token_.text = text_.substr(start, end - start);
  position_ = end;
}

void Lexer::SplitPercent() {
  if (token_.kind == Token::Kind::kIdentifier && token_.text[0] == '%' && token_.text.size() > 1 &&
      Has(token_.text[1], kDigit)) {
    position_ -= token_.text.size() - 1;
    token_.text = token_.text.substr(0, 1);
  }
}

void Lexer::ReadNumber() {
  const char second = At(position_ + 1);
  if (text_[position_] == '0') {
    switch (second) {
      case 'x':
      case 'X':
        return ReadInteger(16, position_ + 2);
      case 'b':
      case 'B':
        return ReadInteger(2, position_ + 2);
      case 'f':
      case 'F':
        return ReadFloat(Token::Kind::kFloat, 8);
      case 'd':
      case 'D':
        return ReadFloat(Token::Kind::kDouble, 16);
      default:
        break;
    }
  }
  std::size_t end = position_;
  while (Has(At(end), kDigit)) {
    ++end;
  }
  if (At(end) == '.' || At(end) == 'e' || At(end) == 'E') {
    return ReadDecimalFloat();
  }
  const bool octal = text_[position_] == '0' && end > position_ + 1;
  ReadInteger(octal ? 8 : 10, position_ + (octal ? 1 : 0));
}

void Lexer::ReadInteger(int base, std::size_t digits) {
  std::size_t end = digits;
  while (Has(At(end), kHexDigit) && (base == 16 || Has(At(end), kDigit))) {
    ++end;
  }
  std::uint64_t value = 0;
  const auto [stop, code] = std::from_chars(text_.data() + digits, text_.data() + end, value, base);
  const bool whole = code == std::errc() && stop == text_.data() + end;
  const bool has_suffix = At(end) == 'U';
  end += has_suffix ? 1 : 0;
  const bool runs_on = RunsOn(At(end));
  while (RunsOn(At(end))) {
    ++end;
  }
  Take(whole && !runs_on ? Token::Kind::kInteger : Token::Kind::kBad, end);
  token_.bits = value;
  token_.is_unsigned =
      has_suffix || value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
}

void Lexer::ReadFloat(Token::Kind kind, std::size_t digits) {
  const std::size_t start = position_ + 2;
  std::size_t end = start;
  while (RunsOn(At(end))) {
    ++end;
  }
  std::uint64_t value = 0;
  const auto [stop, code] = std::from_chars(text_.data() + start, text_.data() + end, value, 16);
  const bool whole = code == std::errc() && stop == text_.data() + end && end - start == digits;
  Take(whole ? kind : Token::Kind::kBad, end);
  token_.bits = value;
}

void Lexer::ReadDecimalFloat() {
  double value = 0;
  const char* const first = text_.data() + position_;
  const auto [stop, code] = std::from_chars(first, text_.data() + text_.size(), value);
  std::size_t end = position_ + static_cast<std::size_t>(stop - first);
  const bool runs_on = RunsOn(At(end));
  while (RunsOn(At(end))) {
    ++end;
  }
  Take(code == std::errc() && !runs_on ? Token::Kind::kDouble : Token::Kind::kBad, end);
  token_.bits = std::bit_cast<std::uint64_t>(value);
}

void Lexer::ReadString() {
  const std::size_t start = position_ + 1;
  std::size_t end = start;
  while (end < text_.size() && text_[end] != '"' && text_[end] != '\n') {
    end += text_[end] == '\\' ? std::size_t{2} : std::size_t{1};
  }
  if (At(end) != '"') {
    Take(Token::Kind::kBad, std::min(end, text_.size()));
    return;
  }
  Take(Token::Kind::kString, end + 1);
  token_.text = text_.substr(start, end - start);
}

void Lexer::ReadPunctuation() {
  if (text_.substr(position_).starts_with("/*")) {  // A comment that does not end.
    Take(Token::Kind::kBad, text_.size());
    return;
  }
  static constexpr std::array<std::string_view, 8> kPairs = {
      "<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
  static constexpr std::string_view kSingles = "()[]{}<>,;:=|&^~!?+-*/@.%";
  const std::string_view pair = text_.substr(position_, 2);
  if (std::ranges::find(kPairs, pair) != kPairs.end()) {
    Take(Token::Kind::kPunctuation, position_ + 2);
  } else {
    const bool known = kSingles.find(text_[position_]) != std::string_view::npos;
    Take(known ? Token::Kind::kPunctuation : Token::Kind::kBad, position_ + 1);
  }
}

bool Lexer::SkipBraces() {
  // Not token by token: debug sections are the larger part of a module compiled with -G.
  std::size_t depth = 1;
  while (depth > 0 && position_ < text_.size()) {
    const char character = text_[position_++];
    line_ += character == '\n' ? 1 : 0;
    depth += character == '{' ? 1 : 0;
    depth -= character == '}' ? 1 : 0;
  }
  Advance();
  return depth == 0;
}

}  // namespace assay::gpu::ptx
