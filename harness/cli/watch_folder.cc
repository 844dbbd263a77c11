// SPDX-License-Identifier: Apache-2.0
#include "cli/watch_folder.h"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <set>
#include <system_error>
#include <utility>

#include "base/digest.h"
#include "base/file.h"
#include "process/interrupt.h"
#include "process/retry.h"
#include "process/subprocess.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kSaves =
    IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE;

/// An editor's writes for one save follow each other faster.
constexpr auto kQuiet = std::chrono::milliseconds(50);

Error CannotWatch(const fs::path& folder, int error_number) {
  const bool no_watches = error_number == ENOSPC || error_number == EMFILE;
  return {.kind = ErrorKind::kConfiguration,
          .where = folder.string(),
          .cause = "cannot be watched: " + std::generic_category().message(error_number),
          .remedy = no_watches ? "this user has no inotify watches left: end other watchers, or "
                                 "raise fs.inotify.max_user_watches and max_user_instances"
                               : "is it still there? Run it without --watch otherwise"};
}

}  // namespace

FolderWatch::FolderWatch(fs::path folder, UniqueFd inotify)
    : folder_(std::move(folder)), inotify_(std::move(inotify)) {}

Result<FolderWatch> FolderWatch::Start(const fs::path& folder) {
  UniqueFd inotify(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!inotify) {
    return std::unexpected(CannotWatch(folder, errno));
  }
  FolderWatch watch(folder, std::move(inotify));
  ASSAY_RETURN_IF_ERROR(watch.WatchAllFolders());
  return watch;
}

// A folder that has a watch already keeps that one.
Status FolderWatch::WatchAllFolders() {
  if (::inotify_add_watch(inotify_.get(), folder_.c_str(), kSaves | IN_ONLYDIR) < 0) {
    return std::unexpected(CannotWatch(folder_, errno));
  }
  std::error_code failure;
  for (fs::recursive_directory_iterator it(folder_, failure), end; !failure && it != end;
       it.increment(failure)) {
    std::error_code gone;
    if (it->is_directory(gone) && !it->is_symlink(gone) &&
        ::inotify_add_watch(inotify_.get(), it->path().c_str(), kSaves | IN_ONLYDIR) < 0 &&
        errno != ENOENT) {
      return std::unexpected(CannotWatch(it->path(), errno));
    }
  }
  return {};
}

void FolderWatch::TakeEvents() const {
  std::array<char, 16384> events{};
  while (RetryOnEintr([&] { return ::read(inotify_.get(), events.data(), events.size()); }) > 0) {
  }
}

Status FolderWatch::Wait() {
  std::array<pollfd, 2> waits = {pollfd{.fd = inotify_.get(), .events = POLLIN, .revents = 0},
                                 pollfd{.fd = InterruptEventFd(), .events = POLLIN, .revents = 0}};
  RetryOnEintr([&] { return ::poll(waits.data(), waits.size(), -1); });
  while (InterruptSignal() == 0 &&
         WaitReadable(inotify_.get(), std::chrono::steady_clock::now() + kQuiet)) {
    TakeEvents();
  }
  return WatchAllFolders();
}

FileDigests DigestFiles(const fs::path& folder) {
  FileDigests digests;
  for (const fs::path& file : ListFiles(folder).value_or(std::vector<fs::path>())) {
    // What cannot be read is there all the same.
    digests[file.string()] = Sha256(ReadFile(folder / file).value_or(""));
  }
  return digests;
}

std::vector<std::string> ChangedFiles(const FileDigests& before, const FileDigests& after) {
  std::set<std::string> changed;
  const auto add_what_differs = [&](const FileDigests& these, const FileDigests& those) {
    for (const auto& [file, digest] : these) {
      const auto other = those.find(file);
      if (other == those.end() || other->second != digest) {
        changed.insert(file);
      }
    }
  };
  add_what_differs(before, after);
  add_what_differs(after, before);
  return {changed.begin(), changed.end()};
}

}  // namespace assay
