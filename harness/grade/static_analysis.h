// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GRADE_STATIC_ANALYSIS_H_
#define ASSAY_GRADE_STATIC_ANALYSIS_H_

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "build/tool.h"
#include "evidence/evidence.h"
#include "spec/submission_spec.h"

namespace assay {

/// Reads `submission` in the sandbox, on a copy made below `output_directory`: all of it, tests and
/// benchmarks too, with cloc, and its sources with clang-tidy. `warnings` is what its release build
/// counted. Device functions are counted by device_functions.h; clang-tidy reads no CUDA, so that a
/// submission with a `.cu` source has no measures of functions. A tool that is missing, fails or
/// meets a limit leaves its values absent; a submission that cannot be staged has all of them
/// absent. An Error is a full disk or a sandbox that does not start.
[[nodiscard]] Result<StaticEvidence> AnalyseSources(
    const SubmissionSpec& submission, const std::filesystem::path& challenge_directory,
    int warnings, const std::filesystem::path& output_directory, const ToolSettings& tools);

/// Code lines of a set of files.
struct LineCounts {
  int total = 0;
  int largest_file = 0;
  bool operator==(const LineCounts&) const = default;
};
/// Reads what `cloc --json --by-file` wrote; nothing when it is not that.
[[nodiscard]] std::optional<LineCounts> ParseLineCounts(std::string_view cloc_json);

/// The worst of each measure over all functions; 0 where there is no function.
struct FunctionMeasures {
  int longest_lines = 0;
  int cognitive_complexity = 0;
  bool operator==(const FunctionMeasures&) const = default;
};
/// Reads clang-tidy's text: its notes `N lines including whitespace and comments (threshold 0)`
/// and warnings `... has cognitive complexity of N (threshold 0)`. Lines that quote sources do not
/// count.
[[nodiscard]] FunctionMeasures ParseFunctionMeasures(std::string_view clang_tidy_output);

/// `source` with every `NOLINT` spelt otherwise, in the same number of bytes and lines: a comment
/// must not hide a function from being measured.
[[nodiscard]] std::string WithoutSuppressions(std::string source);

}  // namespace assay

#endif  // ASSAY_GRADE_STATIC_ANALYSIS_H_
