// SPDX-License-Identifier: Apache-2.0
// Pinned host memory: plain memory that the runtime knows of, so that a kernel can be given it.
#include <unistd.h>

#include <bit>
#include <cstdlib>
#include <tuple>

#include "cudart/runtime/state.h"

namespace assay::gpu::runtime {
namespace {

cudaError_t AllocateHost(State& state, void** pointer, std::size_t size_bytes, unsigned flags) {
  if (pointer == nullptr) {
    return cudaErrorInvalidValue;
  }
  if (const cudaError_t error = CheckUnsafeCall(state); error != cudaSuccess) {
    return error;
  }
  *pointer = nullptr;
  if (size_bytes == 0) {
    return cudaSuccess;
  }
  const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  if (posix_memalign(pointer, page_bytes, size_bytes) != 0) {
    *pointer = nullptr;
    return cudaErrorMemoryAllocation;
  }
  state.host_buffers[*pointer] = {.size_bytes = size_bytes, .flags = flags};
  return cudaSuccess;
}

void Forget(State& state, const void* base, const HostBuffer& buffer) {
  if (buffer.device != 0) {
    std::ignore = state.device->Free(buffer.device);
    if (const Mirror* const mirror = state.mirrors.FindByDevice(buffer.device)) {
      state.mirrors.Remove(*mirror);
    }
  }
  state.host_buffers.erase(base);
}

}  // namespace

extern "C" {

cudaError_t cudaMallocHost(void** pointer, std::size_t size_bytes) {
  return Enter([&](State& state) { return AllocateHost(state, pointer, size_bytes, 0); });
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t size_bytes, unsigned flags) {
  return Enter([&](State& state) {
    constexpr unsigned kKnown =
        cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    return (flags & ~kKnown) != 0 ? cudaErrorInvalidValue
                                  : AllocateHost(state, pointer, size_bytes, flags);
  });
}

cudaError_t cudaFreeHost(void* pointer) {
  return Enter([&](State& state) {
    if (pointer == nullptr) {
      return cudaSuccess;
    }
    // Work may still read or write it.
    if (const cudaError_t error = FinishAll(state); error != cudaSuccess) {
      return error;
    }
    const auto found = state.host_buffers.find(pointer);
    if (found == state.host_buffers.end() || found->second.registered) {
      return cudaErrorInvalidValue;
    }
    Forget(state, pointer, found->second);
    std::free(pointer);
    return cudaSuccess;
  });
}

cudaError_t cudaHostRegister(void* pointer, std::size_t size_bytes, unsigned flags) {
  return Enter([&](State& state) {
    if (pointer == nullptr || size_bytes == 0) {
      return cudaErrorInvalidValue;
    }
    const auto after = state.host_buffers.lower_bound(pointer);
    const void* base = nullptr;
    const bool overlaps_next =
        after != state.host_buffers.end() &&
        std::bit_cast<std::uint64_t>(after->first) - std::bit_cast<std::uint64_t>(pointer) <
            size_bytes;
    if (overlaps_next || FindHostBuffer(state, pointer, &base) != nullptr) {
      return cudaErrorHostMemoryAlreadyRegistered;
    }
    state.host_buffers[pointer] = {.size_bytes = size_bytes, .flags = flags, .registered = true};
    return cudaSuccess;
  });
}

cudaError_t cudaHostUnregister(void* pointer) {
  return Enter([&](State& state) {
    if (const cudaError_t error = FinishAll(state); error != cudaSuccess) {
      return error;
    }
    const auto found = state.host_buffers.find(pointer);
    if (found == state.host_buffers.end() || !found->second.registered) {
      return cudaErrorHostMemoryNotRegistered;
    }
    Forget(state, pointer, found->second);
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetDevicePointer(void** device_pointer, void* host_pointer, unsigned flags) {
  return Enter([&](State& state) {
    const void* base = nullptr;
    HostBuffer* const buffer = FindHostBuffer(state, host_pointer, &base);
    if (device_pointer == nullptr || flags != 0 || buffer == nullptr) {
      return cudaErrorInvalidValue;
    }
    const cudaError_t error = MirrorHostBuffer(state, base, *buffer);
    if (error == cudaSuccess) {
      *device_pointer =
          std::bit_cast<void*>(buffer->device + std::bit_cast<std::uint64_t>(host_pointer) -
                               std::bit_cast<std::uint64_t>(base));
    }
    return error;
  });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* host_pointer) {
  return Enter([&](State& state) {
    const void* base = nullptr;
    const HostBuffer* const buffer = FindHostBuffer(state, host_pointer, &base);
    if (flags == nullptr || buffer == nullptr) {
      return cudaErrorInvalidValue;
    }
    // Every pinned buffer can be mapped: unified addressing.
    *flags = buffer->flags | cudaHostAllocMapped;
    return cudaSuccess;
  });
}

}  // extern "C"
}  // namespace assay::gpu::runtime
