// SPDX-License-Identifier: Apache-2.0
// Theory of operation
//
//   Assay ──fork──► bwrap ──► sandbox_init (process 1) ──vfork──► program        level full
//   Assay ──fork──► sandbox_init (subreaper) ──vfork──► program                  reduced, none
//
// * Spawn prepares all that can fail with a message (mounts, filter, Landlock ruleset, control
//   group, capture), writes a LaunchPlan to a memory file and starts the chain with exactly these
//   descriptors: 0, 1, 2, those passed, and three more for the launcher (plan, status, ruleset),
//   which the launcher closes or marks close-on-exec. Everything else of ours is close-on-exec.
// * The launcher sets limits, enters Landlock and the filter in the program's own process, and
//   executes it. It tells us so over a socket whose messages carry the sender's process number as
//   we see it, which is how CPU time and memory of the program are read from outside.
// * Each link asks for SIGKILL at its parent's death; the end of process 1 ends its namespace. So
//   kill -9 of Assay leaves nothing. Without a namespace the launcher is told by SIGTERM and kills
//   its descendants, orphans included, since it is their subreaper.
// * How the program ended comes from the launcher's wait status, the control group's OOM counter
//   and our own reasons for killing, in that order of trust; never from its output.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "process/executable.h"
#include "process/retry.h"
#include "sandbox/bubblewrap.h"
#include "sandbox/landlock.h"
#include "sandbox/process_state.h"
#include "sandbox/sandboxed_process.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr int kFirstFreeFd = 3;

Error SandboxError(std::string cause, std::string remedy) {
  return Error{.kind = ErrorKind::kSandbox,
               .where = {},
               .cause = std::move(cause),
               .remedy = std::move(remedy)};
}

struct StatusChannel {
  UniqueFd ours;
  UniqueFd launchers;
};

Result<StatusChannel> MakeStatusChannel() {
  std::array<int, 2> ends = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return std::unexpected(SystemError("socketpair for the sandbox", errno));
  }
  StatusChannel channel{.ours = UniqueFd(ends[0]), .launchers = UniqueFd(ends[1])};
  const int on = 1;
  if (::setsockopt(channel.ours.get(), SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0) {
    return std::unexpected(SystemError("SO_PASSCRED for the sandbox", errno));
  }
  return channel;
}

Result<UniqueFd> WritePlan(const LaunchPlan& plan, const std::vector<sock_filter>& filter) {
  UniqueFd file(::memfd_create("assay-plan", MFD_CLOEXEC));
  if (!file) {
    return std::unexpected(SystemError("memfd_create for the sandbox", errno));
  }
  const std::size_t bytes = filter.size() * sizeof(sock_filter);
  if (::write(file.get(), &plan, sizeof plan) != ssize_t{sizeof plan} ||
      ::write(file.get(), filter.data(), bytes) != static_cast<ssize_t>(bytes)) {
    return std::unexpected(SystemError("write the sandbox plan", errno));
  }
  return file;
}

/// The three descriptors of the launcher come after those of the program.
int FirstLauncherFd(const SandboxRequest& request) {
  int first = kFirstFreeFd;
  for (const PassedFd& passed : request.fds) {
    first = std::max(first, passed.inside + 1);
  }
  return first;
}

Status CheckRequest(const SandboxRequest& request) {
  const auto bad = [](std::string cause) -> Status {
    return std::unexpected(Error{.kind = ErrorKind::kJudge,
                                 .where = {},
                                 .cause = "sandbox request: " + std::move(cause),
                                 .remedy = "fix the caller"});
  };
  if (request.argv.empty() || !request.argv[0].starts_with('/')) {
    return bad("argv[0] must be an absolute path");
  }
  if (!request.working_directory.is_absolute()) {
    return bad("the working directory must be absolute");
  }
  for (const PassedFd& passed : request.fds) {
    if (passed.inside < kFirstFreeFd || passed.inside >= request.limits.open_files) {
      return bad(fmt::format("descriptor {} is not between {} and the limit of open files",
                             passed.inside, kFirstFreeFd));
    }
  }
  for (const Mount& mount : request.mounts) {
    if (!mount.inside.is_absolute()) {
      return bad("mount " + mount.inside.string() + " must be absolute inside");
    }
  }
  return {};
}

