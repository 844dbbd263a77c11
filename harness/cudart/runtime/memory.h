// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CUDART_RUNTIME_MEMORY_H_
#define ASSAY_CUDART_RUNTIME_MEMORY_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "cudart/runtime/cuda_types.h"
#include "emulator/core/device_link.h"

namespace assay::gpu::runtime {

struct State;

/// Device memory for a program; `function` is named where it fails.
cudaError_t Allocate(State& state, std::string_view function, std::uint64_t size_bytes,
                     void** pointer);
/// Of any function that allocates; null is fine. Waits for all work, and FreeNow does not.
cudaError_t Free(State& state, void* pointer);
cudaError_t FreeNow(State& state, void* pointer);

/// The device memory that holds `address`: an allocation, or a variable. Managed memory and
/// mirrors count as well.
std::optional<DeviceVariable> FindDeviceMemory(State& state, std::uint64_t address);
/// The same from what the runtime knows by itself, without asking the device.
bool IsKnownDeviceMemory(const State& state, std::uint64_t address);

/// `width_bytes` rounded up to the pitch that cudaMallocPitch gives; nothing where it would wrap.
std::optional<std::uint64_t> PitchOf(std::uint64_t width_bytes);

}  // namespace assay::gpu::runtime

#endif  // ASSAY_CUDART_RUNTIME_MEMORY_H_
