// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_PTX_LEXER_H_
#define ASSAY_EMULATOR_PTX_LEXER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace assay::gpu::ptx {

/// A word of PTX. `text` points into the text that the lexer reads.
struct Token {
  enum class Kind : std::uint8_t {
    kIdentifier,   ///< `%r1`, `$L__BB0_1`, `add`, `_`
    kDirective,    ///< `.reg`, with its dot
    kInteger,      ///< `bits`; `is_unsigned` with suffix U or past the range of s64
    kFloat,        ///< 0f…: `bits`, 32 of them
    kDouble,       ///< 0d…, 1.5: `bits`, 64 of them
    kString,       ///< `text` without the quotes
    kPunctuation,  ///< `text` is one character, or one of `<<` `>>` `<=` `>=` `==` `!=` `&&` `||`
    kEnd,
    kBad,  ///< A character or number that PTX does not have.
  };
  Kind kind = Kind::kEnd;
  bool is_unsigned = false;
  std::uint32_t line = 1;
  std::string_view text;
  std::uint64_t bits = 0;
};

/// Splits PTX text into tokens, one ahead. Never fails: what is no token is a Token::kBad.
/// Time is linear in the text and no memory is allocated. Source: PTX ISA 9.0, section 4.
class Lexer {
 public:
  explicit Lexer(std::string_view text);

  [[nodiscard]] const Token& token() const { return token_; }
  void Advance();

  [[nodiscard]] bool Is(std::string_view punctuation) const {
    return token_.kind == Token::Kind::kPunctuation && token_.text == punctuation;
  }
  [[nodiscard]] bool IsDirective(std::string_view directive) const {
    return token_.kind == Token::Kind::kDirective && token_.text == directive;
  }
  [[nodiscard]] bool Is(Token::Kind kind) const { return token_.kind == kind; }
  /// Advances past the token if it is `punctuation`.
  bool Accept(std::string_view punctuation);
  bool AcceptDirective(std::string_view directive);

  /// With an identifier as the token: makes the token that identifier together with the dotted
  /// words that follow it at once, as in `ld.global.L1::evict_last.u32` or `%tid.x`.
  void ExtendWithModifiers();

  /// With an identifier such as `%4` as the token: makes the token its `%` alone.
  void SplitPercent();

  /// With `{` as the token: advances past the matching `}`. False: there is none.
  bool SkipBraces();

 private:
  void SkipBlanks();
  void ReadNumber();
  void ReadInteger(int base, std::size_t digits);
  void ReadFloat(Token::Kind kind, std::size_t digits);
  void ReadDecimalFloat();
  void ReadString();
  void ReadPunctuation();
  void Take(Token::Kind kind, std::size_t end);
  [[nodiscard]] char At(std::size_t position) const {
    return position < text_.size() ? text_[position] : '\0';
  }

  std::string_view text_;
  std::size_t position_ = 0;
  std::uint32_t line_ = 1;
  Token token_;
};

}  // namespace assay::gpu::ptx

#endif  // ASSAY_EMULATOR_PTX_LEXER_H_
