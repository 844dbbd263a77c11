// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_CORE_DEVICE_ERROR_H_
#define ASSAY_EMULATOR_CORE_DEVICE_ERROR_H_

#include <expected>
#include <string>

namespace assay::gpu {

/// How a device operation failed: a number of cudaError_t, and what a person needs.
struct DeviceError {
  int code = 0;  ///< cudaError_t's number (emulator/report/cuda_error.h).
  std::string detail;
};
template <class T>
using DeviceResult = std::expected<T, DeviceError>;
using DeviceStatus = DeviceResult<void>;

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_CORE_DEVICE_ERROR_H_
