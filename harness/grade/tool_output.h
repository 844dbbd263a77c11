// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GRADE_TOOL_OUTPUT_H_
#define ASSAY_GRADE_TOOL_OUTPUT_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace assay {

/// What cloc and clang-tidy print of a submission, and what is done to its text for them. Pure; any
/// text will do: both read hostile sources, and may have been taken over by one.

/// Code lines by file.
using LineCounts = std::map<std::string, int>;
/// Reads what `cloc --json --by-file` wrote; nothing when it is not that.
[[nodiscard]] std::optional<LineCounts> ParseLineCounts(std::string_view cloc_json);

/// The worst of each measure over all functions; 0 where none was found.
struct FunctionMeasures {
  int longest_lines = 0;
  int cognitive_complexity = 0;
  bool operator==(const FunctionMeasures&) const = default;
};
/// Reads clang-tidy's text: its notes `N lines including whitespace and comments (threshold 0)`
/// and warnings `... has cognitive complexity of N (threshold 0)`. Lines that quote sources do not
/// count.
[[nodiscard]] FunctionMeasures ParseFunctionMeasures(std::string_view clang_tidy_output);

/// `source` with every `NOLINT`, and every name by which clang is told from g++, spelt otherwise,
/// in the same number of bytes and lines: neither a comment nor an `#ifdef` must hide a function
/// from being measured. What tells them apart by other means is found by tokens (token_measures.h).
[[nodiscard]] std::string WithoutSuppressions(std::string source);

}  // namespace assay

#endif  // ASSAY_GRADE_TOOL_OUTPUT_H_
