// SPDX-License-Identifier: Apache-2.0
#include "exec/report_files.h"

#include <algorithm>
#include <system_error>

#include "base/file.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// Everything below reports/ but evidence/, without following links.
Result<std::vector<std::string>> ListReports(const fs::path& reports) {
  std::vector<std::string> found;
  std::error_code failure;
  if (!fs::exists(reports, failure)) {
    return found;
  }
  fs::recursive_directory_iterator it(reports, failure);
  for (; !failure && it != fs::recursive_directory_iterator(); it.increment(failure)) {
    const fs::path relative = it->path().lexically_relative(reports);
    if (relative == "evidence") {
      it.disable_recursion_pending();
    } else if (!fs::is_directory(it->symlink_status(failure))) {
      found.push_back(relative.string());
    }
  }
  if (failure) {
    return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                 .where = reports.string(),
                                 .cause = "cannot be listed: " + failure.message(),
                                 .remedy = "make it readable"});
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace

Result<ReportDifference> CompareReports(const fs::path& root,
                                        const std::map<std::string, std::string>& files) {
  const fs::path reports = root / "reports";
  ReportDifference difference;
  ASSAY_ASSIGN_OR_RETURN(const auto found, ListReports(reports));
  for (const std::string& path : found) {
    std::error_code failure;
    const bool regular = fs::is_regular_file(fs::symlink_status(reports / path, failure));
    if (!files.contains(path) || !regular) {
      difference.stale.push_back(path);
    }
  }
  for (const auto& [path, content] : files) {
    const bool listed = std::ranges::binary_search(found, path) &&
                        std::ranges::find(difference.stale, path) == difference.stale.end();
    if (!listed) {
      difference.missing.push_back(path);
      continue;
    }
    ASSAY_ASSIGN_OR_RETURN(const std::string old, ReadFile(reports / path));
    if (old != content) {
      difference.changed.push_back(path);
    }
  }
  return difference;
}

Result<std::vector<std::string>> WriteReports(const fs::path& root,
                                              const std::map<std::string, std::string>& files) {
  const fs::path reports = root / "reports";
  ASSAY_ASSIGN_OR_RETURN(const ReportDifference difference, CompareReports(root, files));
  for (const std::string& path : difference.stale) {
    std::error_code failure;
    if (!fs::remove(reports / path, failure) && failure) {
      return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                   .where = (reports / path).string(),
                                   .cause = "cannot be removed: " + failure.message(),
                                   .remedy = "make the folder writable and run again"});
    }
  }
  std::vector<std::string> written = difference.missing;
  written.insert(written.end(), difference.changed.begin(), difference.changed.end());
  std::ranges::sort(written);
  for (const std::string& path : written) {
    ASSAY_RETURN_IF_ERROR(WriteFileAtomically(reports / path, files.at(path)));
  }
  return written;
}

}  // namespace assay
