// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_ANSWER_READER_H_
#define ASSAY_CLI_ANSWER_READER_H_

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/submission_stub.h"

namespace assay {

/// An answer, whatever it came in.
struct Answer {
  FileContents files;
  std::vector<int> unnamed_lines;  ///< Of blocks of a markdown answer that name no file.
};

/// Reads a folder, an archive (`.tar`, `.tar.gz`, `.tgz`, `.zip`) or a markdown file, by its name.
/// Nothing is written where it says, no link is followed, nothing of it is run. The folder that
/// holds all of an archive is taken off. A markdown answer is itself one of its files, `ANSWER.md`.
/// `temporary_root` is where a folder is staged. Errors are of kind kConfiguration.
[[nodiscard]] Result<Answer> ReadAnswer(const std::filesystem::path& path,
                                        const std::filesystem::path& temporary_root);

}  // namespace assay

#endif  // ASSAY_CLI_ANSWER_READER_H_