/// What Landlock lets through at level reduced: the mounts and the devices.
std::vector<Mount> LandlockMounts(const SandboxRequest& request) {
  std::vector<Mount> mounts = request.mounts;
  mounts.push_back({.outside = "/dev/null", .inside = {}, .access = Access::kReadWrite});
  mounts.push_back({.outside = "/dev/zero", .inside = {}, .access = Access::kReadOnly});
  mounts.push_back({.outside = "/dev/urandom", .inside = {}, .access = Access::kReadOnly});
  return mounts;
}

/// The launcher: beside this program where both were carried elsewhere; else in the build tree or
/// in the package, below a folder that this program is in. Empty when it is nowhere.
fs::path FindLauncher() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  for (fs::path folder = program.parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    for (const char* const below : {"", "harness/sandbox", "lib/assay/harness/sandbox"}) {
      fs::path launcher = folder / below / "assay_sandbox_init";
      if (::access(launcher.c_str(), X_OK) == 0) {
        return launcher;
      }
    }
  }
  return {};
}

/// What to run: through bubblewrap at level full, else the launcher itself.
Result<std::vector<std::string>> LauncherCommand(SandboxLevel level,
                                                 const SandboxRequest& request) {
  static const fs::path init = FindLauncher();
  if (init.empty()) {
    return std::unexpected(SandboxError(
        "the sandbox launcher assay_sandbox_init is nowhere beside or above this program",
        "build Assay again (scripts/build) and run it from its build folder, or install the "
        "package again"));
  }
  if (level != SandboxLevel::kFull) {
    return std::vector<std::string>{init.string()};
  }
  const auto bubblewrap = FindExecutable("bwrap");
  if (!bubblewrap) {
    return std::unexpected(
        SandboxError("bubblewrap (bwrap) is not installed, and sandbox level full needs it",
                     "install it (apt-get install bubblewrap), or ask for "
                     "--sandbox=reduced"));
  }
  return BubblewrapCommand(*bubblewrap, init, request);
}

SignalGuard GuardOf(SandboxLevel level) {
  const bool kernel = level == SandboxLevel::kFull || LandlockAbi() >= kLandlockScopeAbi;
  return kernel ? SignalGuard::kKernel : SignalGuard::kFilter;
}

/// The filters never change, and building one takes longer than starting the program.
const Result<std::vector<sock_filter>>& CachedFilter(SyscallPolicy policy, SignalGuard guard) {
  if (policy == SyscallPolicy::kHost) {
    static const auto host = BuildSyscallFilter(SyscallPolicy::kHost, SignalGuard::kKernel);
    return host;
  }
  if (guard == SignalGuard::kKernel) {
    static const auto tool = BuildSyscallFilter(SyscallPolicy::kTool, SignalGuard::kKernel);
    return tool;
  }
  static const auto tool = BuildSyscallFilter(SyscallPolicy::kTool, SignalGuard::kFilter);
  return tool;
}

/// A control group where one can be made; level none has limits alone.
Result<std::optional<Cgroup>> MakeGroup(SandboxLevel level, const Limits& limits) {
  if (level == SandboxLevel::kNone) {
    return std::nullopt;
  }
  static const CgroupSupport support = FindCgroups();  // Places do not move while we run.
  if (support.memory.empty() && support.pids.empty() && support.cpu.empty()) {
    return std::nullopt;
  }
  constexpr int kBubblewrapAndLauncher = 3;  // bwrap, its child until it executes, the launcher.
  ASSAY_ASSIGN_OR_RETURN(Cgroup group, Cgroup::Create(support, limits, kBubblewrapAndLauncher));
  return group;
}

/// How many tasks (processes and threads) of this user there are.
std::int64_t TasksOfUser() {
  std::int64_t tasks = 0;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc", error)) {
    struct stat status = {};
    if (::stat((entry.path() / "task").c_str(), &status) == 0 && status.st_uid == ::getuid()) {
      tasks += static_cast<std::int64_t>(status.st_nlink) - 2;
    }
  }
  return tasks;
}

/// RLIMIT_NPROC. It counts in the user namespace, so at level full it is exact; at level reduced it
/// counts the person's other processes too, and is used only where no control group does better.
std::int64_t ProcessLimit(SandboxLevel level, const SandboxRequest& request,
                          bool has_process_group) {
  if (level == SandboxLevel::kFull) {
    return request.limits.processes + 1;  // The launcher.
  }
  if (level == SandboxLevel::kReduced && request.policy == SyscallPolicy::kTool &&
      !has_process_group) {
    return TasksOfUser() + request.limits.processes + 1;
  }
  return 0;
}

