// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_WATCH_FOLDER_H_
#define ASSAY_CLI_WATCH_FOLDER_H_

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/unique_fd.h"

namespace assay {

/// Says when a file below a folder was saved (inotify). What happens between two waits is not
/// lost.
class FolderWatch {
 public:
  /// An error of kind kConfiguration names the folder: it is gone, or this user has no watches
  /// left.
  [[nodiscard]] static Result<FolderWatch> Start(const std::filesystem::path& folder);

  /// Waits until something below the folder changed, and then until it has been quiet for a moment:
  /// an editor writes, renames and removes for one save. Returns early when the process is asked to
  /// stop (process/interrupt.h).
  [[nodiscard]] Status Wait();

 private:
  FolderWatch(std::filesystem::path folder, UniqueFd inotify);
  Status WatchAllFolders();
  void TakeEvents() const;

  std::filesystem::path folder_;
  UniqueFd inotify_;
};

/// The content of every regular file below `folder`, as a digest, by relative path: what a save
/// changed is what differs.
using FileDigests = std::map<std::string, std::string>;
[[nodiscard]] FileDigests DigestFiles(const std::filesystem::path& folder);

/// The files that are new, gone or different.
[[nodiscard]] std::vector<std::string> ChangedFiles(const FileDigests& before,
                                                    const FileDigests& after);

}  // namespace assay

#endif  // ASSAY_CLI_WATCH_FOLDER_H_
