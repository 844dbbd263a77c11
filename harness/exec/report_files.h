// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EXEC_REPORT_FILES_H_
#define ASSAY_EXEC_REPORT_FILES_H_

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace assay {

/// What `reports/` (without `evidence/`, `anchors/`, `reviews/` and `published/`) should hold.
struct ReportFiles {
  std::map<std::string, std::string> files;  ///< By path relative to `reports/`.
  /// What each of them begins with. A file that does not was not written by Assay: it is neither
  /// removed nor replaced.
  std::string_view mark;
};

/// How `reports/` differs from that. Paths are relative to `reports/` and sorted.
struct ReportDifference {
  std::vector<std::string> missing;
  std::vector<std::string> changed;
  std::vector<std::string> stale;       ///< Written by Assay, and rendered from no evidence.
  std::vector<std::string> in_the_way;  ///< Not written by Assay, where a report belongs.
  std::vector<std::string> foreign;     ///< Not written by Assay, and in nobody's way.

  /// `reports/` is what its evidence gives, whatever else people keep there.
  [[nodiscard]] bool IsNone() const {
    return missing.empty() && changed.empty() && stale.empty() && in_the_way.empty();
  }
  bool operator==(const ReportDifference&) const = default;
};

/// Nothing is followed: a symbolic link was not written by Assay.
[[nodiscard]] Result<ReportDifference> CompareReports(const std::filesystem::path& root,
                                                      const ReportFiles& wanted);

/// What WriteReports did, by path relative to `reports/`, sorted.
struct ReportChanges {
  std::vector<std::string> written;
  std::vector<std::string> removed;
};

/// Makes what Assay wrote in `reports/` (of which ReportFiles says what is left alone) exactly
/// `wanted`: writes the files that differ, each as one step, and removes stale ones. Something else
/// in the way of a report is an error of kind kConfiguration, before anything is touched.
[[nodiscard]] Result<ReportChanges> WriteReports(const std::filesystem::path& root,
                                                 const ReportFiles& wanted);

}  // namespace assay

#endif  // ASSAY_EXEC_REPORT_FILES_H_
