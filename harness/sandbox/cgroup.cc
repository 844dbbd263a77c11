// SPDX-License-Identifier: Apache-2.0
#include "sandbox/cgroup.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "base/text.h"
#include "process/retry.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kPrefix = "assay-";

std::string ReadAll(const fs::path& path) {
  // Not by istreambuf_iterator, which throws when a process ends while its file in /proc is read.
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return std::move(text).str();
}

std::optional<std::int64_t> ReadNumber(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

/// The value of the line `key value` of a statistics file.
std::optional<std::int64_t> ReadKey(const fs::path& path, std::string_view key) {
  std::istringstream lines(ReadAll(path));
  std::string name;
  std::string value;
  while (lines >> name >> value) {
    if (name == key) {
      return ReadNumber(value);
    }
  }
  return std::nullopt;
}

bool WriteText(const fs::path& path, const std::string& text) {
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return file && RetryOnEintr([&] { return ::write(file.get(), text.data(), text.size()); }) ==
                     static_cast<ssize_t>(text.size());
}

/// Start of a process in clock ticks since boot: with its number, its identity. 0 when it is gone.
std::int64_t StartTicks(pid_t pid) {
  const std::string stat = ReadAll("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t name_end = stat.rfind(')');  // The name may hold anything.
  if (name_end == std::string::npos) {
    return 0;
  }
  std::istringstream fields(stat.substr(name_end + 1));
  std::string field;
  for (int i = 3; i <= 22 && fields >> field; ++i) {
  }
  return ReadNumber(field).value_or(0);
}

/// Our own folder in the hierarchy of `controller` ("" = version 2), below where it is mounted.
fs::path OwnDirectory(const std::string& controller) {
  std::string own;
  for (const std::string& line : SplitLines(ReadAll("/proc/self/cgroup"))) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) {
      continue;
    }
    const std::string names = "," + line.substr(first + 1, second - first - 1) + ",";
    if (controller.empty() ? names == ",," : names.find("," + controller + ",") != names.npos) {
      own = line.substr(second + 1);
    }
  }
  if (own.empty()) {
    return {};
  }
  for (const std::string& line : SplitLines(ReadAll("/proc/self/mountinfo"))) {
    // id parent device root mount-point options … - type source super-options
    std::istringstream words(line);
    const std::vector<std::string> field(std::istream_iterator<std::string>(words), {});
    const auto dash = std::ranges::find(field, "-");
    if (field.size() < 6 || std::distance(dash, field.end()) < 4) {
      continue;
    }
    const std::string type = *(dash + 1);
    const std::string options = "," + *(dash + 3) + ",";
    const bool matches =
        controller.empty()
            ? type == "cgroup2"
            : type == "cgroup" && options.find("," + controller + ",") != options.npos;
    if (!matches) {
      continue;
    }
    const fs::path below = fs::path(own).lexically_relative(field[3]);
    const bool outside = !below.empty() && *below.begin() == "..";
    return (fs::path(field[4]) / (outside ? fs::path() : below)).lexically_normal();
  }
  return {};
}

/// Whether a group can be made in `parent` and has the file `probe`.
bool CanMakeGroup(const fs::path& parent, const std::string& probe) {
  if (parent.empty()) {
    return false;
  }
  const fs::path group =
      parent / (std::string(kPrefix) + "probe-" + std::to_string(::getpid()) + "-" +
                std::to_string(StartTicks(::getpid())) + "-" + std::to_string(::gettid()));
  std::error_code error;
  fs::create_directory(group, error);
  if (error) {
    return false;
  }
  const bool works = ::access((group / probe).c_str(), W_OK) == 0;
  ::rmdir(group.c_str());
  return works;
}

