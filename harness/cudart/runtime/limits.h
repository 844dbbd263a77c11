// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CUDART_RUNTIME_LIMITS_H_
#define ASSAY_CUDART_RUNTIME_LIMITS_H_

#include <array>

#include "emulator/model/gpu_model.h"
#include "emulator/report/launch_report.h"

namespace assay::gpu::runtime {

// What every GPU from compute capability 7.5 to 9.0 has (CUDA C++ Programming Guide, "Technical
// Specifications per Compute Capability").
inline constexpr std::array<unsigned, 3> kMostGrid{2147483647, 65535, 65535};
inline constexpr std::array<unsigned, 3> kMostBlock{1024, 1024, 64};
inline constexpr unsigned kMostThreadsPerBlock = 1024;
inline constexpr unsigned kWarpThreads = 32;
inline constexpr unsigned kSharedBytesPerBlock = 48 * 1024;
inline constexpr unsigned kConstantBytes = 64 * 1024;

/// The most threads of a block of this kernel, by its launch bounds and its registers.
[[nodiscard]] unsigned MostThreads(const GpuModel& model, const KernelResources& resources);

}  // namespace assay::gpu::runtime

#endif  // ASSAY_CUDART_RUNTIME_LIMITS_H_
