// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_PROCESS_SUBPROCESS_H_
#define ASSAY_PROCESS_SUBPROCESS_H_

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/unique_fd.h"

namespace assay {

/// The child sees our descriptor `ours` under the number `child`.
struct DescriptorMapping {
  int ours = -1;
  int child = -1;
};

/// The process group of a child. One of its own is killed whole; in ours it may read a terminal,
/// and gets the signals of its keys, but what the child starts is out of our reach.
enum class ProcessGroup { kOwn, kOurs };

struct SubprocessOptions {
  std::vector<std::string> argv;                        ///< argv[0] is a path: nothing is searched.
  std::optional<std::vector<std::string>> environment;  ///< `NAME=value`; nothing: ours.
  std::filesystem::path working_directory;              ///< Empty: ours.
  /// All the descriptors of the child. 0, 1 and 2 are /dev/null where no mapping names them; no
  /// other descriptor of ours reaches the child, whether or not it is close-on-exec.
  std::vector<DescriptorMapping> descriptors;
  std::vector<int> processors;      ///< Pins the child to these before it starts; empty: as we are.
  std::vector<int> cgroup_entries;  ///< Open `cgroup.procs` files of groups that the child joins.
  ProcessGroup group = ProcessGroup::kOwn;
};

/// How a process ended.
struct ProcessExit {
  enum class Kind { kExited, kSignaled };
  Kind kind = Kind::kExited;
  int code_or_signal = 0;
  std::chrono::nanoseconds cpu_time{0};  ///< Of it and of the children it waited for.
  std::int64_t peak_bytes = 0;           ///< Largest resident set of any of them.
  bool operator==(const ProcessExit&) const = default;
};

/// A running child, in a process group of its own unless asked otherwise. Move-only; the destructor
/// kills the group (or the child alone, in ours) and reaps the child, so no path through the code
/// leaves one behind.
///
/// If our process dies, even of SIGKILL, the kernel kills the child (PR_SET_PDEATHSIG). The kernel
/// does so when the *thread* that called Start ends: call it from a thread that outlives the child.
class Subprocess {
 public:
  /// Starts `options.argv`. A program that cannot be executed is an error here (kind kJudge, names
  /// the program), not an exit code of the child.
  [[nodiscard]] static Result<Subprocess> Start(const SubprocessOptions& options);

  Subprocess(Subprocess&& other) noexcept;
  Subprocess& operator=(Subprocess&& other) noexcept;
  Subprocess(const Subprocess&) = delete;
  Subprocess& operator=(const Subprocess&) = delete;
  ~Subprocess();

  [[nodiscard]] pid_t pid() const { return pid_; }
  /// Readable (poll) once the child has ended.
  [[nodiscard]] int exit_event_fd() const { return pidfd_.get(); }

  /// How it ended, once it has. Later calls give the same.
  [[nodiscard]] std::optional<ProcessExit> TryWait();
  /// Waits until it ends or `deadline` passes, whichever comes first.
  [[nodiscard]] std::optional<ProcessExit> WaitUntil(
      std::chrono::steady_clock::time_point deadline);
  /// Kills its process group, where that is its own, and it. Does not wait.
  void Kill() const;

 private:
  Subprocess(pid_t pid, UniqueFd pidfd, ProcessGroup group);
  void KillAndReap();

  pid_t pid_ = -1;
  ProcessGroup group_ = ProcessGroup::kOwn;
  UniqueFd pidfd_;
  std::optional<ProcessExit> exit_;
};

/// Waits until `fd` is readable (or hung up) or `deadline` passes; says whether it is.
[[nodiscard]] bool WaitReadable(int fd, std::chrono::steady_clock::time_point deadline);

}  // namespace assay

#endif  // ASSAY_PROCESS_SUBPROCESS_H_
