// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GPU_TOOL_DEVICE_SETTINGS_H_
#define ASSAY_GPU_TOOL_DEVICE_SETTINGS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "cudart/runtime/options.h"
#include "emulator/core/device_options.h"

namespace assay::gpu {

/// What a run may ask of the device, apart from what the device decides itself.
struct DeviceSettings {
  GpuModel model = H100();
  Schedule schedule = Schedule::kAscending;
  std::uint64_t seed = 0;
  Checking checking = Checking::kOn;
  Approximation approximation = Approximation::kRounded;
  unsigned workers = 0;  ///< 0: all cores.
  LeakCheck leak_check = LeakCheck::kOff;
  std::optional<std::uint64_t> instruction_limit = {};  ///< Thread-instructions a launch.
};

/// The variable in which a program that is linked with our runtime finds its settings.
inline constexpr const char* kSettingsVariable = runtime::kOptionsVariable;

/// The variable's value (runtime/options.h). The runtime writes one line of JSON for each launch
/// (report/json.h) to its descriptor `report_fd`.
[[nodiscard]] std::string ToJson(const DeviceSettings& settings, int report_fd);

}  // namespace assay::gpu

#endif  // ASSAY_GPU_TOOL_DEVICE_SETTINGS_H_
