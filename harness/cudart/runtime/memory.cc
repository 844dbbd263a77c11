// SPDX-License-Identifier: Apache-2.0
#include "cudart/runtime/memory.h"

#include <bit>
#include <limits>

#include "cudart/runtime/cuda_layouts.h"
#include "cudart/runtime/state.h"

namespace assay::gpu::runtime {

cudaError_t Allocate(State& state, std::string_view function, std::uint64_t size_bytes,
                     void** pointer) {
  if (pointer == nullptr) {
    return cudaErrorInvalidValue;
  }
  if (const cudaError_t error = CheckUnsafeCall(state); error != cudaSuccess) {
    return error;
  }
  if (size_bytes == 0) {
    *pointer = nullptr;
    return cudaSuccess;
  }
  const auto allocated = state.device->Allocate(size_bytes);
  if (!allocated) {
    // Programs probe for memory, and look at the code: no notice of a plain lack of it.
    return allocated.error().code == cudaErrorMemoryAllocation
               ? cudaErrorMemoryAllocation
               : Fail(state, function, allocated.error());
  }
  state.allocations[*allocated] = size_bytes;
  *pointer = std::bit_cast<void*>(*allocated);
  return cudaSuccess;
}

cudaError_t Free(State& state, void* pointer) {
  if (pointer == nullptr) {
    return cudaSuccess;
  }
  if (const cudaError_t error = CheckUnsafeCall(state); error != cudaSuccess) {
    return error;
  }
  // Memory goes when all work on the device is done, as cudaFree has it.
  if (const cudaError_t error = FinishAll(state); error != cudaSuccess) {
    return error;
  }
  return FreeNow(state, pointer);
}

cudaError_t FreeNow(State& state, void* pointer) {
  const auto address = std::bit_cast<std::uint64_t>(pointer);
  if (const auto freed = state.device->Free(address); !freed) {
    return static_cast<cudaError_t>(freed.error().code);  // The device makes a finding of it.
  }
  if (const auto owner = state.pools.owner.find(address); owner != state.pools.owner.end()) {
    owner->second->used_bytes -= state.allocations[address];
    state.pools.owner.erase(owner);
  }
  state.allocations.erase(address);
  ReleaseManaged(state, address);
  return cudaSuccess;
}

bool IsKnownDeviceMemory(const State& state, std::uint64_t address) {
  if (state.mirrors.FindByDevice(address) != nullptr) {
    return true;
  }
  auto after = state.allocations.upper_bound(address);
  if (after == state.allocations.begin()) {
    return false;
  }
  --after;
  return address - after->first < after->second;
}

std::optional<DeviceVariable> FindDeviceMemory(State& state, std::uint64_t address) {
  if (const Mirror* const mirror = state.mirrors.FindByDevice(address)) {
    return DeviceVariable{.address = mirror->device, .size_bytes = mirror->size_bytes};
  }
  return state.device->AllocationOf(address);
}

std::optional<std::uint64_t> PitchOf(std::uint64_t width_bytes) {
  constexpr std::uint64_t kPitchBytes = 512;
  if (width_bytes > std::numeric_limits<std::uint64_t>::max() - kPitchBytes) {
    return std::nullopt;
  }
  return (width_bytes + kPitchBytes - 1) / kPitchBytes * kPitchBytes;
}

namespace {

/// Bytes of `height` by `depth` rows; nothing where it would wrap.
std::optional<std::uint64_t> Product(std::uint64_t pitch, std::uint64_t height,
                                     std::uint64_t depth) {
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(height, depth, &rows) || __builtin_mul_overflow(pitch, rows, &bytes)) {
    return std::nullopt;
  }
  return bytes;
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** pointer, std::size_t size_bytes) {
  return Enter([&](State& state) { return Allocate(state, "cudaMalloc", size_bytes, pointer); });
}

cudaError_t cudaFree(void* pointer) {
  return Enter([&](State& state) { return Free(state, pointer); });
}

cudaError_t cudaMallocManaged(void** pointer, std::size_t size_bytes, unsigned flags) {
  return Enter([&](State& state) {
    if (pointer == nullptr || size_bytes == 0 ||
        (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)) {
      return cudaErrorInvalidValue;
    }
    if (const cudaError_t error = CheckUnsafeCall(state); error != cudaSuccess) {
      return error;
    }
    std::uint64_t address = 0;
    const cudaError_t error = AllocateManaged(state, size_bytes, &address);
    if (error == cudaSuccess) {
      state.allocations[address] = size_bytes;
      *pointer = std::bit_cast<void*>(address);
    }
    return error;
  });
}

cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width_bytes,
                            std::size_t height) {
  return Enter([&](State& state) {
    if (pitch == nullptr) {
      return cudaErrorInvalidValue;
    }
    const auto row = PitchOf(width_bytes);
    const auto bytes = row ? Product(*row, height, 1) : std::nullopt;
    if (!bytes) {
      return cudaErrorMemoryAllocation;
    }
    *pitch = *row;
    return Allocate(state, "cudaMallocPitch", *bytes, pointer);
  });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pitched, cudaExtent extent) {
  return Enter([&](State& state) {
    if (pitched == nullptr) {
      return cudaErrorInvalidValue;
    }
    const auto row = PitchOf(extent.width);
    const auto bytes = row ? Product(*row, extent.height, extent.depth) : std::nullopt;
    if (!bytes) {
      return cudaErrorMemoryAllocation;
    }
    *pitched = {.ptr = nullptr, .pitch = *row, .xsize = extent.width, .ysize = extent.height};
    return Allocate(state, "cudaMalloc3D", *bytes, &pitched->ptr);
  });
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  return Enter([&](State& state) {
    if (free_bytes == nullptr || total_bytes == nullptr) {
      return cudaErrorInvalidValue;
    }
    const MemoryInfo memory = state.device->Memory();
    *free_bytes = memory.free_bytes;
    *total_bytes = memory.total_bytes;
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(PointerAttributes* attributes, const void* pointer) {
  return Enter([&](State& state) {
    if (attributes == nullptr) {
      return cudaErrorInvalidValue;
    }
    *attributes = {};
    auto* const plain = const_cast<void*>(pointer);
    const auto address = std::bit_cast<std::uint64_t>(pointer);
    const void* base = nullptr;
    const Mirror* const mirror = state.mirrors.FindByDevice(address);
    if (mirror != nullptr && mirror->host == mirror->device) {
      attributes->type = cudaMemoryTypeManaged;
      attributes->device = 0;
      attributes->devicePointer = plain;
      attributes->hostPointer = plain;
    } else if (const HostBuffer* const buffer = FindHostBuffer(state, pointer, &base)) {
      attributes->type = cudaMemoryTypeHost;
      attributes->device = 0;
      attributes->hostPointer = plain;
      // Unified addressing: a kernel may be given the host's own pointer.
      attributes->devicePointer =
          buffer->device == 0
              ? plain
              : std::bit_cast<void*>(buffer->device + address - std::bit_cast<std::uint64_t>(base));
    } else if (FindDeviceMemory(state, address)) {
      attributes->type = cudaMemoryTypeDevice;
      attributes->device = 0;
      attributes->devicePointer = plain;
    } else {
      attributes->type = cudaMemoryTypeUnregistered;
      attributes->device = cudaInvalidDeviceId;
      attributes->hostPointer = plain;
    }
    return cudaSuccess;
  });
}

}  // extern "C"
}  // namespace assay::gpu::runtime
