// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_REPORT_RUN_SUMMARY_H_
#define ASSAY_EMULATOR_REPORT_RUN_SUMMARY_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "emulator/report/launch_report.h"

namespace assay::gpu {

/// All launches of one kernel.
struct KernelSummary {
  LaunchReport first;            ///< Its first launch, without lines and findings.
  std::uint64_t launches = 0;    ///< Failed ones too.
  bool shapes_differ = false;    ///< Not every launch had the first one's grid and block.
  LaunchCounters counters;       ///< Of all launches.
  double modelled_time_ns = 0;   ///< Of all launches.
  double longest_ns = 0;         ///< Modelled time of the launch that takes longest.
  std::string modelled_limiter;  ///< Of that launch.
  /// Of all launches, by file and line.
  std::map<std::pair<std::string, std::uint32_t>, LineCounters> lines;
};

/// A launch or call that ended with an error of the device.
struct RunError {
  std::uint64_t launch = 0;  ///< The first that ended so.
  std::string kernel;        ///< Empty: no launch.
  int error = 0;             ///< cudaError_t's number.
  std::string detail;
  std::uint64_t count = 1;
  bool is_explained = false;  ///< By a finding of its launch, which counts for both.
};

struct FindingCounts {
  std::uint64_t errors = 0;
  std::uint64_t warnings = 0;
  std::uint64_t infos = 0;
};

/// What a program did on the device, launch by launch, in the memory of its kernels and places
/// rather than of its launches.
class RunSummary {
 public:
  void Add(const LaunchReport& report);

  /// In the order of their first launches.
  [[nodiscard]] const std::vector<KernelSummary>& kernels() const { return kernels_; }
  /// In the order in which they came; those of equal checker, kind, severity, kernel, sites and
  /// note are one, with the sum of their counts, and the address and threads of the first.
  [[nodiscard]] const std::vector<Finding>& findings() const { return findings_; }
  [[nodiscard]] const std::vector<RunError>& errors() const { return errors_; }
  [[nodiscard]] std::uint64_t launches() const { return launches_; }
  /// Of findings, and of errors that none explains, each counted once however often it happened.
  [[nodiscard]] FindingCounts finding_counts() const;

 private:
  void AddFinding(const Finding& finding);

  std::vector<KernelSummary> kernels_;
  std::vector<Finding> findings_;
  std::vector<RunError> errors_;
  std::uint64_t launches_ = 0;
  // Where in the vectors above something is.
  std::map<std::string, std::size_t> kernel_of_;
  std::map<std::string, std::size_t> finding_of_;
  std::map<std::string, std::size_t> error_of_;
};

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_REPORT_RUN_SUMMARY_H_
