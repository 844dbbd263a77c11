// SPDX-License-Identifier: Apache-2.0
// Theory of operation
//
// Start prepares everything that needs memory (argument arrays, descriptors of /dev/null) and
// forks with all signals blocked. Between fork and exec the child makes system calls only: our
// process may have threads, and one of them may have held the allocator's lock at the fork.
//
// The child reports a failed step through a close-on-exec pipe as (step, errno); an end of file
// there means that exec succeeded. Descriptors are first duplicated above every number the child
// may ask for, then everything is marked close-on-exec, then the duplicates are put in place: so
// mappings may overlap in any way and nothing else survives exec.
#include "process/subprocess.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <utility>

#include "process/retry.h"

namespace assay {
namespace {

constexpr int kFirstScratchFd = 100;

/// Everything the child needs, ready before the fork.
struct ChildPlan {
  std::vector<char*> argv;
  std::vector<char*> environment;
  const char* working_directory = nullptr;
  std::vector<DescriptorMapping> descriptors;
  std::vector<int> scratch;  // One for each mapping.
  std::vector<int> cgroup_entries;
  std::optional<cpu_set_t> cpus;
  pid_t parent = 0;
  ProcessGroup group = ProcessGroup::kOwn;
  int error_fd = -1;
};

/// What the child tells when a step fails.
struct ChildFailure {
  int step = 0;
  int error_number = 0;
};

constexpr std::array kSteps = {
    "setpgid", "prctl(PR_SET_PDEATHSIG)", "join cgroup",       "sched_setaffinity",
    "chdir",   "duplicate descriptors",   "close descriptors", "execute"};
enum Step { kGroup, kDeathSignal, kCgroup, kAffinity, kChdir, kDuplicate, kClose, kExecute };

[[noreturn]] void FailInChild(const ChildPlan& plan, Step step) {
  const ChildFailure failure{.step = step, .error_number = errno};
  (void)!::write(plan.error_fd, &failure, sizeof failure);
  ::_exit(127);
}

void ResetSignals() {
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) {
    ::sigaction(signal, &action, nullptr);  // SIGKILL and SIGSTOP refuse, which is right.
  }
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

void PlaceDescriptors(ChildPlan& plan) {
  plan.error_fd = ::fcntl(plan.error_fd, F_DUPFD_CLOEXEC, kFirstScratchFd);
  for (std::size_t i = 0; i < plan.descriptors.size(); ++i) {
    plan.scratch[i] = ::fcntl(plan.descriptors[i].ours, F_DUPFD_CLOEXEC, kFirstScratchFd);
    if (plan.scratch[i] < 0) {
      FailInChild(plan, kDuplicate);
    }
  }
  if (::syscall(SYS_close_range, 0U, UINT_MAX, CLOSE_RANGE_CLOEXEC) != 0) {
    FailInChild(plan, kClose);
  }
  for (std::size_t i = 0; i < plan.descriptors.size(); ++i) {
    if (::dup2(plan.scratch[i], plan.descriptors[i].child) < 0) {
      FailInChild(plan, kDuplicate);
    }
  }
}

[[noreturn]] void RunChild(ChildPlan& plan) {
  if (plan.group == ProcessGroup::kOwn && ::setpgid(0, 0) != 0) {
    FailInChild(plan, kGroup);
  }
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) {
    FailInChild(plan, kDeathSignal);
  }
  if (::getppid() != plan.parent) {
    ::_exit(127);  // The parent died before the line above.
  }
  ResetSignals();
  for (const int entry : plan.cgroup_entries) {
    if (::write(entry, "0", 1) != 1) {
      FailInChild(plan, kCgroup);
    }
  }
  if (plan.cpus && ::sched_setaffinity(0, sizeof *plan.cpus, &*plan.cpus) != 0) {
    FailInChild(plan, kAffinity);
  }
  if (plan.working_directory != nullptr && ::chdir(plan.working_directory) != 0) {
    FailInChild(plan, kChdir);
  }
  PlaceDescriptors(plan);
  ::execve(plan.argv[0], plan.argv.data(), plan.environment.data());
  FailInChild(plan, kExecute);
}

std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (const std::string& string : strings) {
    pointers.push_back(const_cast<char*>(string.c_str()));  // execve does not write to them.
  }
  pointers.push_back(nullptr);
  return pointers;
}

Result<ChildPlan> MakePlan(const SubprocessOptions& options, int null_fd, int error_fd) {
  ChildPlan plan;
  plan.argv = Pointers(options.argv);
  if (options.environment) {
    plan.environment = Pointers(*options.environment);
  } else {
    for (char** entry = environ; *entry != nullptr; ++entry) {
      plan.environment.push_back(*entry);
    }
    plan.environment.push_back(nullptr);
  }
  if (!options.working_directory.empty()) {
    plan.working_directory = options.working_directory.c_str();
  }
  plan.descriptors = options.descriptors;
  for (int standard = 0; standard <= 2; ++standard) {
    if (std::ranges::none_of(options.descriptors, [&](const DescriptorMapping& mapping) {
          return mapping.child == standard;
        })) {
      plan.descriptors.push_back({.ours = null_fd, .child = standard});
    }
  }
  for (const DescriptorMapping& mapping : plan.descriptors) {
    if (mapping.child < 0 || mapping.child >= kFirstScratchFd) {
      return std::unexpected(Error{.kind = ErrorKind::kJudge,
                                   .where = {},
                                   .cause = "descriptor number out of range for a child",
                                   .remedy = "use 0 to 99"});
    }
  }
  plan.scratch.resize(plan.descriptors.size());
  plan.cgroup_entries = options.cgroup_entries;
  if (!options.processors.empty()) {
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    for (const int processor : options.processors) {
      CPU_SET(static_cast<std::size_t>(processor), &cpus);
    }
    plan.cpus = cpus;
  }
  plan.parent = ::getpid();
  plan.group = options.group;
  plan.error_fd = error_fd;
  return plan;
}

