// SPDX-License-Identifier: Apache-2.0
#include "exec/repository_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <vector>

#include "base/temporary.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

Error LockError(const fs::path& path, std::string cause, std::string remedy) {
  return {.kind = ErrorKind::kConfiguration,
          .where = path.string(),
          .cause = std::move(cause),
          .remedy = std::move(remedy)};
}

// The process that holds the lock wrote its id there.
std::string ReadOwner(int fd) {
  std::array<char, 32> buffer = {};
  const ssize_t count = ::pread(fd, buffer.data(), buffer.size() - 1, 0);
  return count > 0 ? std::string(buffer.data(), static_cast<std::size_t>(count)) : "unknown";
}

// mkostemp's names in base/file.cc: `<target>.tmp.XXXXXX`.
bool IsAbandonedWrite(const fs::path& path) {
  const std::string name = path.filename().string();
  const std::size_t mark = name.rfind(".tmp.");
  return mark != std::string::npos && name.size() == mark + 11;
}

void SweepAbandonedWrites(const fs::path& reports) {
  std::vector<fs::path> abandoned;
  std::error_code failure;
  for (fs::recursive_directory_iterator it(reports, failure), end; !failure && it != end;
       it.increment(failure)) {
    if (IsAbandonedWrite(it->path())) {
      abandoned.push_back(it->path());
    }
  }
  for (const fs::path& path : abandoned) {
    fs::remove(path, failure);
  }
}

}  // namespace

fs::path StateDirectory(const fs::path& root) { return root / ".assay"; }
fs::path TemporaryRoot(const fs::path& root) { return StateDirectory(root) / "tmp"; }

Result<RepositoryLock> RepositoryLock::Acquire(const fs::path& root) {
  std::error_code failure;
  fs::create_directories(StateDirectory(root), failure);
  const fs::path path = StateDirectory(root) / "lock";
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!fd) {
    return std::unexpected(LockError(path, fmt::format("cannot be opened: {}", strerror(errno)),
                                     "make the repository writable, or free disk space"));
  }
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      return std::unexpected(
          LockError(path, fmt::format("process {} works in this repository", ReadOwner(fd.get())),
                    "wait until it ends, then run again"));
    }
    return std::unexpected(
        LockError(path, fmt::format("cannot be locked: {}", strerror(errno)), ""));
  }
  const std::string owner = std::to_string(::getpid());
  // Only messages read it: on a full disk the lock still holds.
  if (::ftruncate(fd.get(), 0) == 0) {
    [[maybe_unused]] const ssize_t written = ::pwrite(fd.get(), owner.data(), owner.size(), 0);
  }
  TemporaryDirectory::SweepStale(TemporaryRoot(root));
  SweepAbandonedWrites(root / "reports");
  return RepositoryLock(std::move(fd));
}

}  // namespace assay
