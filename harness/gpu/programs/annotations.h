// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GPU_PROGRAMS_ANNOTATIONS_H_
#define ASSAY_GPU_PROGRAMS_ANNOTATIONS_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "emulator/report/finding.h"
#include "emulator/report/launch_report.h"

namespace assay::gpu {

/// A line of a program that a checker must point at: `// BUG: <checker> <kind>[|<kind>…] [host]`;
/// `// WARNING:` and `// INFO:`, and not as an error. A race shows as one kind or another by the
/// order in which threads ran, hence several.
struct ExpectedFinding {
  std::uint32_t line = 0;
  Checker checker = Checker::kMemcheck;  ///< Of the first kind.
  std::vector<FindingKind> kinds;
  bool on_host = false;                   ///< Found in a call of the host, whose line nobody knows.
  std::optional<Severity> severity = {};  ///< None: any.
};

/// A counter that somebody worked out by hand: `// COUNT: <kernel> <counter> <value>`, at whose end
/// ` from CUDA <major>` may say which compilers it is of.
struct ExpectedCount {
  std::uint32_t line = 0;
  std::string kernel;   ///< What the kernel's name begins with.
  std::string counter;  ///< As LaunchCounters spells it: `global_load.sectors`.
  std::uint64_t value = 0;
  int from_cuda = 0;  ///< Where an older nvcc compiles it otherwise. 0: every nvcc's.
};

/// What a program's comments say of its run (README.md has the list).
struct Annotations {
  std::vector<ExpectedFinding> findings;
  std::vector<ExpectedCount> counts;
  bool any_findings = false;  ///< `// FINDINGS: any`: the program provokes errors.
  /// `// FINDINGS: any before CUDA 12`: compiled by an older one, its library has them. 0: in none.
  int any_findings_before_cuda = 0;
  bool counters_vary = false;  ///< `// COUNTERS: vary`: it spins, or branches on who came first.
  std::optional<std::uint64_t> instruction_limit;  ///< `// LIMIT: <thread-instructions>`
  std::optional<std::uint64_t> reported;  ///< `// REPORTED: <findings>`: so many in all launches.
};

/// The annotations of a source. An error names the line that is malformed.
[[nodiscard]] Result<Annotations> ParseAnnotations(const std::filesystem::path& file,
                                                   std::string_view text);

/// Nothing when `findings` are those that `expected` says and no others, else what is missing or
/// too much, a line each. A finding answers an expectation of its kind in whose line one of its
/// sites lies.
[[nodiscard]] std::string Differences(std::span<const ExpectedFinding> expected,
                                      std::span<const Finding> findings,
                                      std::string_view file_name);

/// The named counter; nothing when there is none of that name.
[[nodiscard]] std::optional<std::uint64_t> FindCounter(const LaunchCounters& counters,
                                                       std::string_view name);

}  // namespace assay::gpu

#endif  // ASSAY_GPU_PROGRAMS_ANNOTATIONS_H_
