// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_BUILD_STAGING_H_
#define ASSAY_BUILD_STAGING_H_

#include <expected>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "spec/submission_spec.h"

namespace assay {

/// Why a submission cannot be staged, in words for its author. It is the submission's failure.
struct StagingRefusal {
  std::string reason;
};

/// Copies `files` (relative, as SubmissionSpec names them) from `from` into the new folder `to`,
/// with the same relative paths. Only regular files are read and no symbolic link is followed,
/// neither as a file nor as a folder on the way, so nothing outside `from` can be drawn in and
/// nothing can block. A file that is missing or is not regular, one over kLargestSource_bytes, or
/// more than kLargestSubmission_files or kLargestSubmission_bytes in all is a refusal; a failure of
/// this machine (disk full) is an Error.
[[nodiscard]] Result<std::expected<void, StagingRefusal>> Stage(
    const std::filesystem::path& from, const std::vector<std::string>& files,
    const std::filesystem::path& to);

/// As Stage, for files of our own: that one is missing is an Error and no refusal.
[[nodiscard]] Status StageTrusted(const std::filesystem::path& from,
                                  const std::vector<std::string>& files,
                                  const std::filesystem::path& to);

/// Makes the folder `folder`, with its parents, in place of whatever was there. An Error of kind
/// kConfiguration when the disk is full or the place cannot be written.
[[nodiscard]] Status MakeEmptyFolder(const std::filesystem::path& folder);

/// The files that make the implementation: sources, and headers but those of test folders. A test
/// folder holds a test or benchmark program and no source at or below it. What this leaves out is
/// not there when the implementation is compiled, so code cannot hide from static analysis in it.
[[nodiscard]] std::vector<std::string> ImplementationFiles(const SubmissionSpec& submission);

/// ImplementationFiles, the test and benchmark programs, and every header.
[[nodiscard]] std::vector<std::string> AllFiles(const SubmissionSpec& submission);

}  // namespace assay

#endif  // ASSAY_BUILD_STAGING_H_
