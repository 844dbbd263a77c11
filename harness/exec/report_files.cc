// SPDX-License-Identifier: Apache-2.0
#include "exec/report_files.h"

#include <algorithm>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/file.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// Everything below reports/ but what reports are made of, without following links.
Result<std::vector<std::string>> ListReports(const fs::path& reports) {
  std::vector<std::string> found;
  std::error_code failure;
  if (!fs::exists(reports, failure)) {
    return found;
  }
  fs::recursive_directory_iterator it(reports, failure);
  for (; !failure && it != fs::recursive_directory_iterator(); it.increment(failure)) {
    const fs::path relative = it->path().lexically_relative(reports);
    if (relative == "evidence" || relative == "anchors" || relative == "reviews" ||
        relative == "published") {
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

/// The report that this process, or one that was killed, was writing under this name
/// (WriteFileAtomically); the path itself for any other.
std::string TargetOf(const std::string& path) {
  constexpr std::string_view kTemporary = ".tmp.XXXXXX";
  const std::size_t dots = path.rfind(".tmp.");
  return dots != std::string::npos && path.size() - dots == kTemporary.size() ? path.substr(0, dots)
                                                                              : path;
}

enum class Author { kAssay, kSomebody };

Result<Author> AuthorOf(const fs::path& reports, const std::string& path,
                        const ReportFiles& wanted) {
  std::error_code failure;
  if (!fs::is_regular_file(fs::symlink_status(reports / path, failure))) {
    return Author::kSomebody;
  }
  if (TargetOf(path) != path && wanted.files.contains(TargetOf(path))) {
    return Author::kAssay;  // Even if it was killed before the first byte.
  }
  std::ifstream file(reports / path, std::ios::binary);
  std::string head(wanted.mark.size(), '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  if (file.bad() || !file.is_open()) {
    return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                 .where = (reports / path).string(),
                                 .cause = "cannot be read",
                                 .remedy = "make it readable"});
  }
  return head == wanted.mark ? Author::kAssay : Author::kSomebody;
}

Status CheckNothingInTheWay(const fs::path& reports, const ReportDifference& difference) {
  if (difference.in_the_way.empty()) {
    return {};
  }
  return std::unexpected(
      Error{.kind = ErrorKind::kConfiguration,
            .where = (reports / difference.in_the_way.front()).string(),
            .cause = "is in the way of a report, and was not written by Assay",
            .remedy = "move it elsewhere, or remove it, and run `assay report`"});
}

Status Remove(const fs::path& file) {
  std::error_code failure;
  if (!fs::remove(file, failure) && failure) {
    return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                 .where = file.string(),
                                 .cause = "cannot be removed: " + failure.message(),
                                 .remedy = "make the folder writable and run again"});
  }
  return {};
}

}  // namespace

Result<ReportDifference> CompareReports(const fs::path& root, const ReportFiles& wanted) {
  const fs::path reports = root / "reports";
  ReportDifference difference;
  ASSAY_ASSIGN_OR_RETURN(const auto found, ListReports(reports));
  for (const std::string& path : found) {
    ASSAY_ASSIGN_OR_RETURN(const Author author, AuthorOf(reports, path, wanted));
    const auto report = wanted.files.find(path);
    if (report == wanted.files.end()) {
      (author == Author::kAssay ? difference.stale : difference.foreign).push_back(path);
    } else if (author == Author::kSomebody) {
      difference.in_the_way.push_back(path);
    } else {
      ASSAY_ASSIGN_OR_RETURN(const std::string old, ReadFile(reports / path));
      if (old != report->second) {
        difference.changed.push_back(path);
      }
    }
  }
  for (const auto& [path, content] : wanted.files) {
    if (!std::ranges::binary_search(found, path)) {
      difference.missing.push_back(path);
    }
  }
  return difference;
}

Result<ReportChanges> WriteReports(const fs::path& root, const ReportFiles& wanted) {
  const fs::path reports = root / "reports";
  ASSAY_ASSIGN_OR_RETURN(ReportDifference difference, CompareReports(root, wanted));
  ASSAY_RETURN_IF_ERROR(CheckNothingInTheWay(reports, difference));
  ReportChanges changes{.written = std::move(difference.missing),
                        .removed = std::move(difference.stale)};
  changes.written.insert(changes.written.end(), difference.changed.begin(),
                         difference.changed.end());
  std::ranges::sort(changes.written);
  for (const std::string& path : changes.removed) {
    ASSAY_RETURN_IF_ERROR(Remove(reports / path));
  }
  for (const std::string& path : changes.written) {
    ASSAY_RETURN_IF_ERROR(WriteFileAtomically(reports / path, wanted.files.at(path)));
  }
  return changes;
}

}  // namespace assay
