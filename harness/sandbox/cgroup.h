// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SANDBOX_CGROUP_H_
#define ASSAY_SANDBOX_CGROUP_H_

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/unique_fd.h"
#include "sandbox/limits.h"

namespace assay {

/// Where this machine lets us make control groups: a writable folder for each controller (version
/// 1), or one for all (version 2). Empty paths where there is none.
struct CgroupSupport {
  int version = 0;  ///< 0: none, 1 or 2.
  std::filesystem::path memory;
  std::filesystem::path pids;
  std::filesystem::path cpu;
  std::string problem;  ///< Why memory or pids are missing.
};
/// Found by trying: makes and removes a group in each place.
[[nodiscard]] CgroupSupport FindCgroups();

/// The control group of one sandboxed program. Move-only; the destructor removes it, killing what
/// is left in it. Its directories are locked (flock) for as long as it lives, so that the groups of
/// a killed harness are recognised and removed by the next, and those of one that lives are left
/// alone whatever container it is in: process numbers say nothing there.
class Cgroup {
 public:
  /// Makes a group with `limits`, `extra_processes` more for the sandbox's own; sweeps stale ones.
  [[nodiscard]] static Result<Cgroup> Create(const CgroupSupport& support, const Limits& limits,
                                             int extra_processes);

  Cgroup(Cgroup&& other) noexcept;
  Cgroup& operator=(Cgroup&& other) noexcept;
  Cgroup(const Cgroup&) = delete;
  Cgroup& operator=(const Cgroup&) = delete;
  ~Cgroup();

  /// Open `cgroup.procs` files, one a hierarchy: a process joins by writing "0" to each.
  [[nodiscard]] std::vector<int> entries() const;
  [[nodiscard]] bool LimitsProcesses() const { return !pids_.empty(); }
  /// How many processes the OOM killer took in it.
  [[nodiscard]] std::int64_t OomKills() const;
  [[nodiscard]] std::optional<std::int64_t> PeakBytes() const;
  [[nodiscard]] std::optional<std::int64_t> AnonymousBytes() const;
  [[nodiscard]] std::optional<std::chrono::nanoseconds> CpuTime() const;
  /// Kills all that is in it and lets nothing new start in it.
  void Kill() const;

 private:
  Cgroup() = default;
  void Remove();

  int version_ = 0;
  std::vector<std::filesystem::path> directories_;  // Each once.
  std::vector<UniqueFd> locks_;                     // One for each.
  std::filesystem::path memory_;
  std::filesystem::path pids_;
  std::filesystem::path cpu_;
  std::vector<UniqueFd> entries_;
};

}  // namespace assay

#endif  // ASSAY_SANDBOX_CGROUP_H_
