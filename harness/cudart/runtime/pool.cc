// SPDX-License-Identifier: Apache-2.0
// Stream-ordered memory: there from the call that asks for it, and freed in its stream's order.
// Pools only count.
#include <algorithm>
#include <bit>
#include <utility>

#include "cudart/runtime/memory.h"
#include "cudart/runtime/state.h"

namespace assay::gpu::runtime {
namespace {

CUmemPoolHandle_st* FindPool(State& state, cudaMemPool_t handle) {
  if (handle == &state.pools.default_pool) {
    return handle;
  }
  const auto found = state.pools.created.find(handle);
  return found == state.pools.created.end() ? nullptr : found->second.get();
}

cudaError_t RefuseCapture(State& state, const char* function) {
  Notice(state, function, cudaErrorNotSupported,
         "memory nodes of graphs are not supported by the emulated GPU; allocate before the "
         "stream is captured");
  return cudaErrorNotSupported;
}

cudaError_t AllocateFrom(State& state, cudaMemPool_t handle, void** pointer, std::size_t size_bytes,
                         cudaStream_t stream_handle) {
  CUmemPoolHandle_st* const pool = FindPool(state, handle);
  const CUstream_st* const stream = FindStream(state, stream_handle);
  if (pool == nullptr || stream == nullptr) {
    return pool == nullptr ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
  }
  if (stream->capture != nullptr) {
    return RefuseCapture(state, "cudaMallocAsync");
  }
  const cudaError_t error = Allocate(state, "cudaMallocAsync", size_bytes, pointer);
  if (error == cudaSuccess && *pointer != nullptr) {
    state.pools.owner[std::bit_cast<std::uint64_t>(*pointer)] = handle;
    pool->used_bytes += size_bytes;
    pool->most_used_bytes = std::max(pool->most_used_bytes, pool->used_bytes);
  }
  return error;
}

template <class Body>
cudaError_t WithPool(cudaMemPool_t handle, Body&& body) {
  return Enter([&](State& state) {
    CUmemPoolHandle_st* const pool = FindPool(state, handle);
    return pool == nullptr ? cudaErrorInvalidValue : body(state, *pool);
  });
}

template <class Body>
cudaError_t WithDeviceOf(int device, Body&& body) {
  return Enter([&](State& state) { return device == 0 ? body(state) : cudaErrorInvalidDevice; });
}

bool IsInt(cudaMemPoolAttr attribute) {
  return attribute == cudaMemPoolReuseFollowEventDependencies ||
         attribute == cudaMemPoolReuseAllowOpportunistic ||
         attribute == cudaMemPoolReuseAllowInternalDependencies;
}

}  // namespace

extern "C" {

cudaError_t cudaMallocAsync(void** pointer, std::size_t size_bytes, cudaStream_t stream) {
  return Enter([&](State& state) {
    return AllocateFrom(state, state.pools.current, pointer, size_bytes, stream);
  });
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t size_bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  return Enter(
      [&](State& state) { return AllocateFrom(state, pool, pointer, size_bytes, stream); });
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t handle) {
  return Enter([&](State& state) {
    CUstream_st* const stream = FindStream(state, handle);
    if (stream == nullptr || pointer == nullptr) {
      return stream == nullptr ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
    }
    if (stream->capture != nullptr) {
      return RefuseCapture(state, "cudaFreeAsync");
    }
    if (QueuesWork() && state.allocations.contains(std::bit_cast<std::uint64_t>(pointer))) {
      return EnqueueFree(state, *stream, pointer);
    }
    // The host does not wait, though the work before it is done.
    return TracksOrder(state) ? FreeNow(state, pointer) : Free(state, pointer);
  });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return WithDeviceOf(device, [&](State& state) {
    if (pool == nullptr) {
      return cudaErrorInvalidValue;
    }
    *pool = &state.pools.default_pool;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return WithDeviceOf(device, [&](State& state) {
    if (pool == nullptr) {
      return cudaErrorInvalidValue;
    }
    *pool = state.pools.current;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return WithDeviceOf(device, [&](State& state) {
    CUmemPoolHandle_st* const found = FindPool(state, pool);
    if (found == nullptr) {
      return cudaErrorInvalidValue;
    }
    state.pools.current = found;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  return Enter([&](State& state) {
    if (pool == nullptr || properties == nullptr ||
        properties->allocType != cudaMemAllocationTypePinned) {
      return cudaErrorInvalidValue;
    }
    if (properties->location.type != cudaMemLocationTypeDevice) {
      Notice(state, "cudaMemPoolCreate", cudaErrorNotSupported,
             "pools of host memory are not supported by the emulated GPU");
      return cudaErrorNotSupported;
    }
    if (properties->location.id != 0) {
      return cudaErrorInvalidDevice;
    }
    auto created = std::make_unique<CUmemPoolHandle_st>();
    *pool = created.get();
    state.pools.created[*pool] = std::move(created);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return Enter([&](State& state) {
    if (state.pools.created.erase(pool) == 0) {
      return cudaErrorInvalidValue;
    }
    if (state.pools.current == pool) {
      state.pools.current = &state.pools.default_pool;
    }
    std::erase_if(state.pools.owner, [&](const auto& entry) { return entry.second == pool; });
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t /*keep_bytes*/) {
  return WithPool(pool, [](State&, const CUmemPoolHandle_st&) { return cudaSuccess; });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
  return WithPool(handle, [&](State&, CUmemPoolHandle_st& pool) {
    if (value == nullptr) {
      return cudaErrorInvalidValue;
    }
    const std::uint64_t number = IsInt(attribute)
                                     ? static_cast<std::uint64_t>(*static_cast<int*>(value))
                                     : *static_cast<std::uint64_t*>(value);
    switch (attribute) {
      case cudaMemPoolAttrUsedMemHigh:
      case cudaMemPoolAttrReservedMemHigh:
        // Only a reset is allowed.
        pool.most_used_bytes = pool.used_bytes;
        return number == 0 ? cudaSuccess : cudaErrorInvalidValue;
      case cudaMemPoolReuseFollowEventDependencies:
      case cudaMemPoolReuseAllowOpportunistic:
      case cudaMemPoolReuseAllowInternalDependencies:
      case cudaMemPoolAttrReleaseThreshold:
        pool.attributes.at(attribute) = number;
        return cudaSuccess;
      default:
        return cudaErrorInvalidValue;
    }
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
  return WithPool(handle, [&](State&, const CUmemPoolHandle_st& pool) {
    if (value == nullptr) {
      return cudaErrorInvalidValue;
    }
    switch (attribute) {
      case cudaMemPoolAttrUsedMemCurrent:
      case cudaMemPoolAttrReservedMemCurrent:
        *static_cast<std::uint64_t*>(value) = pool.used_bytes;
        return cudaSuccess;
      case cudaMemPoolAttrUsedMemHigh:
      case cudaMemPoolAttrReservedMemHigh:
        *static_cast<std::uint64_t*>(value) = pool.most_used_bytes;
        return cudaSuccess;
      case cudaMemPoolReuseFollowEventDependencies:
      case cudaMemPoolReuseAllowOpportunistic:
      case cudaMemPoolReuseAllowInternalDependencies:
        *static_cast<int*>(value) = static_cast<int>(pool.attributes.at(attribute));
        return cudaSuccess;
      case cudaMemPoolAttrReleaseThreshold:
        *static_cast<std::uint64_t*>(value) = pool.attributes.at(attribute);
        return cudaSuccess;
      default:
        return cudaErrorInvalidValue;
    }
  });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* accesses,
                                 std::size_t count) {
  return WithPool(pool, [&](State&, const CUmemPoolHandle_st&) {
    return count != 0 && accesses == nullptr ? cudaErrorInvalidValue : cudaSuccess;
  });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool,
                                 cudaMemLocation* /*location*/) {
  return WithPool(pool, [&](State&, const CUmemPoolHandle_st&) {
    if (flags == nullptr) {
      return cudaErrorInvalidValue;
    }
    *flags = cudaMemAccessFlagsProtReadWrite;
    return cudaSuccess;
  });
}

}  // extern "C"
}  // namespace assay::gpu::runtime
