// SPDX-License-Identifier: Apache-2.0
#include "exec/repository_lock.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/temporary.h"
#include "base/text.h"
#include "process/interrupt.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

Error LockError(const fs::path& path, std::string cause, std::string remedy) {
  return {.kind = ErrorKind::kConfiguration,
          .where = path.string(),
          .cause = std::move(cause),
          .remedy = std::move(remedy)};
}

constexpr std::size_t kShownCommand_bytes = 160;

// This process's command line, without the folder of its program.
std::string OwnCommand() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string command{std::istreambuf_iterator<char>(file), {}};
  if (!command.empty() && command.back() == '\0') {
    command.pop_back();
  }
  const std::size_t program_end = std::min(command.find('\0'), command.size());
  command.erase(0, command.rfind('/', program_end) + 1);  // npos + 1 is 0.
  std::ranges::replace(command, '\0', ' ');
  return command;
}

// What it is called by is shown on the terminals of others.
std::string DescribeSelf() {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return OneSeenLine(fmt::format("process {} ({}, since {:%Y-%m-%d %H:%M:%S} UTC)", ::getpid(),
                                 OwnCommand().substr(0, kShownCommand_bytes), now),
                     "");
}

// The process that holds the lock wrote there who it is.
std::string ReadHolder(int fd) {
  std::array<char, 512> buffer = {};
  const ssize_t count = ::pread(fd, buffer.data(), buffer.size(), 0);
  return count > 0 ? OneSeenLine({buffer.data(), static_cast<std::size_t>(count)}, "")
                   : "another process";
}

// flock alone could miss a signal that comes just before it; this way Ctrl-C ends it at once.
Status WaitForChange() {
  constexpr int kAskAgain_ms = 100;
  pollfd interrupt{.fd = InterruptEventFd(), .events = POLLIN, .revents = 0};
  ::poll(&interrupt, 1, kAskAgain_ms);
  return CheckInterrupt();
}

Status TakeLock(int fd, const fs::path& path, WhenHeld when_held,
                const RepositoryLock::OnWait& on_wait) {
  for (bool told = false; ::flock(fd, LOCK_EX | LOCK_NB) != 0; told = true) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      return std::unexpected(
          LockError(path, fmt::format("cannot be locked: {}", strerror(errno)), ""));
    }
    if (when_held == WhenHeld::kRefuse) {
      return std::unexpected(LockError(path, ReadHolder(fd) + " works in this repository",
                                       "wait until it ends and run again, or run with --wait"));
    }
    if (!told && on_wait) {
      on_wait(ReadHolder(fd));
    }
    ASSAY_RETURN_IF_ERROR(WaitForChange());
  }
  return {};
}

// What the file was to become: its name without what mkostemp appends in base/file.cc, and merge.cc
// to a name that it stages under.
std::string WrittenName(std::string name) {
  constexpr std::string_view kMark = ".tmp.";
  constexpr std::size_t kEnd = kMark.size() + 6;
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  while (name.size() > kEnd) {
    const std::string_view end = std::string_view(name).substr(name.size() - kEnd);
    if (!end.starts_with(kMark) || !std::ranges::all_of(end.substr(kMark.size()), is_plain)) {
      break;
    }
    name.resize(name.size() - kEnd);
  }
  return name;
}

// Whether the file at `path`, relative to `reports/`, is what a killed run left of evidence, of its
// signature and inputs, or of a review. Whatever else has such a name is somebody's.
bool IsAbandonedWrite(const fs::path& path) {
  const fs::path target = path.parent_path() / WrittenName(path.filename().string());
  if (target == path) {
    return false;
  }
  const std::string folder = target.begin()->string();
  const auto depth = std::distance(target.begin(), target.end());
  const fs::path extension = target.extension();
  return (folder == "evidence" && depth == 3 &&
          (extension == ".json" || extension == ".sig" || extension == ".txt")) ||
         (folder == "reviews" && depth == 4 && extension == ".yaml");
}

// Pages and pictures are not looked for: those who write them know which they wrote, by their mark
// (report_files.h).
void SweepAbandonedWrites(const fs::path& reports) {
  std::vector<fs::path> abandoned;
  std::error_code failure;
  for (const char* const folder : {"evidence", "reviews"}) {
    for (fs::recursive_directory_iterator it(reports / folder, failure), end; !failure && it != end;
         it.increment(failure)) {
      if (IsAbandonedWrite(it->path().lexically_relative(reports)) &&
          fs::is_regular_file(it->symlink_status(failure))) {
        abandoned.push_back(it->path());
      }
    }
  }
  for (const fs::path& path : abandoned) {
    fs::remove(path, failure);
  }
}

Status CheckNoLink(const fs::path& path) {
  std::error_code failure;
  if (!fs::is_symlink(fs::symlink_status(path, failure))) {
    return {};
  }
  return std::unexpected(LockError(path, "is a symbolic link, and what it leads to is not ours",
                                   "remove it; to keep this folder elsewhere, mount it"));
}

}  // namespace

fs::path StateDirectory(const fs::path& root) { return root / ".assay"; }
fs::path TemporaryRoot(const fs::path& root) { return StateDirectory(root) / "tmp"; }

Status CheckNoLinks(const fs::path& root) {
  std::error_code failure;
  ASSAY_RETURN_IF_ERROR(CheckNoLink(StateDirectory(root)));
  for (fs::directory_iterator it(StateDirectory(root), failure), end; !failure && it != end;
       it.increment(failure)) {
    ASSAY_RETURN_IF_ERROR(CheckNoLink(it->path()));
  }
  ASSAY_RETURN_IF_ERROR(CheckNoLink(root / "reports"));
  for (fs::recursive_directory_iterator it(root / "reports", failure), end; !failure && it != end;
       it.increment(failure)) {
    ASSAY_RETURN_IF_ERROR(CheckNoLink(it->path()));
  }
  return {};
}

Result<RepositoryLock> RepositoryLock::Acquire(const fs::path& root, WhenHeld when_held,
                                               const OnWait& on_wait) {
  ASSAY_RETURN_IF_ERROR(CheckNoLinks(root));
  std::error_code failure;
  fs::create_directories(StateDirectory(root), failure);
  const fs::path path = StateDirectory(root) / "lock";
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!fd) {
    return std::unexpected(LockError(path, fmt::format("cannot be opened: {}", strerror(errno)),
                                     "make the repository writable, or free disk space"));
  }
  ASSAY_RETURN_IF_ERROR(TakeLock(fd.get(), path, when_held, on_wait));
  const std::string self = DescribeSelf();
  // Only messages read it: on a full disk the lock still holds.
  if (::ftruncate(fd.get(), 0) == 0) {
    [[maybe_unused]] const ssize_t written = ::pwrite(fd.get(), self.data(), self.size(), 0);
  }
  TemporaryDirectory::SweepStale(TemporaryRoot(root));
  SweepAbandonedWrites(root / "reports");
  return RepositoryLock(std::move(fd));
}

}  // namespace assay
