// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EXEC_SITE_FILES_H_
#define ASSAY_EXEC_SITE_FILES_H_

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace assay {

/// The file by which a folder is known as a site of ours. The first that is written, so that a site
/// that was cut off is known too.
inline constexpr std::string_view kSiteMarker = ".assay-site";

struct SiteChanges {
  int files = 0;    ///< Of the site.
  int written = 0;  ///< Those that were not as they are now.
  int removed = 0;  ///< What an earlier site had and this one has not.
};

/// A folder that a site is written to, file by file: each whole or not at all, and those alone that
/// differ. What somebody else keeps there stays.
class SiteFolder {
 public:
  /// `folder` is new, empty or a site of ours; else nothing is touched, and the error (kind
  /// kConfiguration) names what stands there. Each file below `data/` that is ours begins with
  /// `data_mark`.
  [[nodiscard]] static Result<SiteFolder> Open(const std::filesystem::path& folder,
                                               std::string_view data_mark);

  /// `path` is relative, without `..`. A link, or in `data/` a file without the mark, is in the
  /// way.
  [[nodiscard]] Status Write(const std::string& path, std::string_view content);

  /// Removes the data that was not written since Open.
  [[nodiscard]] Result<SiteChanges> RemoveStale();

 private:
  SiteFolder(std::filesystem::path folder, std::string_view data_mark)
      : folder_(std::move(folder)), data_mark_(data_mark) {}

  std::filesystem::path folder_;
  std::string data_mark_;
  std::set<std::string> paths_;
  SiteChanges changes_;
};

}  // namespace assay

#endif  // ASSAY_EXEC_SITE_FILES_H_
