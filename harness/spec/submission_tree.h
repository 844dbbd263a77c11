// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SPEC_SUBMISSION_TREE_H_
#define ASSAY_SPEC_SUBMISSION_TREE_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "spec/yaml.h"

namespace assay {

/// What lies below a submission's directory. Names come from the model: hostile text.
struct SubmissionTree {
  std::vector<std::string> files;  ///< Regular files, relative, sorted.
};

/// Walks `directory` without following symbolic links and without opening a file. Faults: a
/// symbolic link, a device or pipe, a name that is not plain, a file or the whole over its limit.
[[nodiscard]] SubmissionTree WalkSubmission(const std::filesystem::path& directory,
                                            FileFaults& faults);

/// Whether a relative path is plain: components of letters, digits and `. _ + -` that begin with
/// neither `-` (an option to a compiler) nor are `.` or `..`.
[[nodiscard]] bool IsPlainPath(std::string_view path);

}  // namespace assay

#endif  // ASSAY_SPEC_SUBMISSION_TREE_H_
