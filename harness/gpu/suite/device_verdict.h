// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GPU_SUITE_DEVICE_VERDICT_H_
#define ASSAY_GPU_SUITE_DEVICE_VERDICT_H_

#include <optional>
#include <string>
#include <vector>

#include "client/host.h"
#include "emulator/report/finding.h"
#include "evidence/evidence.h"
#include "gpu/server/emulated_gpu.h"

namespace assay::gpu {

/// What the device saw of one call, judged. Nothing in it but told_lacks is the host's word.
struct DeviceVerdict {
  /// Ends the case:
  ///   kRuntimeError  a finding of severity error, or a launch that faulted
  ///   kTimeLimit     a launch met the instruction limit
  ///   kSkipped       the emulated GPU lacks what a kernel or a module needs
  ///   kOutputLimit   more launches than the record keeps, so that a finding may be among the rest
  std::optional<HostFailure> failure;
  std::vector<DeviceFinding> findings;  ///< Errors, as Summary has them.
  std::vector<std::string> lacks;       ///< Of kernels and modules. One line each.
  /// Functions that the host's runtime says it was asked for and lacks. Each is told once in a
  /// host's life. A program may well do without, so alone they end nothing; and a host that lies
  /// here keeps itself from being accepted.
  std::vector<std::string> told_lacks;
  bool had_memory = true;  ///< No allocation was refused.
  bool is_broken = false;  ///< A launch faulted: the device is of no use any more.
  /// Other refusals, `launch: 2000 threads in a block` and so on: why a status may be what it is.
  std::vector<std::string> refusals;
};
[[nodiscard]] DeviceVerdict JudgeRecord(const remote::DeviceRecord& record);

/// A finding as evidence keeps it: kind and places, the same wherever memory lies and whichever
/// thread was first, `write after write of 4 bytes of shared memory at softmax.cu:71 in
/// Merge(float*)`.
[[nodiscard]] DeviceFinding Summary(const Finding& finding);

/// All of a finding in one line: `racecheck: Race reported between Write access at …`.
[[nodiscard]] std::string FindingLine(const Finding& finding);

}  // namespace assay::gpu

#endif  // ASSAY_GPU_SUITE_DEVICE_VERDICT_H_
