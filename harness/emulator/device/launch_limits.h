// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_DEVICE_LAUNCH_LIMITS_H_
#define ASSAY_EMULATOR_DEVICE_LAUNCH_LIMITS_H_

#include <cstdint>
#include <optional>

#include "emulator/core/device_error.h"
#include "emulator/core/device_link.h"
#include "emulator/device/modules.h"
#include "emulator/model/gpu_model.h"

namespace assay::gpu {

/// Why `model` would not launch `kernel` so: a grid, block, shared memory or parameters out of the
/// limits of "CUDA C++ Programming Guide", compute capabilities; nothing when it would.
/// `shared_bytes`: a block's, static and dynamic.
[[nodiscard]] std::optional<DeviceError> LaunchRefusal(const GpuModel& model,
                                                       const LaunchRequest& request,
                                                       const LoadedKernel& kernel,
                                                       std::uint64_t shared_bytes);

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_DEVICE_LAUNCH_LIMITS_H_
