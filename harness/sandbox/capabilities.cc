// SPDX-License-Identifier: Apache-2.0
#include "sandbox/capabilities.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/text.h"
#include "process/retry.h"
#include "process/run.h"
#include "sandbox/landlock.h"
#include "sandbox/sandboxed_process.h"

namespace assay {
namespace {

constexpr std::array kLevels = {SandboxLevel::kNone, SandboxLevel::kReduced, SandboxLevel::kFull};

Capability Present(std::string name, std::string detail) {
  return {.name = std::move(name), .available = true, .detail = std::move(detail), .remedy = {}};
}

Capability Missing(std::string name, Obstacle obstacle) {
  return {.name = std::move(name),
          .available = false,
          .detail = CauseOf(obstacle),
          .remedy = RemedyFor(obstacle),
          .obstacle = obstacle};
}

std::string TryBubblewrap() {
  const auto result = RunToCompletion({.argv = {"bwrap", "--version"},
                                       .environment = std::nullopt,
                                       .working_directory = {},
                                       .input = {},
                                       .time_limit = std::chrono::seconds(10),
                                       .on_output = {}});
  if (!result || result->exit.kind != ProcessExit::Kind::kExited ||
      result->exit.code_or_signal != 0) {
    return "";
  }
  const auto lines = SplitLines(result->output);
  return lines.empty() ? "installed" : lines.front();
}

/// Takes them in a child, which tells by its exit status: the number of the step, then errno.
NamespaceTrial TryNamespaces() {
  using Step = NamespaceTrial::Step;
  constexpr int kSecondStep = 128;  // Every errno of unshare is below.
  const pid_t child = ::fork();
  if (child == 0) {
    if (::unshare(CLONE_NEWUSER) != 0) {
      ::_exit(errno);
    }
    const bool all = ::unshare(CLONE_NEWNET | CLONE_NEWNS) == 0 &&
                     ::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) == 0;
    ::_exit(all ? 0 : kSecondStep + errno);
  }
  int status = 0;
  if (child < 0 || RetryOnEintr([&] { return ::waitpid(child, &status, 0); }) != child) {
    return {.step = Step::kUser, .error_number = errno};
  }
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : EPERM;  // Killed: by a filter.
  return code < kSecondStep
             ? NamespaceTrial{.step = Step::kUser, .error_number = code}
             : NamespaceTrial{.step = Step::kOthers, .error_number = code - kSecondStep};
}

int TrySeccomp() {
  std::uint32_t action = SECCOMP_RET_KILL_PROCESS;
  return ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0U, &action) == 0 ? 0 : errno;
}

/// Runs `true` at `level`: empty, or why that failed.
std::string TryLevel(SandboxLevel level) {
  SandboxRequest request;
  request.argv = {"/usr/bin/true"};
  request.mounts = RuntimeMounts();
  request.mounts.push_back({.outside = "/usr/bin/true", .inside = "/usr/bin/true"});
  auto process = Spawn(level, request);
  if (!process) {
    return process.error().cause;
  }
  const ExitStatus status =
      process->WaitUntil(std::chrono::steady_clock::now() + std::chrono::seconds(10));
  if (status.kind != ExitStatus::Kind::kExited || status.code_or_signal != 0) {
    return "`true` ended with " + ToString(status) + ": " + Truncate(process->Output(), 200);
  }
  return "";
}

SandboxTrials TryAll() {
  SandboxTrials trials;
  trials.bubblewrap_version = TryBubblewrap();
  trials.namespaces = TryNamespaces();
  trials.settings = ReadNamespaceSettings();
  trials.seccomp_error = TrySeccomp();
  trials.landlock_abi = LandlockAbi();
  trials.landlock_error = trials.landlock_abi == 0 ? errno : 0;
  trials.cgroups = FindCgroups();
  for (const SandboxLevel level : kLevels) {
    trials.levels.emplace(level, TryLevel(level));
  }
  return trials;
}

bool Ran(const SandboxTrials& trials, SandboxLevel level) {
  const auto trial = trials.levels.find(level);
  return trial != trials.levels.end() && trial->second.empty();
}

