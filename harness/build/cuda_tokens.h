// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_BUILD_CUDA_TOKENS_H_
#define ASSAY_BUILD_CUDA_TOKENS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// One token of C++ or CUDA: an identifier, or one other character. Numbers, literals, comments and
/// white space are none.
struct CudaToken {
  enum class Kind {
    kName,
    kSign,
    kDirective,     ///< The `#` that begins a preprocessor directive.
    kDirectiveEnd,  ///< The end of its last line, with nothing in `text`.
  };
  Kind kind = Kind::kSign;
  std::string_view text;
};

/// Refers to `source`. Text that is no C++ gives tokens too.
[[nodiscard]] std::vector<CudaToken> CudaTokens(std::string_view source);

/// The characters of all string and character literals, with their quotes.
[[nodiscard]] std::size_t LiteralBytes(std::string_view source);

/// `source` with an `x` for each character of a string or character literal, line breaks left: a
/// tool that looks for comments and knows no literals finds no comment where there is none.
[[nodiscard]] std::string WithoutLiterals(std::string_view source);

}  // namespace assay

#endif  // ASSAY_BUILD_CUDA_TOKENS_H_
