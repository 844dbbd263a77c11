// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_BASE_TEMPORARY_H_
#define ASSAY_BASE_TEMPORARY_H_

#include <filesystem>

#include "base/error.h"
#include "base/unique_fd.h"

namespace assay {

/// A private folder (mode 0700) that is removed, with all it holds, by the destructor.
///
/// A process killed with SIGKILL runs no destructor, so each folder holds a lock on itself for as
/// long as its owner lives, and SweepStale removes the folders whose owner is gone.
class TemporaryDirectory {
 public:
  /// Makes `<root>/<purpose>-XXXXXX`, creating `root` if needed.
  [[nodiscard]] static Result<TemporaryDirectory> Create(const std::filesystem::path& root,
                                                         const std::string& purpose);

  /// Removes every folder below `root` whose owner died. Safe beside running owners.
  static void SweepStale(const std::filesystem::path& root);

  TemporaryDirectory(TemporaryDirectory&& other) noexcept;
  TemporaryDirectory& operator=(TemporaryDirectory&& other) noexcept;
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  TemporaryDirectory(std::filesystem::path path, UniqueFd lock);
  void Remove();

  std::filesystem::path path_;
  UniqueFd lock_;
};

}  // namespace assay

#endif  // ASSAY_BASE_TEMPORARY_H_
