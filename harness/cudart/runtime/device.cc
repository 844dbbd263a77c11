// SPDX-License-Identifier: Apache-2.0
// The one device, its limits and flags, and how a program starts it anew.
#include <cstdlib>
#include <cstring>
#include <tuple>
#include <utility>

#include "cudart/runtime/attachment.h"
#include "cudart/runtime/program_version.h"
#include "cudart/runtime/state.h"

namespace assay::gpu::runtime {
namespace {

constexpr char kPciBusId[] = "0000:01:00.0";

template <Needs needs = Needs::kNothing, class Body>
cudaError_t WithDevice(int device, Body&& body) {
  return Enter<needs>([&](State& state) {
    if (FindDevice(state) == nullptr) {
      return cudaErrorNoDevice;
    }
    return device == 0 ? body(state) : cudaErrorInvalidDevice;
  });
}

/// Ends everything that a context holds. Handles of kernels stay: programs cache them.
void ResetAll(State& state) {
  ClearQueue(state);
  if (state.device != nullptr) {
    RuntimeAttachment().OnReset();
    for (const auto& [base, buffer] : state.host_buffers) {
      if (buffer.device != 0) {
        std::ignore = state.device->Free(buffer.device);
      }
      if (!buffer.registered) {
        std::free(const_cast<void*>(base));
      }
    }
    for (const auto& [address, size_bytes] : state.allocations) {
      std::ignore = state.device->Free(address);
    }
    UnloadAll(state);
  }
  state.host_buffers.clear();
  state.allocations.clear();
  state.mirrors.Clear();
  state.streams.created.clear();
  state.streams.per_thread.clear();
  state.streams.events.clear();
  state.streams.capturing = 0;
  state.graphs = {};
  state.pools.created.clear();
  state.pools.owner.clear();
  state.pools.default_pool = {};
  state.pools.current = &state.pools.default_pool;
  state.limits = {};
  state.sticky = cudaSuccess;
}

constexpr std::array<std::size_t, 7> kDefaultLimits{
    1024,             // Stack of a thread, bytes.
    1024 * 1024,      // printf's buffer.
    8 * 1024 * 1024,  // Device malloc's heap.
    2,
    2048,  // Device-side launches.
    128,   // L2 fetch granularity.
    0,     // Persisting L2.
};

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  return Enter<Needs::kNothing>([&](State& state) {
    if (count == nullptr) {
      return cudaErrorInvalidValue;
    }
    *count = FindDevice(state) == nullptr ? 0 : 1;
    return *count == 0 ? cudaErrorNoDevice : cudaSuccess;
  });
}

cudaError_t cudaGetDevice(int* device) {
  return WithDevice(0, [&](State&) {
    if (device == nullptr) {
      return cudaErrorInvalidValue;
    }
    *device = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaSetDevice(int device) {
  return WithDevice(device, [](State&) { return cudaSuccess; });
}

cudaError_t cudaInitDevice(int device, unsigned /*device_flags*/, unsigned /*flags*/) {
  return WithDevice(device, [](State&) { return cudaSuccess; });
}

cudaError_t cudaSetValidDevices(int* devices, int count) {
  return WithDevice(0, [&](State&) {
    if (count < 0 || (count > 0 && devices == nullptr)) {
      return cudaErrorInvalidValue;
    }
    for (int i = 0; i < count; ++i) {
      if (devices[i] != 0) {
        return cudaErrorInvalidDevice;
      }
    }
    return cudaSuccess;
  });
}

cudaError_t cudaChooseDevice(int* device, const void* properties) {
  return WithDevice(0, [&](State&) {
    if (device == nullptr || properties == nullptr) {
      return cudaErrorInvalidValue;
    }
    *device = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceReset() {
  return Enter<Needs::kNothing>([&](State& state) {
    ResetAll(state);
    CurrentThread().last_error = cudaSuccess;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return Enter([](State& state) {
    cudaError_t error = CheckUnsafeCall(state);
    error = error == cudaSuccess ? FinishAll(state) : error;
    return error == cudaSuccess ? state.refused : error;
  });
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return WithDevice(0, [&](State& state) {
    if ((flags & ~unsigned{cudaDeviceMask}) != 0) {
      return cudaErrorInvalidValue;
    }
    state.device_flags = flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return WithDevice(0, [&](State& state) {
    if (flags == nullptr) {
      return cudaErrorInvalidValue;
    }
    *flags = state.device_flags | cudaDeviceMapHost;
    return cudaSuccess;
  });
}

// Limits are kept and told back; none of them changes how kernels run here.
cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
  return Enter([&](State& state) {
    if (static_cast<std::size_t>(limit) >= state.limits.size()) {
      return cudaErrorUnsupportedLimit;
    }
    state.limits.at(limit) = value;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  return Enter([&](State& state) {
    if (value == nullptr) {
      return cudaErrorInvalidValue;
    }
    if (static_cast<std::size_t>(limit) >= state.limits.size()) {
      return cudaErrorUnsupportedLimit;
    }
    *value = state.limits.at(limit) == 0 ? kDefaultLimits.at(limit) : state.limits.at(limit);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  return Enter([&](State& state) {
    state.cache_config = config;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  return Enter([&](State& state) {
    if (config == nullptr) {
      return cudaErrorInvalidValue;
    }
    *config = state.cache_config;
    return cudaSuccess;
  });
}

// Names of before CUDA 4, gone in 13.
cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
cudaError_t cudaThreadExit() { return cudaDeviceReset(); }
cudaError_t cudaThreadSetLimit(cudaLimit limit, std::size_t value) {
  return cudaDeviceSetLimit(limit, value);
}
cudaError_t cudaThreadGetLimit(std::size_t* value, cudaLimit limit) {
  return cudaDeviceGetLimit(value, limit);
}
cudaError_t cudaThreadSetCacheConfig(cudaFuncCache config) {
  return cudaDeviceSetCacheConfig(config);
}
cudaError_t cudaThreadGetCacheConfig(cudaFuncCache* config) {
  return cudaDeviceGetCacheConfig(config);
}

cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig /*config*/) {
  return Enter([](State&) { return cudaSuccess; });
}

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  return Enter([&](State&) {
    if (config == nullptr) {
      return cudaErrorInvalidValue;
    }
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
  });
}

cudaError_t cudaCtxResetPersistingL2Cache() {
  return Enter([](State&) { return cudaSuccess; });
}

// The version that the program was compiled for, which its own runtime library would have.
cudaError_t cudaDriverGetVersion(int* version) {
  return Enter<Needs::kNothing>([&](State& state) {
    constexpr ToolkitVersion kWhereUnknown{13, 0};
    constexpr int kPerMajor = 1000;
    constexpr int kPerMinor = 10;
    if (version == nullptr) {
      return cudaErrorInvalidValue;
    }
    const auto toolkits = FindProgramToolkits(state);
    const ToolkitVersion newest = toolkits ? toolkits->newest : kWhereUnknown;
    *version = newest.major * kPerMajor + newest.minor * kPerMinor;
    return cudaSuccess;
  });
}

cudaError_t cudaRuntimeGetVersion(int* version) { return cudaDriverGetVersion(version); }

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return WithDevice(device, [&](State&) {
    if (text == nullptr || length < static_cast<int>(sizeof kPciBusId)) {
      return cudaErrorInvalidValue;
    }
    std::memcpy(text, kPciBusId, sizeof kPciBusId);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
  return WithDevice(0, [&](State&) {
    if (device == nullptr || text == nullptr) {
      return cudaErrorInvalidValue;
    }
    if (std::string_view(text) != kPciBusId) {
      return cudaErrorInvalidDevice;
    }
    *device = 0;
    return cudaSuccess;
  });
}

// There is no second device to be a peer.
cudaError_t cudaDeviceCanAccessPeer(int* can_access, int device, int peer) {
  return WithDevice(device, [&](State&) {
    if (can_access == nullptr || peer != 0) {
      return can_access == nullptr ? cudaErrorInvalidValue : cudaErrorInvalidDevice;
    }
    *can_access = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int /*peer*/, unsigned /*flags*/) {
  return Enter([](State&) { return cudaErrorInvalidDevice; });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return WithDevice(peer, [](State&) { return cudaErrorPeerAccessNotEnabled; });
}

cudaError_t cudaProfilerStart() {
  return Enter([](State&) { return cudaSuccess; });
}
cudaError_t cudaProfilerStop() {
  return Enter([](State&) { return cudaSuccess; });
}

}  // extern "C"
}  // namespace assay::gpu::runtime
