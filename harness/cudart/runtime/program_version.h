// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CUDART_RUNTIME_PROGRAM_VERSION_H_
#define ASSAY_CUDART_RUNTIME_PROGRAM_VERSION_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "cudart/runtime/cuda_types.h"
#include "cudart/runtime/toolkit_version.h"

namespace assay::gpu::runtime {

struct State;

/// What a program calls this runtime by, where that differs: functions of one name that have other
/// parameters, and structures (cuda_layouts.h).
enum class Interface : std::uint8_t { kCuda11, kCuda12, kCuda13 };

/// The toolkits that parts of a program were compiled by.
struct ProgramToolkits {
  ToolkitVersion oldest;
  ToolkitVersion newest;
};
/// By ASSAY_CUDA_VERSION of the environment, or else by the program's fat binaries. Nothing where
/// neither is there.
[[nodiscard]] std::optional<ProgramToolkits> FindProgramToolkits(const State& state);

/// The interface by which `function` is called. cudaErrorNotSupported, and a notice that says why
/// and what to do, where the program does not say its version, was compiled by several, or by
/// one that is not served: before 11.8, or after 13.
cudaError_t FindInterface(State& state, std::string_view function, Interface* found);

}  // namespace assay::gpu::runtime

#endif  // ASSAY_CUDART_RUNTIME_PROGRAM_VERSION_H_
