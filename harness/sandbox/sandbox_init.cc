// SPDX-License-Identifier: Apache-2.0
// The last trusted code before a sandboxed program: a static executable that Spawn runs, at level
// full as process 1 of the sandbox's process namespace.
//
//   sandbox_init <plan descriptor> <program> <arguments>…
//
// It starts the program behind limits, Landlock and the system call filter, waits for it, takes in
// orphans, reports how the program ended (launch_plan.h) and leaves nothing running. bubblewrap's
// own process 1 would fold a signal into an exit code, which a program can forge.
//
// Uses the C library alone: no heap, no exceptions, nothing that a dynamic loader could redirect.
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "sandbox/launch_plan.h"

namespace assay {
namespace {

constexpr std::size_t kMostInstructions = 4096;
constexpr rlim_t kStackSoft_bytes = rlim_t{8} << 20;
constexpr rlim_t kStackHard_bytes = rlim_t{64} << 20;  // g++ raises its own.

struct Launch {
  LaunchPlan plan;
  sock_filter filter[kMostInstructions] = {};
  // Set by the child, which shares our memory until it executes: behind the filter it could not
  // send a message any more.
  volatile LaunchMessage::Step failed_step = LaunchMessage::kNoStep;
  volatile int failed_errno = 0;
  char* exec_path = nullptr;
  char** argv = nullptr;
  char** environment = nullptr;
};

void Send(int fd, const LaunchMessage& message) {
  while (::send(fd, &message, sizeof message, MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
}

int Report(int status_fd, LaunchMessage::Step step, int error_number) {
  LaunchMessage message;
  message.kind = LaunchMessage::kFailed;
  message.step = step;
  message.value = error_number;
  Send(status_fd, message);
  return 125;
}

/// Reads plan and filter, and makes room for the path at a random address.
bool ReadPlan(int fd, Launch& launch) {
  if (::pread(fd, &launch.plan, sizeof launch.plan, 0) != ssize_t{sizeof launch.plan}) {
    return false;
  }
  const std::size_t bytes = launch.plan.filter_length * sizeof(sock_filter);
  if (launch.plan.filter_length > kMostInstructions) {
    errno = E2BIG;
    return false;
  }
  return ::pread(fd, launch.filter, bytes, sizeof launch.plan) == static_cast<ssize_t>(bytes) &&
         ::close(fd) == 0;
}

/// The path of the program in a page of its own at an address nobody can guess: the one address
/// from which the filter lets a host call execve.
bool PlaceExecPath(Launch& launch) {
  constexpr std::size_t kBytes = PATH_MAX;
  if (std::strlen(launch.argv[0]) >= kBytes) {
    errno = ENAMETOOLONG;
    return false;
  }
  for (int attempt = 0; attempt < 64; ++attempt) {
    std::uint64_t random = 0;
    if (::getrandom(&random, sizeof random, 0) != ssize_t{sizeof random}) {
      return false;
    }
    const std::uint64_t address = random & 0x0000'3FFF'FFFF'F000;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): a place, not an object.
    void* place = ::mmap(reinterpret_cast<void*>(address), kBytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (place != MAP_FAILED) {
      launch.exec_path = static_cast<char*>(place);
      std::strcpy(launch.exec_path, launch.argv[0]);
      return true;
    }
  }
  return false;
}

bool SetLimit(__rlimit_resource_t resource, rlim_t soft, rlim_t hard) {
  const rlimit limit = {.rlim_cur = soft, .rlim_max = hard};
  return ::setrlimit(resource, &limit) == 0;
}

bool SetLimits(const LaunchPlan& plan) {
  const auto file_size = static_cast<rlim_t>(plan.file_size_bytes);
  const auto processes = static_cast<rlim_t>(plan.processes);
  const auto open_files = static_cast<rlim_t>(plan.open_files);
  return SetLimit(RLIMIT_CORE, 0, 0) && SetLimit(RLIMIT_FSIZE, file_size, file_size) &&
         SetLimit(RLIMIT_STACK, kStackSoft_bytes, kStackHard_bytes) &&
         SetLimit(RLIMIT_MEMLOCK, 0, 0) && SetLimit(RLIMIT_MSGQUEUE, 0, 0) &&
         (processes == 0 || SetLimit(RLIMIT_NPROC, processes, processes)) &&
         SetLimit(RLIMIT_NOFILE, open_files, open_files);
}

/// Root without capabilities, now and after execve: still the owner of its files, no more.
bool DropCapabilities() {
  for (unsigned long capability = 0; ::prctl(PR_CAPBSET_READ, capability) >= 0; ++capability) {
    // An ordinary user may not drop what it could not use.
    if (::prctl(PR_CAPBSET_DROP, capability) != 0 && errno != EPERM) {
      return false;
    }
  }
  __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  const __user_cap_data_struct none[2] = {};
  return ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) == 0 &&
         ::syscall(SYS_capset, &header, none) == 0;
}

/// Landlock binds a rule to a folder, and /proc/self is another one for each process: so the
/// program itself must add its own.
bool EnterLandlock(const LaunchPlan& plan) {
  if (plan.landlock_fd < 0) {
    return true;
  }
  if (plan.sees_own_proc != 0) {
    struct [[gnu::packed]] {
      std::uint64_t allowed;
      std::int32_t parent;
    } rule = {.allowed = 0b1100 /* read files and folders */,
              .parent = ::open("/proc/self", O_PATH | O_CLOEXEC)};
    constexpr int kPathBeneath = 1;
    if (rule.parent < 0 ||
        ::syscall(SYS_landlock_add_rule, plan.landlock_fd, kPathBeneath, &rule, 0U) != 0) {
      return false;
    }
    ::close(rule.parent);
  }
  return ::syscall(SYS_landlock_restrict_self, plan.landlock_fd, 0U) == 0;
}

void FillPlaceholders(Launch& launch) {
  const auto address = reinterpret_cast<std::uint64_t>(launch.exec_path);
  for (std::uint32_t i = 0; i < launch.plan.filter_length; ++i) {
    std::uint32_t& value = launch.filter[i].k;
    if (value == kOwnProcessPlaceholder) {
      value = static_cast<std::uint32_t>(::getpid());
    } else if (value == kExecAddressLowPlaceholder) {
      value = static_cast<std::uint32_t>(address);
    } else if (value == kExecAddressHighPlaceholder) {
      value = static_cast<std::uint32_t>(address >> 32);
    }
  }
}

bool EnterFilter(Launch& launch) {
  if (launch.plan.filter_length == 0) {
    return true;
  }
  FillPlaceholders(launch);
  const sock_fprog program = {.len = static_cast<unsigned short>(launch.plan.filter_length),
                              .filter = launch.filter};
  // Without SPEC_ALLOW older kernels slow a filtered process down by a store-bypass mitigation,
  // and timings would be of that.
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW,
                   &program) == 0;
}

[[noreturn]] void FailInChild(Launch& launch, LaunchMessage::Step step) {
  launch.failed_errno = errno;
  launch.failed_step = step;
  ::_exit(125);
}

/// Objects of a submission shape what it is linked to: one byte behind the name of the loader
/// (section .interp), and the kernel takes the file for no program. It ends as one that fails.
bool IsFailureOfSubmission(const Launch& launch) {
  return launch.plan.is_of_submission != 0 && launch.failed_step == LaunchMessage::kExecute &&
         launch.failed_errno == ENOEXEC;
}

/// The child: everything between vfork and execve.
[[noreturn]] void BecomeProgram(Launch& launch) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::setsid();
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  LaunchMessage message;
  message.kind = LaunchMessage::kProgram;
  Send(launch.plan.status_fd, message);
  if (!SetLimits(launch.plan)) {
    FailInChild(launch, LaunchMessage::kLimits);
  }
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    FailInChild(launch, LaunchMessage::kFilter);
  }
  if (launch.plan.drops_capabilities != 0 && !DropCapabilities()) {
    FailInChild(launch, LaunchMessage::kCapabilities);
  }
  if (!EnterLandlock(launch.plan)) {
    FailInChild(launch, LaunchMessage::kLandlock);
  }
  if (!EnterFilter(launch)) {
    FailInChild(launch, LaunchMessage::kFilter);
  }
  ::execve(launch.exec_path, launch.argv, launch.environment);
  FailInChild(launch, LaunchMessage::kExecute);
}

/// Kills every descendant. Orphans come to us (subreaper), so each round finds the next generation.
void KillDescendants() {
  char buffer[65536];
  for (int round = 0; round < 10'000; ++round) {
    const int fd = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    const ssize_t got = fd < 0 ? 0 : ::read(fd, buffer, sizeof buffer - 1);
    ::close(fd);
    buffer[got > 0 ? got : 0] = '\0';
    for (char* next = buffer; *next != '\0';) {
      char* end = nullptr;
      const long child = std::strtol(next, &end, 10);
      if (end == next) {
        break;
      }
      ::kill(static_cast<pid_t>(child), SIGKILL);
      next = *end == ' ' ? end + 1 : end;
    }
    pid_t reaped = 0;
    while ((reaped = ::waitpid(-1, nullptr, WNOHANG)) > 0) {
    }
    if (reaped < 0) {
      return;  // No child is left.
    }
    ::usleep(200);
  }
}

/// Waits until `program` ended, reaping orphans on the way. SIGTERM, or the end of our parent,
/// kills the program.
LaunchMessage Supervise(pid_t program, const sigset_t& signals) {
  for (;;) {
    int status = 0;
    pid_t ended = 0;
    while ((ended = ::waitpid(-1, &status, WNOHANG)) > 0) {
      if (ended != program) {
        continue;
      }
      rusage usage = {};
      ::getrusage(RUSAGE_CHILDREN, &usage);
      LaunchMessage message;
      message.kind = LaunchMessage::kEnded;
      message.value = status;
      const long microseconds = usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
      message.cpu_time_ns =
          (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1'000'000'000 + microseconds * 1'000;
      message.peak_bytes = usage.ru_maxrss * 1024;
      return message;
    }
    siginfo_t info;
    if (::sigwaitinfo(&signals, &info) == SIGTERM) {
      ::kill(program, SIGKILL);
    }
  }
}

int Main(int argc, char** argv, char** environment) {
  static Launch launch;  // Too large for a stack of unknown size.
  if (argc < 3 || !ReadPlan(std::atoi(argv[1]), launch)) {
    return 126;
  }
  launch.argv = argv + 2;
  launch.environment = environment;
  const int status_fd = launch.plan.status_fd;
  const bool is_namespace_init = launch.plan.is_namespace_init != 0;
  ::fcntl(status_fd, F_SETFD, FD_CLOEXEC);
  if (launch.plan.landlock_fd >= 0) {
    ::fcntl(launch.plan.landlock_fd, F_SETFD, FD_CLOEXEC);
  }
  // A program of the same user must not reach into this process through /proc.
  ::prctl(PR_SET_DUMPABLE, 0);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  sigaddset(&signals, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &signals, nullptr);
  // A host stands still and goes on with every call. That is not ours to see, and to wake for it
  // would take the processor from the host each time.
  struct sigaction children = {};
  children.sa_handler = SIG_DFL;
  children.sa_flags = SA_NOCLDSTOP;
  ::sigaction(SIGCHLD, &children, nullptr);
  // In a namespace our death is everyone's; outside we must live to kill the descendants.
  ::prctl(PR_SET_PDEATHSIG, is_namespace_init ? SIGKILL : SIGTERM);
  if (!is_namespace_init) {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  }
  pollfd peer = {.fd = status_fd, .events = 0, .revents = 0};
  if (::poll(&peer, 1, 0) > 0) {
    return 126;  // Our parent died before the lines above.
  }
  LaunchMessage hello;
  hello.kind = LaunchMessage::kInit;
  Send(status_fd, hello);
  if (!PlaceExecPath(launch)) {
    return Report(status_fd, LaunchMessage::kPlan, errno);
  }
  // Not a copy: the child reports through our memory (Launch) until it executes.
  const pid_t program = ::vfork();  // NOLINT(bugprone-unsafe-functions)
  if (program == 0) {
    BecomeProgram(launch);
  }
  if (program < 0) {
    return Report(status_fd, LaunchMessage::kExecute, errno);
  }
  if (launch.failed_step != LaunchMessage::kNoStep && !IsFailureOfSubmission(launch)) {
    return Report(status_fd, launch.failed_step, launch.failed_errno);
  }
  LaunchMessage started;
  started.kind = LaunchMessage::kStarted;
  Send(status_fd, started);
  const LaunchMessage ended = Supervise(program, signals);
  if (!is_namespace_init) {
    KillDescendants();
  }
  Send(status_fd, ended);
  return 0;
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv, char** environment) { return assay::Main(argc, argv, environment); }
