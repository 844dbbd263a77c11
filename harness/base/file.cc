// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "base/unique_fd.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

Error FileError(const fs::path& path, std::string cause, std::string remedy) {
  return Error{.kind = ErrorKind::kConfiguration,
               .where = path.string(),
               .cause = std::move(cause),
               .remedy = std::move(remedy)};
}

std::string RemedyForWrite(int error_number) {
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
      return "free disk space and run again; the file is as it was before";
    case EROFS:
    case EACCES:
    case EPERM:
      return "make the folder writable and run again";
    default:
      return "see the cause; the file is as it was before";
  }
}

// The temporary of one atomic write: removed unless renamed into place.
class TemporaryFile {
 public:
  explicit TemporaryFile(const fs::path& target) : name_(target.string() + ".tmp.XXXXXX") {
    fd_.Reset(::mkostemp(name_.data(), O_CLOEXEC));
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (fd_) {
      ::unlink(name_.c_str());
    }
  }

  [[nodiscard]] bool ok() const { return static_cast<bool>(fd_); }

  // Returns 0 or the errno of the step that failed.
  int Fill(std::string_view content) {
    while (!content.empty()) {
      const ssize_t written = ::write(fd_.get(), content.data(), content.size());
      if (written < 0) {
        if (errno == EINTR) {
          continue;
        }
        return errno;
      }
      content.remove_prefix(static_cast<std::size_t>(written));
    }
    if (::fchmod(fd_.get(), 0644) != 0 || ::fsync(fd_.get()) != 0) {
      return errno;
    }
    return 0;
  }

  int RenameTo(const fs::path& target) {
    if (::rename(name_.c_str(), target.c_str()) != 0) {
      return errno;
    }
    fd_.Reset();
    return 0;
  }

 private:
  std::string name_;
  UniqueFd fd_;
};

// A rename is durable only once its folder is.
void SyncDirectory(const fs::path& directory) {
  const UniqueFd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd) {
    ::fsync(fd.get());
  }
}

}  // namespace

Result<bool> IsThere(const fs::path& path) {
  std::error_code failure;
  const fs::file_type type = fs::symlink_status(path, failure).type();
  if (type == fs::file_type::none) {
    return std::unexpected(FileError(path, "cannot be looked at: " + failure.message(),
                                     "make the folder that it lies in readable"));
  }
  return type != fs::file_type::not_found;
}

Result<std::string> ReadFile(const fs::path& path, std::size_t limit_bytes) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) {
    return std::unexpected(FileError(path, fmt::format("cannot be read: {}", std::strerror(errno)),
                                     "create it or correct its path"));
  }
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return std::unexpected(
        FileError(path, "is not a regular file", "replace it with a regular file"));
  }
  std::string content;
  char buffer[1 << 16];
  while (true) {
    const ssize_t count = ::read(fd.get(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      return std::unexpected(
          FileError(path, fmt::format("cannot be read: {}", std::strerror(errno)), ""));
    }
    if (count == 0) {
      return content;
    }
    content.append(buffer, static_cast<std::size_t>(count));
    if (content.size() > limit_bytes) {
      return std::unexpected(FileError(path, fmt::format("is larger than {} bytes", limit_bytes),
                                       "make it smaller or remove it"));
    }
  }
}

Status WriteFileAtomically(const fs::path& path, std::string_view content) {
  std::error_code failure;
  const fs::path directory = path.has_parent_path() ? path.parent_path() : fs::path(".");
  fs::create_directories(directory, failure);
  if (failure) {
    return std::unexpected(FileError(directory,
                                     fmt::format("cannot be created: {}", failure.message()),
                                     RemedyForWrite(failure.value())));
  }
  TemporaryFile temporary(path);
  int error_number = temporary.ok() ? 0 : errno;
  if (error_number == 0) {
    error_number = temporary.Fill(content);
  }
  if (error_number == 0) {
    error_number = temporary.RenameTo(path);
  }
  if (error_number != 0) {
    return std::unexpected(
        FileError(path, fmt::format("cannot be written: {}", std::strerror(error_number)),
                  RemedyForWrite(error_number)));
  }
  SyncDirectory(directory);
  return {};
}

Result<std::vector<fs::path>> ListFiles(const fs::path& directory, std::size_t limit) {
  std::vector<fs::path> files;
  std::error_code failure;
  fs::recursive_directory_iterator it(directory, failure);
  for (; !failure && it != fs::recursive_directory_iterator(); it.increment(failure)) {
    if (!fs::is_regular_file(it->symlink_status(failure)) || failure) {
      continue;
    }
    if (files.size() == limit) {
      return std::unexpected(FileError(directory, fmt::format("holds more than {} files", limit),
                                       "remove what is not part of it"));
    }
    files.push_back(it->path().lexically_relative(directory));
  }
  if (failure) {
    return std::unexpected(FileError(directory,
                                     fmt::format("cannot be listed: {}", failure.message()),
                                     "create it or correct its path"));
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace assay
