// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLIENT_RUN_FLAGS_H_
#define ASSAY_CLIENT_RUN_FLAGS_H_

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "client/host.h"
#include "sandbox/level.h"

namespace assay {

/// Where CUDA operations are run: on the emulated GPU that this process has for its hosts, or on
/// hardware, which the hosts reach themselves.
enum class DeviceKind : std::uint8_t { kEmulated, kCuda };

/// The command line of a suite or a bench: `--assay_host=PATH` and so on, README.md has the table.
struct RunFlags {
  std::filesystem::path host;      ///< What is graded.
  std::filesystem::path baseline;  ///< For a bench, and for suites that compare with it.
  std::filesystem::path results;   ///< Where the results go; empty: nowhere.
  SandboxLevel level = SandboxLevel::kFull;
  std::uint64_t seed = 1;
  bool sanitized = false;
  DeviceKind device = DeviceKind::kEmulated;
  /// What one launch on an emulated device may take before it counts as endless: instructions of
  /// threads. The longest launch that a suite asks for is over 21 million logits: that leaves each
  /// of them 1,100, where a right kernel with three passes and a heap takes more than 380.
  std::uint64_t device_instructions = 24'000'000'000;
  /// Processors of the run: the hosts', ours and those of emulated GPUs. Empty: all we may use.
  std::vector<int> processors;
  std::optional<int> cpu;  ///< The hosts' processor; default: the last one of the run.
  /// Those that we might use before SeparateFromHosts; none where that was not called.
  std::vector<int> all_processors;
  std::chrono::milliseconds case_limit{10'000};
  std::chrono::milliseconds start_limit{20'000};  ///< HostOptions::start_limit.
  /// What starts and calls of graded hosts may take in one run, together. Half of what grade waits
  /// for a suite or bench (SuiteRun::time_limit), whose end would be our failure.
  std::chrono::milliseconds run_limit = std::chrono::minutes(15);
  std::int64_t memory_bytes = std::int64_t{4} << 30;
  std::int64_t output_bytes = std::int64_t{1} << 20;
  std::chrono::duration<double> bench_time{12};
  /// Which of several runs of one bench this is: each has other inputs.
  std::uint64_t bench_run = 0;
  int least_blocks = 9;  ///< SeriesRules of workloads; of controls the same number, and no more.
  int most_blocks = 20;
  /// Names of workloads that are not timed any more; their controls are.
  std::vector<std::string> left_out;
};

/// Takes every `--assay_…` argument out of argv. An unknown one, a bad value or a missing
/// --assay_host is an error of kind kConfiguration that names it.
[[nodiscard]] Result<RunFlags> ParseRunFlags(int* argc, char** argv);

/// Options for hosts of `executable` under these flags. Each purpose gets poison of its own.
[[nodiscard]] HostOptions HostOptionsFor(const RunFlags& flags,
                                         const std::filesystem::path& executable,
                                         std::string_view purpose);

/// flags.processors, or all that this process may use.
[[nodiscard]] std::vector<int> ProcessorsOfRun(const RunFlags& flags);

/// Chooses flags.cpu if it is not set, and pins this process to the first other processor of the
/// run, so that a host never has to share. Where the run has one processor, it is that one: hosts
/// and this process then work in turn, and neither spins.
[[nodiscard]] Status SeparateFromHosts(RunFlags& flags);

/// `seed` mixed with `name`: equal for equal arguments, and otherwise unrelated.
[[nodiscard]] std::uint64_t MixSeed(std::uint64_t seed, std::string_view name);

}  // namespace assay

#endif  // ASSAY_CLIENT_RUN_FLAGS_H_
