// SPDX-License-Identifier: Apache-2.0
#include "client/threads.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <memory>
#include <optional>
#include <string_view>

#include "base/unique_fd.h"

namespace assay {
namespace {

// Asked after every call of a suite, where streams and paths of the library would take longer than
// most calls do: so /proc is read by the system's own functions.

struct Stat {
  char state = 0;  ///< `R`: runnable.
  int threads = 0;
};

/// Field `k` (from 0) of `fields`, which spaces divide; empty where there are not so many.
std::string_view Field(std::string_view fields, int k) {
  for (; k > 0 && !fields.empty(); --k) {
    const std::size_t space = fields.find(' ');
    fields.remove_prefix(space == std::string_view::npos ? fields.size() : space + 1);
  }
  return fields.substr(0, fields.find(' '));
}

/// Of `tid (name) R …`; the name is the host's own choice and may hold anything, parentheses too.
std::optional<Stat> ReadStat(const char* path) {
  constexpr int kThreads = 17;  // proc(5): num_threads is the 20th, the state the third.
  const UniqueFd file(open(path, O_RDONLY | O_CLOEXEC));
  std::array<char, 1024> buffer;
  const ssize_t size = file ? read(file.get(), buffer.data(), buffer.size()) : -1;
  const std::string_view text(buffer.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  const std::size_t name_end = text.rfind(") ");
  if (name_end == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view fields = text.substr(name_end + 2);
  const std::string_view threads = Field(fields, kThreads);
  Stat stat{.state = fields.empty() ? '\0' : fields.front()};
  std::from_chars(threads.data(), threads.data() + threads.size(), stat.threads);
  return stat;
}

}  // namespace

bool HasRunnableThread(pid_t pid) {
  const auto process = ReadStat(fmt::format("/proc/{}/stat", pid).c_str());
  if (!process || process->threads == 1) {
    return process && process->state == 'R';
  }
  const std::string folder = fmt::format("/proc/{}/task", pid);
  const std::unique_ptr<DIR, int (*)(DIR*)> tasks(opendir(folder.c_str()), &closedir);
  while (const dirent* const task = tasks ? readdir(tasks.get()) : nullptr) {
    const auto thread = ReadStat(fmt::format("{}/{}/stat", folder, task->d_name).c_str());
    if (thread && thread->state == 'R') {
      return true;
    }
  }
  return false;
}

}  // namespace assay
