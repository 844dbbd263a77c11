// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EXEC_REPOSITORY_LOCK_H_
#define ASSAY_EXEC_REPOSITORY_LOCK_H_

#include <filesystem>
#include <functional>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/unique_fd.h"

namespace assay {

/// `<root>/.assay`: what belongs to this checkout and this machine and is never committed.
[[nodiscard]] std::filesystem::path StateDirectory(const std::filesystem::path& root);
/// Where cells are built: below StateDirectory.
[[nodiscard]] std::filesystem::path TemporaryRoot(const std::filesystem::path& root);

/// That `.assay`, what lies in it, and everything in `reports/` is no symbolic link. A repository
/// may come from anybody: what is written, swept and removed there would be so wherever a link
/// leads to.
[[nodiscard]] Status CheckNoLinks(const std::filesystem::path& root);

/// What to do while another process holds the lock.
enum class WhenHeld { kRefuse, kWait };

/// Held by whoever writes evidence or reports of a repository: one process at a time. The kernel
/// lets go of it when the process ends, however it ends. Take it before reading what will be
/// written again. Who only reads needs none: every file is replaced whole.
class RepositoryLock {
 public:
  /// Hears once, before the first wait, who holds the lock: process, command, since when.
  using OnWait = std::function<void(const std::string& holder)>;

  /// Refuses links (CheckNoLinks), takes the lock, then removes what killed runs left: temporary
  /// folders, and temporaries of evidence and reviews that were being written below `reports/`.
  /// When another process holds it: with kRefuse an error of kind kConfiguration that names that
  /// process; with kWait, waits until it ends or this process is interrupted
  /// (process/interrupt.h), which is an error too.
  [[nodiscard]] static Result<RepositoryLock> Acquire(const std::filesystem::path& root,
                                                      WhenHeld when_held = WhenHeld::kRefuse,
                                                      const OnWait& on_wait = {});

 private:
  explicit RepositoryLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace assay

#endif  // ASSAY_EXEC_REPOSITORY_LOCK_H_
