// SPDX-License-Identifier: Apache-2.0
#include "sandbox/sandboxed_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fstream>
#include <utility>

#include "process/interrupt.h"
#include "sandbox/process_state.h"

namespace assay {
namespace {

using Clock = std::chrono::steady_clock;

/// How often memory is looked at where no control group watches it: a process that allocates at 5
/// GB/s gets 50 MB past its limit.
constexpr std::chrono::milliseconds kMemoryWatch(10);

std::optional<std::chrono::nanoseconds> ProcessClock(pid_t pid) {
  clockid_t clock = 0;
  timespec time = {};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &time) != 0) {
    return std::nullopt;
  }
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

/// A field in kB of /proc/<pid>/status, in bytes; 0 when the process is gone.
std::int64_t StatusBytes(pid_t pid, std::string_view field) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  std::string word;
  while (file >> word) {
    if (word == field) {
      std::int64_t kilobytes = 0;
      file >> kilobytes;
      return kilobytes * 1024;
    }
  }
  return 0;
}

std::vector<pid_t> ChildrenOf(pid_t pid) {
  const std::string number = std::to_string(pid);
  std::ifstream file("/proc/" + number + "/task/" + number + "/children");
  std::vector<pid_t> children;
  pid_t child = 0;
  while (file >> child) {
    children.push_back(child);
  }
  return children;
}

/// Anonymous memory of `pid` and its descendants. Depth is bounded: a tree that changes while it is
/// read must not keep us here.
std::int64_t TreeAnonymousBytes(pid_t pid, int depth) {
  std::int64_t bytes = StatusBytes(pid, "RssAnon:");
  if (depth > 0) {
    for (const pid_t child : ChildrenOf(pid)) {
      bytes += TreeAnonymousBytes(child, depth - 1);
    }
  }
  return bytes;
}

}  // namespace

std::string ToString(const ExitStatus& status) {
  using Kind = ExitStatus::Kind;
  switch (status.kind) {
    case Kind::kExited:
      return fmt::format("exit code {}", status.code_or_signal);
    case Kind::kSignaled: {
      const char* name = ::sigabbrev_np(status.code_or_signal);
      const char* description = ::sigdescr_np(status.code_or_signal);
      return name == nullptr ? fmt::format("killed by signal {}", status.code_or_signal)
                             : fmt::format("killed by SIG{} ({})", name, description);
    }
    case Kind::kTimeLimit:
      return "time limit";
    case Kind::kMemoryLimit:
      return "memory limit";
    case Kind::kOutputLimit:
      return "output limit";
    case Kind::kInterrupted:
      return "interrupted";
    case Kind::kKilled:
      return "killed by the harness";
  }
  return "unknown";
}

SandboxedProcess::SandboxedProcess(std::unique_ptr<State> state) : state_(std::move(state)) {}
SandboxedProcess::SandboxedProcess(SandboxedProcess&&) noexcept = default;

SandboxedProcess& SandboxedProcess::operator=(SandboxedProcess&& other) noexcept {
  if (this != &other) {
    Kill();
    state_ = std::move(other.state_);
  }
  return *this;
}

SandboxedProcess::~SandboxedProcess() { Kill(); }

int SandboxedProcess::exit_event_fd() const { return state_->root.exit_event_fd(); }
pid_t SandboxedProcess::pid() const { return state_->program; }
std::string SandboxedProcess::Output() const { return state_->capture.Read(); }
bool SandboxedProcess::HasMemoryGroup() const {
  return state_->cgroup && state_->cgroup->AnonymousBytes().has_value();
}

void SandboxedProcess::State::KillFor(ExitStatus::Kind reason) {
  if (exit) {
    return;
  }
  if (!reason_killed) {
    reason_killed = reason;
  }
  // At level full process 1 of the namespace takes everything with it. Otherwise the launcher is
  // asked to kill all descendants, which only it can find without a control group.
  if (level == SandboxLevel::kFull) {
    ::syscall(SYS_pidfd_send_signal, init_pidfd.get(), SIGKILL, nullptr, 0);
  } else {
    ::syscall(SYS_pidfd_send_signal, init_pidfd.get(), SIGTERM, nullptr, 0);
  }
  if (!WaitReadable(root.exit_event_fd(), Clock::now() + std::chrono::seconds(5))) {
    if (cgroup) {
      cgroup->Kill();
    }
    ::kill(-program, SIGKILL);
    root.Kill();
    (void)WaitReadable(root.exit_event_fd(), Clock::time_point::max());
  }
}