/// Kills what is in `directory` and removes it; gives up after a second.
void KillAndRemove(const fs::path& directory) {
  for (int attempt = 0; attempt < 200; ++attempt) {
    if (::rmdir(directory.c_str()) == 0 || errno == ENOENT) {
      return;
    }
    for (const std::string& line : SplitLines(ReadAll(directory / "cgroup.procs"))) {
      if (const auto pid = ReadNumber(line); pid && *pid > 0) {
        ::kill(static_cast<pid_t>(*pid), SIGKILL);
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

/// The lock of a group's owner; none when another has it, or the directory is gone.
UniqueFd LockDirectory(const fs::path& directory) {
  UniqueFd lock(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0 ? std::move(lock) : UniqueFd();
}

/// Removes the groups in `parent` whose owner is gone: nobody has their lock.
void SweepStale(const fs::path& parent) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, error)) {
    const std::string name = entry.path().filename();
    const std::string_view rest = std::string_view(name).substr(0, kPrefix.size());
    if (rest != kPrefix || name.size() == kPrefix.size() ||
        std::isdigit(static_cast<unsigned char>(name[kPrefix.size()])) == 0) {
      continue;
    }
    if (const UniqueFd lock = LockDirectory(entry.path())) {
      KillAndRemove(entry.path());
    }
  }
}

/// `assay-<pid>-<start>-<number>`: for people; and that two of one name meet is all but impossible.
std::string NextName() {
  static std::atomic<int> count = 0;  // Distinct names within this process; holds no state.
  return std::string(kPrefix) + std::to_string(::getpid()) + "-" +
         std::to_string(StartTicks(::getpid())) + "-" + std::to_string(count++);
}

/// Makes and locks `directory`. Another's sweep may come between the two and take it away, or have
/// it locked for as long as a removal takes, a second at most: then once more.
Result<UniqueFd> MakeLocked(const fs::path& directory) {
  constexpr int kAttempts = 2000;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (::mkdir(directory.c_str(), 0755) != 0 && errno != EEXIST) {
      break;
    }
    UniqueFd lock = LockDirectory(directory);
    struct stat locked = {};
    struct stat there = {};
    if (lock && ::fstat(lock.get(), &locked) == 0 && ::stat(directory.c_str(), &there) == 0 &&
        locked.st_ino == there.st_ino) {
      return lock;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return std::unexpected(SystemError("make control group " + directory.string(), errno));
}

}  // namespace

CgroupSupport FindCgroups() {
  CgroupSupport support;
  const fs::path memory = OwnDirectory("memory");
  const fs::path pids = OwnDirectory("pids");
  if (!memory.empty()) {
    support.version = 1;
    if (CanMakeGroup(memory, "memory.limit_in_bytes")) {
      support.memory = memory;
    }
    if (CanMakeGroup(pids, "pids.max")) {
      support.pids = pids;
    }
    if (const fs::path cpu = OwnDirectory("cpuacct"); CanMakeGroup(cpu, "cgroup.procs")) {
      support.cpu = cpu;
    }
  } else if (const fs::path own = OwnDirectory(""); !own.empty()) {
    support.version = 2;
    // A group that holds processes has no controllers to give its children, so the place is beside
    // us as often as below us.
    for (const fs::path& parent : {own, own.parent_path()}) {
      if (CanMakeGroup(parent, "memory.max") && CanMakeGroup(parent, "pids.max")) {
        support.memory = support.pids = support.cpu = parent;
        break;
      }
    }
  }
  if (support.memory.empty() || support.pids.empty()) {
    support.problem = support.version == 0 ? "no control group file system is mounted"
                                           : "no control group with memory and pids is writable";
  }
  return support;
}

Result<Cgroup> Cgroup::Create(const CgroupSupport& support, const Limits& limits,
                              int extra_processes) {
  Cgroup group;
  group.version_ = support.version;
  const std::string name = NextName();
  const auto make = [&](const fs::path& parent, fs::path& path) -> Status {
    if (parent.empty()) {
      return {};
    }
    path = parent / name;
    if (std::ranges::find(group.directories_, path) != group.directories_.end()) {
      return {};
    }
    SweepStale(parent);
    ASSAY_ASSIGN_OR_RETURN(UniqueFd lock, MakeLocked(path));
    group.directories_.push_back(path);
    group.locks_.push_back(std::move(lock));
    UniqueFd entry(::open((path / "cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
    if (!entry) {
      return std::unexpected(SystemError("open " + path.string() + "/cgroup.procs", errno));
    }
    group.entries_.push_back(std::move(entry));
    return {};
  };
  ASSAY_RETURN_IF_ERROR(make(support.memory, group.memory_));
  ASSAY_RETURN_IF_ERROR(make(support.pids, group.pids_));
  ASSAY_RETURN_IF_ERROR(make(support.cpu, group.cpu_));

  const std::string memory = std::to_string(limits.memory_bytes);
  bool limited = true;
  if (!group.memory_.empty() && group.version_ == 1) {
    limited = WriteText(group.memory_ / "memory.limit_in_bytes", memory);
    WriteText(group.memory_ / "memory.memsw.limit_in_bytes", memory);  // Only with swap accounting.
  } else if (!group.memory_.empty()) {
    limited = WriteText(group.memory_ / "memory.max", memory);
    WriteText(group.memory_ / "memory.swap.max", "0");
  }
  if (limited && !group.pids_.empty()) {
    limited =
        WriteText(group.pids_ / "pids.max", std::to_string(limits.processes + extra_processes));
  }
  if (!limited) {
    return std::unexpected(SystemError("set the limits of control group " + name, errno));
  }
  return group;
}

Cgroup::Cgroup(Cgroup&& other) noexcept { *this = std::move(other); }

Cgroup& Cgroup::operator=(Cgroup&& other) noexcept {
  if (this != &other) {
    Remove();
    version_ = other.version_;
    directories_ = std::exchange(other.directories_, {});
    locks_ = std::exchange(other.locks_, {});
    memory_ = std::exchange(other.memory_, {});
    pids_ = std::exchange(other.pids_, {});
    cpu_ = std::exchange(other.cpu_, {});
    entries_ = std::exchange(other.entries_, {});
  }
  return *this;
}

Cgroup::~Cgroup() { Remove(); }

std::vector<int> Cgroup::entries() const {
  std::vector<int> fds;
  fds.reserve(entries_.size());
  for (const UniqueFd& entry : entries_) {
    fds.push_back(entry.get());
  }
  return fds;
}

std::int64_t Cgroup::OomKills() const {
  if (memory_.empty()) {
    return 0;
  }
  const char* file = version_ == 1 ? "memory.oom_control" : "memory.events";
  return ReadKey(memory_ / file, "oom_kill").value_or(0);
}

std::optional<std::int64_t> Cgroup::PeakBytes() const {
  if (memory_.empty()) {
    return std::nullopt;
  }
  return ReadNumber(
      ReadAll(memory_ / (version_ == 1 ? "memory.max_usage_in_bytes" : "memory.peak")));
}

std::optional<std::int64_t> Cgroup::AnonymousBytes() const {
  if (memory_.empty()) {
    return std::nullopt;
  }
  return ReadKey(memory_ / "memory.stat", version_ == 1 ? "rss" : "anon");
}

std::optional<std::chrono::nanoseconds> Cgroup::CpuTime() const {
  if (cpu_.empty()) {
    return std::nullopt;
  }
  const std::int64_t scale = version_ == 1 ? 1 : 1000;
  const auto time = version_ == 1 ? ReadNumber(ReadAll(cpu_ / "cpuacct.usage"))
                                  : ReadKey(cpu_ / "cpu.stat", "usage_usec");
  return time ? std::optional(std::chrono::nanoseconds(*time * scale)) : std::nullopt;
}

void Cgroup::Kill() const {
  if (!pids_.empty()) {
    WriteText(pids_ / "pids.max", "0");
  }
  for (const fs::path& directory : directories_) {
    for (const std::string& line : SplitLines(ReadAll(directory / "cgroup.procs"))) {
      if (const auto pid = ReadNumber(line); pid && *pid > 0) {
        ::kill(static_cast<pid_t>(*pid), SIGKILL);
      }
    }
  }
}

void Cgroup::Remove() {
  entries_.clear();
  for (const fs::path& directory : directories_) {
    KillAndRemove(directory);
  }
  directories_.clear();
  locks_.clear();
}

}  // namespace assay
