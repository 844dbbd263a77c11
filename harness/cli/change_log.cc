// SPDX-License-Identifier: Apache-2.0
#include "cli/change_log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <string>
#include <system_error>

#include "base/file.h"
#include "report/difference.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// To the second: of one day there may be as many entries as gradings, and each has a heading of
/// its own, which a link can name.
std::string Now() {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", now);
}

}  // namespace

Result<ChangesLogged> LogChanges(const fs::path& root, const std::vector<Evidence>& before,
                                 const std::vector<Evidence>& after, const Challenges& challenges) {
  if (before.empty()) {
    return ChangesLogged::kNo;
  }
  const EvidenceDifference difference = FindDifference(before, after, challenges);
  if (!ChangesPublished(difference)) {
    return ChangesLogged::kNo;
  }
  const fs::path file = root / "reports" / kChangesPage;
  std::optional<std::string> existing;
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(file, ignored))) {
    ASSAY_ASSIGN_OR_RETURN(existing, ReadFile(file));
  }
  ASSAY_ASSIGN_OR_RETURN(const std::string page,
                         WithChangesEntry(existing, difference, Now(), "Assay " ASSAY_VERSION));
  ASSAY_RETURN_IF_ERROR(WriteFileAtomically(file, page));
  return ChangesLogged::kYes;
}

}  // namespace assay
