// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SANDBOX_SANDBOXED_PROCESS_H_
#define ASSAY_SANDBOX_SANDBOXED_PROCESS_H_

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "sandbox/level.h"
#include "sandbox/request.h"

namespace assay {

/// How a sandboxed program ended. Decided from wait status, control group events and our own
/// watches; never from anything the program can write.
struct ExitStatus {
  enum class Kind {
    kExited,       ///< `code_or_signal` is the exit code.
    kSignaled,     ///< … the signal. SIGSYS: a forbidden system call.
    kTimeLimit,    ///< Killed by us at its deadline.
    kMemoryLimit,  ///< The control group's OOM killer, or our watch, took it.
    kOutputLimit,  ///< A host wrote more than it may (SIGXFSZ).
    kInterrupted,  ///< Killed because this process was asked to stop (process/interrupt.h).
    kKilled,       ///< Killed by Kill().
  };
  Kind kind = Kind::kExited;
  int code_or_signal = 0;
  std::chrono::nanoseconds cpu_time{0};  ///< All threads and children.
  std::int64_t peak_bytes = 0;  ///< Of the control group where there is one, else of one process.
  bool operator==(const ExitStatus&) const = default;
};

/// `exit code 3`, `killed by SIGSEGV (Segmentation fault)`, `time limit`, …
[[nodiscard]] std::string ToString(const ExitStatus& status);

/// A program running in the sandbox. Move-only; the destructor kills everything inside, waits until
/// it is gone, and removes its control group.
///
/// Thread rule: if our process dies, everything inside dies with it, because each process on the
/// way asked the kernel for SIGKILL at its parent's death. The kernel counts the end of the
/// *thread* that called Spawn as that death: call Spawn from a thread that outlives the program.
/// Members are not for concurrent use, except CpuTime and AnonymousBytes.
class SandboxedProcess {
 public:
  SandboxedProcess(SandboxedProcess&&) noexcept;
  SandboxedProcess& operator=(SandboxedProcess&&) noexcept;
  ~SandboxedProcess();

  /// Readable (poll) once the program and everything it started is gone.
  [[nodiscard]] int exit_event_fd() const;

  /// How it ended, once it has. Also enforces `limits.wall` and the memory watch: a program over
  /// either is killed here.
  [[nodiscard]] std::optional<ExitStatus> TryWait();
  /// Waits for its end, and kills it at `deadline` or at `limits.wall`, whichever comes first.
  [[nodiscard]] ExitStatus WaitUntil(std::chrono::steady_clock::time_point deadline);
  /// Kills everything inside and waits until it is gone.
  void Kill();

  /// Stops the program's threads where they are, until Resume: SIGSTOP, which nothing can refuse. A
  /// thread on another processor runs on for some microseconds. Nothing for a program that ended.
  void Pause();
  void Resume();

  /// CPU time used so far by all threads and children. Exact to the nanosecond for one process;
  /// where there are children, from the control group (behind by up to a scheduler tick) or,
  /// without one, of the first process and the children it waited for.
  [[nodiscard]] std::chrono::nanoseconds CpuTime() const;
  /// Anonymous memory resident now, of the whole tree; shared memory, such as the wire's, is not in
  /// it. 0 once it ended.
  [[nodiscard]] std::int64_t AnonymousBytes() const;
  /// Whether the tree holds more than `limits.memory_bytes`: for a caller that waits on something
  /// else than WaitUntil. Does not kill.
  [[nodiscard]] bool OverMemoryLimit() const;
  /// Whether a control group enforces the memory limit; without one call OverMemoryLimit often.
  [[nodiscard]] bool HasMemoryGroup() const;

  /// Standard output and errors so far, as written, at most `limits.output_bytes`. Hostile text.
  [[nodiscard]] std::string Output() const;
  /// Process number of the program as seen from outside.
  [[nodiscard]] pid_t pid() const;

 private:
  struct State;
  explicit SandboxedProcess(std::unique_ptr<State> state);
  friend Result<SandboxedProcess> Spawn(SandboxLevel level, const SandboxRequest& request);

  std::unique_ptr<State> state_;
};

/// Starts `request.argv` at exactly `level` and returns once it runs. A level that this machine
/// cannot reach is an error of kind kSandbox with its cause and remedy: it never gets a lesser one.
/// A program that is not there is an error of kind kJudge.
[[nodiscard]] Result<SandboxedProcess> Spawn(SandboxLevel level, const SandboxRequest& request);

}  // namespace assay

#endif  // ASSAY_SANDBOX_SANDBOXED_PROCESS_H_
