// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EXEC_REPORT_FILES_H_
#define ASSAY_EXEC_REPORT_FILES_H_

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"

namespace assay {

/// How `reports/` (without `evidence/`) differs from what it should hold. Paths are relative to
/// `reports/` and sorted.
struct ReportDifference {
  std::vector<std::string> missing;
  std::vector<std::string> changed;
  std::vector<std::string> stale;  ///< There, and rendered from no evidence.
  bool operator==(const ReportDifference&) const = default;
};

/// `files` by relative path. Symbolic links count as stale; nothing is followed.
[[nodiscard]] Result<ReportDifference> CompareReports(
    const std::filesystem::path& root, const std::map<std::string, std::string>& files);

/// Makes `reports/` (without `evidence/`) hold exactly `files`: writes those that differ, each as
/// one step, and removes stale ones. Returns the relative paths of files written.
[[nodiscard]] Result<std::vector<std::string>> WriteReports(
    const std::filesystem::path& root, const std::map<std::string, std::string>& files);

}  // namespace assay

#endif  // ASSAY_EXEC_REPORT_FILES_H_
