// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GRADE_STATIC_ANALYSIS_H_
#define ASSAY_GRADE_STATIC_ANALYSIS_H_

#include <filesystem>

#include "base/error.h"
#include "build/tool.h"
#include "evidence/evidence.h"
#include "spec/submission_spec.h"

namespace assay {

/// Reads `submission` in the sandbox, on a copy made below `output_directory`: all of it, tests and
/// benchmarks too, with cloc, of which the lines of the implementation are counted apart, and its
/// sources with clang-tidy. `warnings` is what its release build
/// counted. Device functions are counted by device_functions.h. What clang-tidy cannot parse, as
/// CUDA, or not in its time, is read by tokens (token_measures.h) alone, with all
/// headers, and `parsed_share` says how much that is; the rest by both, and the worse counts. A
/// missing tool leaves its values absent, as does a cloc that fails or meets a limit; a submission
/// that cannot be staged has all of them absent. An Error is a full disk or a sandbox that does not
/// start.
[[nodiscard]] Result<StaticEvidence> AnalyseSources(
    const SubmissionSpec& submission, const std::filesystem::path& challenge_directory,
    int warnings, const std::filesystem::path& output_directory, const ToolSettings& tools);

}  // namespace assay

#endif  // ASSAY_GRADE_STATIC_ANALYSIS_H_
