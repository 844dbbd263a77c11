// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_DOCTOR_REPORT_H_
#define ASSAY_CLI_DOCTOR_REPORT_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "evidence/evidence.h"
#include "exec/baseline_check.h"
#include "sandbox/capabilities.h"

namespace assay {

/// What cannot be done without a tool.
enum class Need { kRequired, kForCuda, kForCodeQuality };

struct ToolFact {
  std::string name;
  std::string version;  ///< First line of `--version`; empty when the tool is missing.
  Need need = Need::kRequired;
  std::string remedy;  ///< How to get it.
};

/// Rates of so many threads.
struct RateFact {
  int threads = 1;
  double bandwidth_bytes_per_second = 0;  ///< NaN: could not be measured.
  double fma_flops_per_second = 0;
};

struct ClockFact {
  double resolution_ns = 0;  ///< Smallest step seen between two readings.
  double reading_ns = 0;     ///< What one reading costs.
};

/// The empty call into a host. `problem` says why there are no figures.
struct RoundTripFact {
  double median_ns = 0;
  double p99_ns = 0;
  std::string problem;
};

/// Whether this machine compiles a challenge's baseline as it would a submission.
struct BaselineFact {
  std::string challenge;
  Result<BaselineCheck> check;
};

/// One for each of `faults`, which are of files below `challenges/`: of such a challenge no
/// baseline can be checked.
[[nodiscard]] std::vector<BaselineFact> FactsOfFaults(const Errors& faults);

/// What `assay doctor` found out.
struct DoctorReport {
  std::vector<ToolFact> tools;
  SandboxCapabilities sandbox;
  std::vector<BaselineFact> baselines;
  Machine machine;
  std::vector<RateFact> rates;
  ClockFact clock;
  RoundTripFact round_trip;
};

[[nodiscard]] std::string FormatDoctor(const DoctorReport& report);
[[nodiscard]] nlohmann::json DoctorToJson(const DoctorReport& report);

/// Whether a required tool is missing.
[[nodiscard]] bool LacksRequiredTool(const DoctorReport& report);
/// Whether a baseline does not compile, or its host does not answer, by a fault of this machine.
[[nodiscard]] bool FailsAtABaseline(const DoctorReport& report);

}  // namespace assay

#endif  // ASSAY_CLI_DOCTOR_REPORT_H_