/// fork() with signals blocked, so that no handler of ours runs in the child.
pid_t ForkChild(ChildPlan& plan) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = ::fork();
  if (pid == 0) {
    RunChild(plan);
  }
  const int error_number = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error_number;
  return pid;
}

std::chrono::nanoseconds ToDuration(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

}  // namespace

Subprocess::Subprocess(pid_t pid, UniqueFd pidfd, ProcessGroup group)
    : pid_(pid), group_(group), pidfd_(std::move(pidfd)) {}

Subprocess::Subprocess(Subprocess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      group_(other.group_),
      pidfd_(std::move(other.pidfd_)),
      exit_(std::exchange(other.exit_, std::nullopt)) {}

Subprocess& Subprocess::operator=(Subprocess&& other) noexcept {
  if (this != &other) {
    KillAndReap();
    pid_ = std::exchange(other.pid_, -1);
    group_ = other.group_;
    pidfd_ = std::move(other.pidfd_);
    exit_ = std::exchange(other.exit_, std::nullopt);
  }
  return *this;
}

Subprocess::~Subprocess() { KillAndReap(); }

Result<Subprocess> Subprocess::Start(const SubprocessOptions& options) {
  if (options.argv.empty()) {
    return std::unexpected(Error{.kind = ErrorKind::kJudge,
                                 .where = {},
                                 .cause = "asked to run a program without a name",
                                 .remedy = "give argv[0]"});
  }
  const UniqueFd null_fd(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null_fd) {
    return std::unexpected(SystemError("open /dev/null", errno));
  }
  std::array<int, 2> ends = {-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return std::unexpected(SystemError("make a pipe for " + options.argv[0], errno));
  }
  const UniqueFd error_read(ends[0]);
  UniqueFd error_write(ends[1]);
  ASSAY_ASSIGN_OR_RETURN(ChildPlan plan, MakePlan(options, null_fd.get(), error_write.get()));
  const pid_t pid = ForkChild(plan);
  if (pid < 0) {
    return std::unexpected(SystemError("fork to run " + options.argv[0], errno));
  }
  // The child is ours and not reaped, so its number cannot have been given to another process.
  UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  const int pidfd_error = errno;
  Subprocess child(pid, std::move(pidfd), options.group);
  if (!child.pidfd_) {
    return std::unexpected(SystemError("pidfd_open of " + options.argv[0], pidfd_error));
  }
  error_write.Reset();
  ChildFailure failure;
  const ssize_t got =
      RetryOnEintr([&] { return ::read(error_read.get(), &failure, sizeof failure); });
  if (got == static_cast<ssize_t>(sizeof failure)) {
    return std::unexpected(
        SystemError(options.argv[0] + ": " + kSteps.at(static_cast<std::size_t>(failure.step)),
                    failure.error_number));
  }
  return child;
}

std::optional<ProcessExit> Subprocess::TryWait() {
  if (exit_ || pid_ < 0) {
    return exit_;
  }
  int status = 0;
  rusage usage = {};
  if (RetryOnEintr([&] { return ::wait4(pid_, &status, WNOHANG, &usage); }) != pid_) {
    return std::nullopt;
  }
  exit_ = ProcessExit{
      .kind = WIFSIGNALED(status) ? ProcessExit::Kind::kSignaled : ProcessExit::Kind::kExited,
      .code_or_signal = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
      .cpu_time = ToDuration(usage.ru_utime) + ToDuration(usage.ru_stime),
      .peak_bytes = std::int64_t{usage.ru_maxrss} * 1024};
  return exit_;
}

std::optional<ProcessExit> Subprocess::WaitUntil(std::chrono::steady_clock::time_point deadline) {
  if (!exit_ && pid_ >= 0 && !WaitReadable(pidfd_.get(), deadline)) {
    return std::nullopt;
  }
  return TryWait();
}

void Subprocess::Kill() const {
  if (pid_ > 0 && !exit_) {
    if (group_ == ProcessGroup::kOwn) {
      ::kill(-pid_, SIGKILL);
    }
    ::kill(pid_, SIGKILL);  // It may have left its group.
  }
}

void Subprocess::KillAndReap() {
  if (pid_ > 0 && !exit_) {
    Kill();
    int status = 0;
    RetryOnEintr([&] { return ::waitpid(pid_, &status, 0); });
  }
  pid_ = -1;
}

bool WaitReadable(int fd, std::chrono::steady_clock::time_point deadline) {
  for (;;) {
    const auto left = deadline - std::chrono::steady_clock::now();
    const auto left_ns = std::max(left, std::chrono::steady_clock::duration::zero());
    // An endless deadline must not overflow timespec: wake up once a day.
    const auto nap = std::min<std::chrono::nanoseconds>(left_ns, std::chrono::hours(24));
    const timespec timeout = {.tv_sec = nap.count() / 1'000'000'000,
                              .tv_nsec = nap.count() % 1'000'000'000};
    pollfd event = {.fd = fd, .events = POLLIN, .revents = 0};
    const int ready = ::ppoll(&event, 1, &timeout, nullptr);
    if (ready > 0) {
      return true;
    }
    if (ready == 0 && nap == left_ns) {
      return false;
    }
    if (ready < 0 && errno != EINTR) {
      return false;
    }
  }
}

}  // namespace assay
