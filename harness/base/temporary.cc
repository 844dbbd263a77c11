// SPDX-License-Identifier: Apache-2.0
#include "base/temporary.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace assay {
namespace {

namespace fs = std::filesystem;

// The lock is on the folder itself, so that no lock file can be left behind. Never through a link:
// what it leads to is not ours.
UniqueFd LockDirectory(const fs::path& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (fd && ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    fd.Reset();
  }
  return fd;
}

// A build may leave folders without write permission; give it back before removing.
void RemoveTree(const fs::path& path) {
  std::error_code ignored;
  fs::remove_all(path, ignored);
  if (!ignored) {
    return;
  }
  std::error_code failure;
  for (fs::recursive_directory_iterator it(path, failure), end; !failure && it != end;
       it.increment(failure)) {
    if (it->is_directory(ignored) && !it->is_symlink(ignored)) {
      fs::permissions(it->path(), fs::perms::owner_all, fs::perm_options::add, ignored);
    }
  }
  fs::remove_all(path, ignored);
}

}  // namespace

TemporaryDirectory::TemporaryDirectory(fs::path path, UniqueFd lock)
    : path_(std::move(path)), lock_(std::move(lock)) {}

TemporaryDirectory::TemporaryDirectory(TemporaryDirectory&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}

TemporaryDirectory& TemporaryDirectory::operator=(TemporaryDirectory&& other) noexcept {
  if (this != &other) {
    Remove();
    path_ = std::exchange(other.path_, {});
    lock_ = std::move(other.lock_);
  }
  return *this;
}

TemporaryDirectory::~TemporaryDirectory() { Remove(); }

void TemporaryDirectory::Remove() {
  if (!path_.empty()) {
    RemoveTree(path_);
    path_.clear();
  }
}

Result<TemporaryDirectory> TemporaryDirectory::Create(const fs::path& root,
                                                      const std::string& purpose) {
  std::error_code failure;
  fs::create_directories(root, failure);
  std::string name = (root / (purpose + "-XXXXXX")).string();
  // A sweep may lock and remove the folder between its creation and our lock; then try again.
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::string candidate = name;
    if (::mkdtemp(candidate.data()) == nullptr) {
      Error error = SystemError("cannot create a folder in " + root.string(), errno);
      error.kind = ErrorKind::kConfiguration;
      error.remedy = "make it writable, or free disk space";
      return std::unexpected(std::move(error));
    }
    UniqueFd lock = LockDirectory(candidate);
    if (lock && fs::exists(candidate, failure)) {
      return TemporaryDirectory(candidate, std::move(lock));
    }
  }
  return std::unexpected(SystemError("cannot lock a folder in " + root.string(), EAGAIN));
}

void TemporaryDirectory::SweepStale(const fs::path& root) {
  std::error_code failure;
  if (!fs::is_directory(fs::symlink_status(root, failure))) {
    return;
  }
  std::vector<fs::path> folders;
  for (fs::directory_iterator it(root, failure), end; !failure && it != end;
       it.increment(failure)) {
    folders.push_back(it->path());
  }
  for (const fs::path& folder : folders) {
    if (const UniqueFd lock = LockDirectory(folder)) {
      RemoveTree(folder);
    }
  }
}

}  // namespace assay
