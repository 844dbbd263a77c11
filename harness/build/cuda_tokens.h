// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_BUILD_CUDA_TOKENS_H_
#define ASSAY_BUILD_CUDA_TOKENS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// Tokens are told as the compiler tells them: a line that ends with `\` goes on, a raw string
/// begins behind R, u8R, uR, UR and LR alone, and a name may hold `$`, bytes of 0x80 and more, and
/// `\u1234`. Where compilers tell them by what we do not know (whether an `#if` holds: `#include
/// </*>` is a header, and where nothing is included begins a comment; whether a letter may stand in
/// a name), nothing is taken for a comment or literal from there to the end, so that no code is
/// hidden.

/// One token of C++ or CUDA: an identifier, or one other character. Numbers, literals, comments and
/// white space are none.
struct CudaToken {
  enum class Kind {
    kName,
    kSign,
    kDirective,     ///< The `#`, or the `%` of `%:`, that begins a preprocessor directive.
    kDirectiveEnd,  ///< The end of its last line, with nothing in `text`.
  };
  Kind kind = Kind::kSign;
  std::string_view text;
};

/// Refers to `source`. Text that is no C++ gives tokens too.
[[nodiscard]] std::vector<CudaToken> CudaTokens(std::string_view source);

/// The characters of all string and character literals, with their quotes.
[[nodiscard]] std::size_t LiteralBytes(std::string_view source);

/// `source` with spaces for its comments, and an `x` for each character of a string or character
/// literal, line breaks left: a tool that knows comments or literals otherwise finds none.
[[nodiscard]] std::string CodeAlone(std::string_view source);

/// `source` with every `\` at a line's end that stands in a name, or between the signs of `&&`,
/// `||`, `<%` and their like, moved behind them, in the same number of bytes and lines.
[[nodiscard]] std::string WithWholeTokens(std::string_view source);

/// Where the `#`, or the `%:`, of each line marker (`# 1 "file.h" 3`, as the preprocessor writes
/// it) stands in `source`.
[[nodiscard]] std::vector<std::size_t> LineMarkers(std::string_view source);

}  // namespace assay

#endif  // ASSAY_BUILD_CUDA_TOKENS_H_