LaunchPlan MakePlan(SandboxLevel level, const SandboxRequest& request, std::size_t filter_length,
                    bool has_process_group) {
  const int first = FirstLauncherFd(request);
  LaunchPlan plan;
  plan.status_fd = first + 1;
  plan.landlock_fd = level == SandboxLevel::kReduced ? first + 2 : -1;
  plan.filter_length = static_cast<std::uint32_t>(filter_length);
  plan.is_namespace_init = level == SandboxLevel::kFull ? 1 : 0;
  // bubblewrap has dropped them at level full; level none is as it is.
  plan.drops_capabilities = level == SandboxLevel::kReduced ? 1 : 0;
  plan.sees_own_proc = level == SandboxLevel::kReduced && request.proc == ProcAccess::kOwn ? 1 : 0;
  plan.is_of_submission = request.policy == SyscallPolicy::kHost ? 1 : 0;
  // A host writes text alone, so that its limit is the output's and the kernel's SIGXFSZ tells.
  plan.file_size_bytes = request.policy == SyscallPolicy::kHost ? request.limits.output_bytes
                                                                : request.limits.file_size_bytes;
  plan.processes = ProcessLimit(level, request, has_process_group);
  plan.open_files = request.limits.open_files;
  return plan;
}

/// Our ends of what the launcher needs.
struct LauncherFds {
  int output = -1;
  int plan = -1;
  int status = -1;
  int ruleset = -1;  ///< -1: none.
};

SubprocessOptions MakeOptions(SandboxLevel level, const SandboxRequest& request,
                              const LaunchPlan& plan, std::vector<std::string> argv,
                              const LauncherFds& ours, std::vector<int> cgroup_entries) {
  const int plan_fd = FirstLauncherFd(request);
  argv.push_back(std::to_string(plan_fd));
  argv.insert(argv.end(), request.argv.begin(), request.argv.end());
  SubprocessOptions options{
      .argv = std::move(argv),
      .environment = request.environment,
      // bubblewrap changes to it inside.
      .working_directory = level == SandboxLevel::kFull ? fs::path() : request.working_directory,
      .descriptors = {{.ours = ours.output, .child = 1},
                      {.ours = ours.output, .child = 2},
                      {.ours = ours.plan, .child = plan_fd},
                      {.ours = ours.status, .child = plan.status_fd}},
      .processors = request.processors,
      .cgroup_entries = std::move(cgroup_entries)};
  if (ours.ruleset >= 0) {
    options.descriptors.push_back({.ours = ours.ruleset, .child = plan.landlock_fd});
  }
  for (const PassedFd& passed : request.fds) {
    options.descriptors.push_back({.ours = passed.outside, .child = passed.inside});
  }
  return options;
}

Error LaunchError(const LaunchMessage& message, SandboxLevel level, const SandboxRequest& request) {
  const std::string why = std::strerror(message.value);  // NOLINT(concurrency-mt-unsafe)
  const auto at = fmt::format("sandbox level {}: ", ToString(level));
  switch (message.step) {
    case LaunchMessage::kExecute:
      return Error{.kind = ErrorKind::kJudge,
                   .where = {},
                   .cause = at + "cannot execute " + request.argv[0] + ": " + why,
                   .remedy = "mount the program, its loader and its libraries"};
    case LaunchMessage::kFilter:
      return SandboxError(at + "the kernel refuses the system call filter: " + why,
                          "use a kernel with CONFIG_SECCOMP_FILTER");
    case LaunchMessage::kLandlock:
      return SandboxError(at + "the kernel refuses the Landlock ruleset: " + why,
                          "see `assay doctor`");
    default:
      return SandboxError(
          fmt::format("{}launcher step {}: {}", at, static_cast<unsigned>(message.step), why),
          "see `assay doctor`");
  }
}

}  // namespace

std::optional<ReceivedMessage> ReceiveMessage(int fd, int flags) {
  ReceivedMessage received;
  iovec part = {.iov_base = &received.message, .iov_len = sizeof received.message};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(ucred))> control = {};
  msghdr header = {};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  const ssize_t got = RetryOnEintr([&] { return ::recvmsg(fd, &header, flags); });
  if (got != ssize_t{sizeof received.message}) {
    return std::nullopt;
  }
  for (const cmsghdr* item = CMSG_FIRSTHDR(&header); item != nullptr;
       item = CMSG_NXTHDR(&header, const_cast<cmsghdr*>(item))) {
    if (item->cmsg_level == SOL_SOCKET && item->cmsg_type == SCM_CREDENTIALS) {
      ucred sender = {};
      std::memcpy(&sender, CMSG_DATA(item), sizeof sender);
      received.sender = sender.pid;
    }
  }
  return received;
}