ExitStatus SandboxedProcess::State::Conclude(const ProcessExit& root_exit) {
  // The launcher's last word, if it came to it.
  std::optional<LaunchMessage> ended;
  while (const auto received = ReceiveMessage(status.get(), MSG_DONTWAIT)) {
    if (received->message.kind == LaunchMessage::kEnded && received->sender == init) {
      ended = received->message;
    }
  }
  ExitStatus result;
  result.cpu_time = ended ? std::chrono::nanoseconds(ended->cpu_time_ns) : root_exit.cpu_time;
  result.peak_bytes = ended ? ended->peak_bytes : root_exit.peak_bytes;
  if (cgroup) {
    result.peak_bytes = cgroup->PeakBytes().value_or(result.peak_bytes);
    result.cpu_time = cgroup->CpuTime().value_or(result.cpu_time);
  }
  const int wait_status = ended ? ended->value : SIGKILL;
  if (WIFEXITED(wait_status)) {
    result.kind = ExitStatus::Kind::kExited;
    result.code_or_signal = WEXITSTATUS(wait_status);
  } else {
    result.kind = ExitStatus::Kind::kSignaled;
    result.code_or_signal = WTERMSIG(wait_status);
  }
  const bool sigkill =
      result.kind == ExitStatus::Kind::kSignaled && result.code_or_signal == SIGKILL;
  // Of a tool, the killer may take a child (cc1plus) and the parent (g++) only exits with an error.
  const bool tool_failed = policy == SyscallPolicy::kTool &&
                           (result.kind != ExitStatus::Kind::kExited || result.code_or_signal != 0);
  if (cgroup && (sigkill || tool_failed) && cgroup->OomKills() > 0) {
    result.kind = ExitStatus::Kind::kMemoryLimit;
  } else if (reason_killed && sigkill) {
    result.kind = *reason_killed;
  } else if (result.kind == ExitStatus::Kind::kSignaled && result.code_or_signal == SIGXFSZ &&
             policy == SyscallPolicy::kHost) {
    result.kind = ExitStatus::Kind::kOutputLimit;
  }
  return result;
}

std::optional<ExitStatus> SandboxedProcess::TryWait() {
  if (state_->exit) {
    return state_->exit;
  }
  if (const auto root_exit = state_->root.TryWait()) {
    state_->exit = state_->Conclude(*root_exit);
    state_->cgroup.reset();
    return state_->exit;
  }
  const auto kill_for = [this](ExitStatus::Kind reason) {
    state_->KillFor(reason);
    return TryWait();
  };
  if (InterruptSignal() != 0) {
    return kill_for(ExitStatus::Kind::kInterrupted);
  }
  if (Clock::now() >= state_->deadline) {
    return kill_for(ExitStatus::Kind::kTimeLimit);
  }
  if (!HasMemoryGroup() && OverMemoryLimit()) {
    return kill_for(ExitStatus::Kind::kMemoryLimit);
  }
  return std::nullopt;
}

ExitStatus SandboxedProcess::WaitUntil(Clock::time_point deadline) {
  state_->deadline = std::min(state_->deadline, deadline);
  for (;;) {
    if (const auto status = TryWait()) {
      return *status;
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(state_->deadline - Clock::now());
    const auto watch = HasMemoryGroup() ? std::chrono::milliseconds(60'000) : kMemoryWatch;
    std::array<pollfd, 2> events = {{{.fd = exit_event_fd(), .events = POLLIN, .revents = 0},
                                     {.fd = InterruptEventFd(), .events = POLLIN, .revents = 0}}};
    const auto nap = std::clamp(left, std::chrono::milliseconds(0), watch);
    (void)::poll(events.data(), events.size(), static_cast<int>(nap.count()));
  }
}

void SandboxedProcess::Kill() {
  if (state_ && !state_->exit) {
    state_->KillFor(ExitStatus::Kind::kKilled);
    (void)TryWait();
  }
}

void SandboxedProcess::Pause() {
  ::syscall(SYS_pidfd_send_signal, state_->program_pidfd.get(), SIGSTOP, nullptr, 0);
}

void SandboxedProcess::Resume() {
  ::syscall(SYS_pidfd_send_signal, state_->program_pidfd.get(), SIGCONT, nullptr, 0);
}

std::chrono::nanoseconds SandboxedProcess::CpuTime() const {
  if (state_->exit) {
    return state_->exit->cpu_time;
  }
  // A host is one process, whose clock is exact; the control group's lags by a tick.
  if (state_->policy == SyscallPolicy::kTool && state_->cgroup) {
    if (const auto time = state_->cgroup->CpuTime()) {
      return *time;
    }
  }
  return ProcessClock(state_->program).value_or(std::chrono::nanoseconds(0));
}

std::int64_t SandboxedProcess::AnonymousBytes() const {
  if (state_->exit) {
    return 0;
  }
  if (state_->policy == SyscallPolicy::kHost) {
    return StatusBytes(state_->program, "RssAnon:");
  }
  if (state_->cgroup) {
    if (const auto bytes = state_->cgroup->AnonymousBytes()) {
      return *bytes;
    }
  }
  constexpr int kDeepest = 64;
  return TreeAnonymousBytes(state_->init, kDeepest);
}

bool SandboxedProcess::OverMemoryLimit() const {
  return AnonymousBytes() > state_->memory_limit_bytes;
}

}  // namespace assay
