// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REVIEW_SHOWN_FILE_H_
#define ASSAY_REVIEW_SHOWN_FILE_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "review/blinder.h"

namespace assay {

/// A file of a submission as a reviewer sees it: names of models are taken out of it, and what
/// cannot be seen is spelt out. It has as many lines as the file.
struct ShownFile {
  std::string path;                ///< Relative to the submission. Hostile text.
  std::string shown_path;          ///< What the dossier calls it: each of a submission another.
  std::vector<std::string> lines;  ///< As they are.
  std::vector<std::string> shown_lines;  ///< As shown.
};

/// `files` holds contents by path.
[[nodiscard]] std::vector<ShownFile> ShowFiles(const std::map<std::string, std::string>& files,
                                               const Blinder& blinder);

/// By what the dossier calls it, or by its path; null when there is none.
[[nodiscard]] const ShownFile* FindShownFile(const std::vector<ShownFile>& files,
                                             std::string_view path);

/// Whether `quote` stands in that line (counted from 1), as it is or as shown.
[[nodiscard]] bool Quotes(const ShownFile& file, int line, std::string_view quote);

}  // namespace assay

#endif  // ASSAY_REVIEW_SHOWN_FILE_H_
