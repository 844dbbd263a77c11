// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EXEC_REPOSITORY_LOCK_H_
#define ASSAY_EXEC_REPOSITORY_LOCK_H_

#include <filesystem>
#include <utility>

#include "base/error.h"
#include "base/unique_fd.h"

namespace assay {

/// `<root>/.assay`: what belongs to this checkout and this machine and is never committed.
[[nodiscard]] std::filesystem::path StateDirectory(const std::filesystem::path& root);
/// Where cells are built: below StateDirectory.
[[nodiscard]] std::filesystem::path TemporaryRoot(const std::filesystem::path& root);

/// Held by whoever writes evidence or reports of a repository: one process at a time. The kernel
/// lets go of it when the process ends, however it ends.
class RepositoryLock {
 public:
  /// Takes the lock, then removes what killed runs left: temporary folders, and temporaries of
  /// atomic writes below `reports/`. When another process holds it, an error of kind
  /// kConfiguration that names that process.
  [[nodiscard]] static Result<RepositoryLock> Acquire(const std::filesystem::path& root);

 private:
  explicit RepositoryLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace assay

#endif  // ASSAY_EXEC_REPOSITORY_LOCK_H_
