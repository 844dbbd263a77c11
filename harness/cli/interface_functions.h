// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_INTERFACE_FUNCTIONS_H_
#define ASSAY_CLI_INTERFACE_FUNCTIONS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace assay {

/// `text`, of C or C++, with spaces for comments, texts in quotes and preprocessor lines: what a
/// reader of names looks at. Lines stay. Raw texts are not known.
[[nodiscard]] std::string CodeOf(std::string_view text);

/// The next place at or behind `from` where `name` stands as a word of its own; npos when none is.
[[nodiscard]] std::size_t FindWord(std::string_view code, std::string_view name, std::size_t from);

/// Whether a source in C++ is a program: it defines `int main(`.
[[nodiscard]] bool DefinesMain(std::string_view source);

/// A function as `interface.h` declares it.
struct FunctionDeclaration {
  std::string return_type;  ///< `int`, `const char*`.
  std::string text;         ///< All but the semicolon, its lines broken as in the header.
  bool takes_arguments = false;
  bool operator==(const FunctionDeclaration&) const = default;
};

/// The declaration of `name` in a header of plain C, found by reading and not by compiling:
/// comments and preprocessor lines are passed over. Nothing where there is none.
[[nodiscard]] std::optional<FunctionDeclaration> FindDeclaration(std::string_view header,
                                                                 std::string_view name);

/// The first enumerator or constant of `header` whose name ends with `_UNSUPPORTED`: the status of
/// an honest "not supported". Nothing where there is none.
[[nodiscard]] std::optional<std::string> UnsupportedStatus(std::string_view header);

/// What stands between `{` and `}` of a function that does nothing: `return LN_UNSUPPORTED;`. A
/// function of no arguments has nothing to refuse, so that it returns 0. Empty for `void`.
[[nodiscard]] std::string StubStatement(const FunctionDeclaration& function,
                                        const std::optional<std::string>& unsupported);

}  // namespace assay

#endif  // ASSAY_CLI_INTERFACE_FUNCTIONS_H_
