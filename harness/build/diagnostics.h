// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_BUILD_DIAGNOSTICS_H_
#define ASSAY_BUILD_DIAGNOSTICS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay {

/// What g++, nvcc, ld and patch print, made fit for evidence. Pure text in, pure text out.
///
/// The text is written by tools that read a hostile source, and by that source itself
/// (`#error "..."`), so nothing here decides a verdict: verdicts come from exit statuses.

/// How much of a compiler's output evidence keeps.
inline constexpr std::size_t kDiagnosticsLimit_bytes = 4096;

/// Lines `place: warning: text` in the output of g++ or nvcc, each distinct line once: a header
/// that two sources include warns once. `outputs` holds one text a source.
[[nodiscard]] int CountWarnings(const std::vector<std::string>& outputs);

/// `source` with every pragma that silences warnings, and every line marker, which can call what
/// follows a system's, spelt so that no compiler knows it, in the same number of bytes and lines:
/// g++ and nvcc then warn of that pragma, and of what it would have hidden. Ends of lines in its
/// words and comments between them make no difference; one that macros put together is not seen.
/// The words of a pragma are respelt in strings too, since `_Pragma` reads them there; what looks
/// like a line marker in a raw string is left.
[[nodiscard]] std::string WithoutSilencing(std::string source);

/// From the first error on, with the lines that lead to it ("In file included from", "In
/// function", "required from"); all of `output` where no line is an error. At most `limit_bytes`,
/// cut at a line break.
[[nodiscard]] std::string FirstDiagnostics(std::string_view output,
                                           std::size_t limit_bytes = kDiagnosticsLimit_bytes);

/// `text` with every occurrence of each pair's first replaced by its second, longest first part
/// first, so that no path of this machine stays in a diagnostic.
[[nodiscard]] std::string ReplacePaths(
    std::string text, std::vector<std::pair<std::string, std::string>> replacements);

}  // namespace assay

#endif  // ASSAY_BUILD_DIAGNOSTICS_H_
