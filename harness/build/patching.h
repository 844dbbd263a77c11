// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_BUILD_PATCHING_H_
#define ASSAY_BUILD_PATCHING_H_

#include <expected>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"
#include "build/staging.h"
#include "build/tool.h"
#include "spec/submission_spec.h"

namespace assay {

/// What patch(1) strips from the names in `patch`: 1 for those of git (`--- a/layernorm.cc`), 0
/// for names relative to the submission.
[[nodiscard]] int StripLevel(std::string_view patch);

/// A repaired copy of `submission` in the new folder `target`: its files, with `submission.patch`
/// applied by patch(1) in the sandbox. The result's `directory` is the copy and its `headers` those
/// that the copy holds. A patch that does not apply whole is a refusal. Needs `submission.patch`.
[[nodiscard]] Result<std::expected<SubmissionSpec, StagingRefusal>> ApplyPatch(
    const SubmissionSpec& submission, const ToolSettings& tools,
    const std::filesystem::path& target);

}  // namespace assay

#endif  // ASSAY_BUILD_PATCHING_H_