Status SandboxedProcess::State::AwaitStart(const SandboxRequest& request) {
  // A machine under load takes its time; one that hangs must not take us with it.
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (WaitReadable(status.get(), give_up)) {
    const auto received = ReceiveMessage(status.get(), MSG_DONTWAIT);
    if (!received) {
      break;  // The end of the conversation.
    }
    switch (received->message.kind) {
      case LaunchMessage::kInit:
        init = received->sender;
        init_pidfd.Reset(static_cast<int>(::syscall(SYS_pidfd_open, init, 0)));
        // On a busy machine a short program has come and gone before we look: that is no failure,
        // and what follows in the conversation says how it ended.
        if (!init_pidfd && errno != ESRCH) {
          return std::unexpected(SystemError("pidfd_open of the sandbox launcher", errno));
        }
        break;
      case LaunchMessage::kProgram:
        program = received->sender;
        program_pidfd.Reset(static_cast<int>(::syscall(SYS_pidfd_open, program, 0)));
        break;
      case LaunchMessage::kStarted:
        if (init > 0 && program > 0) {
          return {};
        }
        return std::unexpected(
            SandboxError("the sandbox launcher does not say who it is", "build the harness again"));
      case LaunchMessage::kFailed:
        return std::unexpected(LaunchError(received->message, level, request));
      case LaunchMessage::kEnded:
        break;
    }
  }
  // The chain ended before the program ran; bubblewrap says why on the captured output.
  const std::string said = Truncate(capture.Read(), 400);
  return std::unexpected(
      SandboxError(fmt::format("sandbox level {} does not start: {}", ToString(level),
                               said.empty() ? "the launcher ended without a word" : said),
                   "`assay doctor` names the cause and the command; or ask for --sandbox=reduced"));
}

Result<SandboxedProcess> Spawn(SandboxLevel level, const SandboxRequest& request) {
  ASSAY_RETURN_IF_ERROR(CheckRequest(request));
  ASSAY_ASSIGN_OR_RETURN(std::vector<std::string> argv, LauncherCommand(level, request));
  ASSAY_ASSIGN_OR_RETURN(Capture capture, Capture::Create(request.limits.output_bytes));
  std::vector<sock_filter> filter;
  if (level != SandboxLevel::kNone) {
    ASSAY_ASSIGN_OR_RETURN(filter, CachedFilter(request.policy, GuardOf(level)));
  }
  UniqueFd ruleset;
  if (level == SandboxLevel::kReduced) {
    ASSAY_ASSIGN_OR_RETURN(ruleset, MakeLandlockRuleset(LandlockMounts(request)));
  }
  ASSAY_ASSIGN_OR_RETURN(std::optional<Cgroup> group, MakeGroup(level, request.limits));
  const LaunchPlan plan =
      MakePlan(level, request, filter.size(), group && group->LimitsProcesses());
  ASSAY_ASSIGN_OR_RETURN(const UniqueFd plan_file, WritePlan(plan, filter));
  ASSAY_ASSIGN_OR_RETURN(StatusChannel channel, MakeStatusChannel());

  ASSAY_ASSIGN_OR_RETURN(Subprocess root, Subprocess::Start(MakeOptions(
                                              level, request, plan, std::move(argv),
                                              {.output = capture.fd(),
                                               .plan = plan_file.get(),
                                               .status = channel.launchers.get(),
                                               .ruleset = ruleset.get()},
                                              group ? group->entries() : std::vector<int>())));
  channel.launchers.Reset();  // So that the launcher's end is the last.

  auto state = std::make_unique<SandboxedProcess::State>(
      SandboxedProcess::State{.level = level,
                              .policy = request.policy,
                              .memory_limit_bytes = request.limits.memory_bytes,
                              .deadline = std::chrono::steady_clock::now() + request.limits.wall,
                              .capture = std::move(capture),
                              .cgroup = std::move(group),
                              .status = std::move(channel.ours),
                              .root = std::move(root),
                              .init = 0,
                              .init_pidfd = {},
                              .program = 0,
                              .program_pidfd = {},
                              .reason_killed = std::nullopt,
                              .exit = std::nullopt});
  ASSAY_RETURN_IF_ERROR(state->AwaitStart(request));
  return SandboxedProcess(std::move(state));
}

}  // namespace assay
