// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CUDART_RUNTIME_IMAGE_H_
#define ASSAY_CUDART_RUNTIME_IMAGE_H_

#include <string>
#include <vector>

#include "cudart/runtime/registry.h"
#include "emulator/core/device_link.h"

namespace assay::gpu::runtime {

/// The PTX of a binary that a GPU of a compute capability runs.
struct Image {
  std::string ptx;
  int arch = 0;  ///< 80 for compute_80; 0: not known.
  std::vector<MachineCode> machine_code = {};
};

/// The fat binary itself of what a program registers: nvcc wraps it.
[[nodiscard]] const void* FatBinaryData(const void* registered);

/// `compute_capability`: 90 for 9.0. Errors: 209 when the binary has no PTX at or below it, 200
/// when it cannot be read.
[[nodiscard]] DeviceResult<Image> ReadImage(const Binary& binary, int compute_capability);

}  // namespace assay::gpu::runtime

#endif  // ASSAY_CUDART_RUNTIME_IMAGE_H_
