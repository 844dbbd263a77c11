// SPDX-License-Identifier: Apache-2.0
#include "sandbox/capabilities.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>

#include "base/text.h"
#include "process/executable.h"
#include "process/retry.h"
#include "process/run.h"
#include "sandbox/cgroup.h"
#include "sandbox/landlock.h"
#include "sandbox/sandboxed_process.h"

namespace assay {
namespace {

Capability Present(std::string name, std::string detail) {
  return {.name = std::move(name), .available = true, .detail = std::move(detail), .remedy = {}};
}

Capability Missing(std::string name, std::string detail, std::string remedy) {
  return {.name = std::move(name),
          .available = false,
          .detail = std::move(detail),
          .remedy = std::move(remedy)};
}

std::string ErrorText(int error_number) {
  return std::strerror(error_number);  // NOLINT(concurrency-mt-unsafe)
}

Capability TryBubblewrap() {
  constexpr const char* kRemedy = "install it: scripts/setup, or apt-get install bubblewrap";
  const auto result = RunToCompletion({.argv = {"bwrap", "--version"},
                                       .environment = std::nullopt,
                                       .working_directory = {},
                                       .input = {},
                                       .time_limit = std::chrono::seconds(10),
                                       .on_output = {}});
  if (!result) {
    return Missing("bubblewrap", result.error().cause, kRemedy);
  }
  if (result->exit != ProcessExit{.kind = ProcessExit::Kind::kExited,
                                  .code_or_signal = 0,
                                  .cpu_time = result->exit.cpu_time,
                                  .peak_bytes = result->exit.peak_bytes}) {
    return Missing("bubblewrap", "bwrap --version fails: " + Truncate(result->errors, 200),
                   kRemedy);
  }
  const auto lines = SplitLines(result->output);
  return Present("bubblewrap", lines.empty() ? "installed" : lines.front());
}

/// Takes a user namespace and, with the capabilities that should give, a network namespace, in a
/// child. 0, or the errno of what failed.
int TryNamespaces() {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::unshare(CLONE_NEWUSER) != 0 || ::unshare(CLONE_NEWNET | CLONE_NEWNS) != 0) {
      ::_exit(errno);
    }
    ::_exit(0);
  }
  int status = 0;
  if (child < 0 || RetryOnEintr([&] { return ::waitpid(child, &status, 0); }) != child) {
    return errno;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : EPERM;
}

std::optional<int> ReadSetting(const char* path) {
  std::ifstream file(path);
  int value = 0;
  return file >> value ? std::optional(value) : std::nullopt;
}

Capability TryUserNamespaces() {
  constexpr const char* kName = "user namespaces";
  const int error_number = TryNamespaces();
  if (error_number == 0) {
    return Present(kName, "allowed");
  }
  if (ReadSetting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == 1) {
    return Missing(kName, "AppArmor takes the capabilities of unprivileged user namespaces away",
                   "load an AppArmor profile with `userns,` for bwrap, or run `sudo sysctl -w "
                   "kernel.apparmor_restrict_unprivileged_userns=0`");
  }
  if (ReadSetting("/proc/sys/kernel/unprivileged_userns_clone") == 0) {
    return Missing(kName, "kernel.unprivileged_userns_clone is 0",
                   "sudo sysctl -w kernel.unprivileged_userns_clone=1");
  }
  if (ReadSetting("/proc/sys/user/max_user_namespaces") == 0) {
    return Missing(kName, "user.max_user_namespaces is 0",
                   "sudo sysctl -w user.max_user_namespaces=10000");
  }
  return Missing(kName, "refused: " + ErrorText(error_number),
                 "in a container, start it with a seccomp profile that allows unshare, or "
                 "privileged");
}

Capability TrySeccomp() {
  std::uint32_t action = SECCOMP_RET_KILL_PROCESS;
  if (::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0U, &action) == 0) {
    return Present("seccomp", "filters that kill the process");
  }
  return Missing("seccomp", "refused: " + ErrorText(errno),
                 "use Linux 4.14 or later with CONFIG_SECCOMP_FILTER");
}

Capability TryLandlock() {
  const int abi = LandlockAbi();
  if (abi == 0) {
    return Missing("landlock", "the kernel has none or it is off",
                   "use Linux 5.13 or later and boot with `landlock` in lsm=");
  }
  return Present("landlock",
                 fmt::format("ABI {}{}", abi,
                             abi >= kLandlockScopeAbi ? "" : ": signals are kept in by seccomp"));
}

void AddCgroups(std::vector<Capability>& capabilities) {
  constexpr const char* kRemedy =
      "run as root, or in `systemd-run --user --scope -p Delegate=yes`; without it memory is "
      "watched every 10 ms instead";
  const CgroupSupport support = FindCgroups();
  const auto add = [&](const char* name, const std::filesystem::path& path) {
    capabilities.push_back(
        path.empty()
            ? Missing(name, support.problem, kRemedy)
            : Present(name, fmt::format("version {} in {}", support.version, path.string())));
  };
  add("cgroup memory", support.memory);
  add("cgroup pids", support.pids);
  add("cgroup cpu", support.cpu);
}

/// Runs `true` at `level`.
Capability TryLevel(SandboxLevel level) {
  const std::string name = fmt::format("level {}", ToString(level));
  SandboxRequest request;
  request.argv = {"/usr/bin/true"};
  request.mounts = RuntimeMounts();
  request.mounts.push_back({.outside = "/usr/bin/true", .inside = "/usr/bin/true"});
  auto process = Spawn(level, request);
  if (!process) {
    return Missing(name, process.error().cause, process.error().remedy);
  }
  const ExitStatus status =
      process->WaitUntil(std::chrono::steady_clock::now() + std::chrono::seconds(10));
  if (status.kind != ExitStatus::Kind::kExited || status.code_or_signal != 0) {
    return Missing(
        name, "`true` ended with " + ToString(status) + ": " + Truncate(process->Output(), 200),
        "report this with the output of `assay doctor`");
  }
  return Present(name, "a program ran in it");
}

}  // namespace

SandboxCapabilities DetectCapabilities() {
  SandboxCapabilities result;
  result.capabilities = {TryBubblewrap(), TryUserNamespaces(), TrySeccomp(), TryLandlock()};
  AddCgroups(result.capabilities);
  for (const SandboxLevel level :
       {SandboxLevel::kNone, SandboxLevel::kReduced, SandboxLevel::kFull}) {
    Capability tried = TryLevel(level);
    if (tried.available) {
      result.level = level;
    }
    result.capabilities.push_back(std::move(tried));
  }
  if (result.level != SandboxLevel::kFull) {
    for (const Capability& capability : result.capabilities) {
      const bool needed = capability.name == "bubblewrap" || capability.name == "user namespaces" ||
                          capability.name == "level full";
      if (needed && !capability.available) {
        result.next_level = capability.detail + "; " + capability.remedy;
        break;
      }
    }
  }
  return result;
}

}  // namespace assay