Capability Bubblewrap(const SandboxTrials& trials) {
  constexpr const char* kName = "bubblewrap";
  return trials.bubblewrap_version.empty() ? Missing(kName, Obstacle::kNoBubblewrap)
                                           : Present(kName, trials.bubblewrap_version);
}

Capability UserNamespaces(const SandboxTrials& trials) {
  constexpr const char* kName = "user namespaces";
  const Obstacle obstacle = WhyNoNamespaces(trials.namespaces, trials.settings);
  if (obstacle == Obstacle::kNothing) {
    return Present(kName, "allowed");
  }
  if (Ran(trials, SandboxLevel::kFull)) {
    return Present(kName, "allowed for bubblewrap alone");  // By AppArmor's profile, or set-uid.
  }
  Capability missing = Missing(kName, obstacle);
  if (obstacle == Obstacle::kNamespacesRefused) {
    missing.detail += ": " + std::generic_category().message(trials.namespaces.error_number);
  }
  return missing;
}

Capability Seccomp(const SandboxTrials& trials) {
  constexpr const char* kName = "seccomp";
  return trials.seccomp_error == 0 ? Present(kName, "filters that kill the process")
                                   : Missing(kName, Obstacle::kNoSeccomp);
}

Capability Landlock(const SandboxTrials& trials) {
  constexpr const char* kName = "landlock";
  if (trials.landlock_abi == 0) {
    return Missing(kName, WhyNoLandlock(trials.landlock_error));
  }
  return Present(kName, fmt::format("ABI {}{}", trials.landlock_abi,
                                    trials.landlock_abi >= kLandlockScopeAbi
                                        ? ""
                                        : ": signals are kept in by seccomp"));
}

void AddCgroups(const CgroupSupport& support, std::vector<Capability>& capabilities) {
  constexpr const char* kRemedy =
      "run as root, or in `systemd-run --user --scope -p Delegate=yes`; without it memory is "
      "watched every 10 ms instead";
  const auto add = [&](const char* name, const std::filesystem::path& path) {
    capabilities.push_back(
        path.empty()
            ? Capability{.name = name, .detail = support.problem, .remedy = kRemedy}
            : Present(name, fmt::format("version {} in {}", support.version, path.string())));
  };
  add("cgroup memory", support.memory);
  add("cgroup pids", support.pids);
  add("cgroup cpu", support.cpu);
}

/// The first part of `level` that is missing; null when none is.
const Capability* MissingPart(SandboxLevel level, const std::vector<Capability>& parts) {
  std::vector<std::string_view> needed;
  if (level == SandboxLevel::kFull) {
    needed = {"bubblewrap", "user namespaces", "seccomp"};
  } else if (level == SandboxLevel::kReduced) {
    needed = {"landlock", "seccomp"};
  }
  for (const std::string_view name : needed) {
    const auto found = std::ranges::find(parts, name, &Capability::name);
    if (found != parts.end() && !found->available) {
      return &*found;
    }
  }
  return nullptr;
}

/// A level that did not start for want of a part says so in place of how it failed.
Capability Level(SandboxLevel level, const std::string& problem,
                 const std::vector<Capability>& parts) {
  const std::string name = fmt::format("level {}", ToString(level));
  if (problem.empty()) {
    return Present(name, "a program ran in it");
  }
  const Capability* const part = MissingPart(level, parts);
  Capability missing = Missing(name, part == nullptr ? Obstacle::kOther : part->obstacle);
  missing.detail = part == nullptr ? problem : part->detail;
  return missing;
}

}  // namespace

SandboxCapabilities Conclude(const SandboxTrials& trials) {
  SandboxCapabilities result;
  result.capabilities = {Bubblewrap(trials), UserNamespaces(trials), Seccomp(trials),
                         Landlock(trials)};
  AddCgroups(trials.cgroups, result.capabilities);
  const std::vector<Capability> parts = result.capabilities;
  for (const auto& [level, problem] : trials.levels) {
    Capability tried = Level(level, problem, parts);
    if (tried.available) {
      result.level = level;
    } else if (level == SandboxLevel::kFull) {
      result.obstacle = tried.obstacle;
      result.next_level = tried.detail + "; " + tried.remedy;
    }
    result.capabilities.push_back(std::move(tried));
  }
  return result;
}

SandboxCapabilities DetectCapabilities() { return Conclude(TryAll()); }

}  // namespace assay
