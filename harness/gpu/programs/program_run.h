// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GPU_PROGRAMS_PROGRAM_RUN_H_
#define ASSAY_GPU_PROGRAMS_PROGRAM_RUN_H_

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "emulator/report/launch_report.h"
#include "gpu/tool/device_settings.h"
#include "process/subprocess.h"

namespace assay::gpu {

/// What a program that is linked with our runtime printed, returned and did on the device.
struct ProgramRun {
  ProcessExit exit;
  bool timed_out = false;
  std::string output;
  std::string errors;
  std::vector<LaunchReport> launches;

  /// Of all launches, and of the host's calls.
  [[nodiscard]] std::vector<Finding> Findings() const;
};

/// Runs `executable` to its end, at most a minute, with `settings`. A report that cannot be read is
/// an error, as is a program that does not start.
[[nodiscard]] Result<ProgramRun> RunProgram(const std::filesystem::path& executable,
                                            const DeviceSettings& settings);

}  // namespace assay::gpu

#endif  // ASSAY_GPU_PROGRAMS_PROGRAM_RUN_H_
