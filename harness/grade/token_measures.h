// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GRADE_TOKEN_MEASURES_H_
#define ASSAY_GRADE_TOKEN_MEASURES_H_

#include <string_view>

#include "grade/tool_output.h"

namespace assay {

/// What can be told of C++ or CUDA by its tokens alone, where no parser reads it. Pure; any text
/// will do, and takes time linear in its length.

/// The names and signs of `source`: its size, however it is laid out. Directives count, comments,
/// numbers and literals do not.
[[nodiscard]] int CountTokens(std::string_view source);

/// The worst function by the rules of clang-tidy, as far as tokens tell them: what it says of a
/// parsed source is what this comes near to. A function is a body in braces behind parentheses,
/// and what a macro is replaced by, since that is code too. It is as long as it has lines, or
/// statements, where these are more. Code behind an `#if` counts, whatever its condition.
[[nodiscard]] FunctionMeasures MeasureByTokens(std::string_view source);

}  // namespace assay

#endif  // ASSAY_GRADE_TOKEN_MEASURES_H_
