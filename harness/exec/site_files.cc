// SPDX-License-Identifier: Apache-2.0
#include "exec/site_files.h"

#include <algorithm>
#include <fstream>
#include <system_error>
#include <vector>

#include "base/file.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMarkerText =
    "`assay site` wrote this folder, and writes it again: what it wrote here is not to be "
    "edited.\n";

std::unexpected<Error> Refuse(const fs::path& place, std::string cause, std::string remedy) {
  return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                               .where = place.string(),
                               .cause = std::move(cause),
                               .remedy = std::move(remedy)});
}

enum class Standing { kNothing, kOurs, kForeign };

/// What lies at `file`, which is ours if it begins with `mark`. Nothing is followed.
Standing StandingOf(const fs::path& file, std::string_view mark) {
  std::error_code failure;
  const fs::file_status status = fs::symlink_status(file, failure);
  if (status.type() == fs::file_type::not_found) {
    return Standing::kNothing;
  }
  if (!fs::is_regular_file(status)) {
    return Standing::kForeign;
  }
  std::ifstream stream(file, std::ios::binary);
  std::string head(mark.size(), '\0');
  stream.read(head.data(), static_cast<std::streamsize>(head.size()));
  return head == mark ? Standing::kOurs : Standing::kForeign;
}

/// A link among the folders on the way to `path` leads out of the site.
bool PassesLink(const fs::path& folder, const fs::path& path) {
  fs::path reached = folder;
  std::error_code failure;
  for (const fs::path& part : path.parent_path()) {
    reached /= part;
    if (fs::is_symlink(fs::symlink_status(reached, failure))) {
      return true;
    }
  }
  return false;
}

/// All files below `folder`, links and what else is no folder among them.
Result<std::vector<fs::path>> ListAll(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code failure;
  if (!fs::exists(folder, failure)) {
    return found;
  }
  fs::recursive_directory_iterator it(folder, failure);
  for (; !failure && it != fs::recursive_directory_iterator(); it.increment(failure)) {
    if (!fs::is_directory(it->symlink_status(failure))) {
      found.push_back(it->path());
    }
  }
  if (failure) {
    return Refuse(folder, "cannot be listed: " + failure.message(), "make it readable");
  }
  return found;
}

}  // namespace

Result<SiteFolder> SiteFolder::Open(const fs::path& folder, std::string_view data_mark) {
  std::error_code failure;
  const fs::file_status status = fs::status(folder, failure);
  if (fs::exists(status) && !fs::is_directory(status)) {
    return Refuse(folder, "is no folder", "name a folder for the site, a new one or an empty one");
  }
  if (fs::exists(status)) {
    const bool is_empty = fs::is_empty(folder, failure);
    if (failure) {
      return Refuse(folder, "cannot be read: " + failure.message(), "make it readable");
    }
    if (!is_empty && StandingOf(folder / kSiteMarker, kMarkerText) != Standing::kOurs) {
      return Refuse(folder,
                    "holds files, and none of them is " + std::string(kSiteMarker) +
                        ", which `assay site` leaves in its folders",
                    "name a new or an empty folder, or one that `assay site` wrote");
    }
  }
  SiteFolder site(folder, data_mark);
  ASSAY_RETURN_IF_ERROR(site.Write(std::string(kSiteMarker), kMarkerText));
  return site;
}

Status SiteFolder::Write(const std::string& path, std::string_view content) {
  const fs::path file = folder_ / path;
  const bool is_data = path.starts_with("data/");
  const Standing standing = StandingOf(file, is_data ? data_mark_ : std::string_view());
  if (standing == Standing::kForeign || PassesLink(folder_, path)) {
    return Refuse(file, "is in the way of a file of the site, and was not written by Assay",
                  "move it elsewhere, or name another folder");
  }
  paths_.insert(path);
  ++changes_.files;
  if (standing == Standing::kOurs) {
    // As large as it likes: what is not readable as a whole differs.
    const auto old = ReadFile(file, std::max(content.size(), std::size_t{1}));
    if (old && *old == content) {
      return {};
    }
  }
  ++changes_.written;
  return WriteFileAtomically(file, content);
}

Result<SiteChanges> SiteFolder::RemoveStale() {
  ASSAY_ASSIGN_OR_RETURN(const auto found, ListAll(folder_ / "data"));
  for (const fs::path& file : found) {
    const std::string path = file.lexically_relative(folder_).generic_string();
    if (paths_.contains(path) || StandingOf(file, data_mark_) != Standing::kOurs) {
      continue;
    }
    std::error_code failure;
    if (!fs::remove(file, failure) && failure) {
      return Refuse(file, "cannot be removed: " + failure.message(), "make its folder writable");
    }
    ++changes_.removed;
  }
  return changes_;
}

}  // namespace assay
