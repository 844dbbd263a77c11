// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "cudart/runtime/state.h"

namespace assay::gpu::runtime {

CUstream_st* FindStream(State& state, cudaStream_t handle) {
  Streams& streams = state.streams;
  if (handle == nullptr || handle == cudaStreamLegacy()) {
    return &streams.legacy;
  }
  if (handle == cudaStreamPerThread()) {
    auto& own = streams.per_thread[std::this_thread::get_id()];
    if (own == nullptr) {
      own = std::make_unique<CUstream_st>();
      own->id = streams.next_id++;
    }
    return own.get();
  }
  const auto found = streams.created.find(handle);
  return found == streams.created.end() ? nullptr : found->second.get();
}

namespace {

constexpr int kLeastPriority = 0;
constexpr int kGreatestPriority = -5;

cudaError_t CreateStream(cudaStream_t* stream, unsigned flags, int priority) {
  return Enter([&](State& state) {
    if (stream == nullptr || (flags & ~unsigned{cudaStreamNonBlocking}) != 0) {
      return cudaErrorInvalidValue;
    }
    auto created = std::make_unique<CUstream_st>();
    created->flags = flags;
    created->priority = std::clamp(priority, kGreatestPriority, kLeastPriority);
    created->id = state.streams.next_id++;
    *stream = created.get();
    state.streams.created[*stream] = std::move(created);
    state.streams.any_non_blocking |= flags == cudaStreamNonBlocking;
    return cudaSuccess;
  });
}

/// Calls `body` with the stream of a handle; 400 when there is none.
template <class Body>
cudaError_t WithStream(cudaStream_t handle, Body&& body) {
  return Enter([&](State& state) {
    CUstream_st* const stream = FindStream(state, handle);
    return stream == nullptr ? cudaErrorInvalidResourceHandle : body(state, *stream);
  });
}

/// Waiting for a stream that is captured waits for what has not begun.
cudaError_t CheckWait(State& state, const CUstream_st& stream) {
  if (stream.capture != nullptr) {
    stream.capture->invalidated = true;
    return cudaErrorStreamCaptureUnsupported;
  }
  return CheckLegacyUse(state, stream);
}

}  // namespace

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream) { return CreateStream(stream, 0, 0); }

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return CreateStream(stream, flags, 0);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return CreateStream(stream, flags, priority);
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  return Enter([&](State& state) {
    const auto found = state.streams.created.find(handle);
    if (found == state.streams.created.end()) {
      return cudaErrorInvalidResourceHandle;
    }
    AbandonCapture(state, *found->second);
    state.streams.created.erase(found);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return WithStream(handle, [](State& state, const CUstream_st& stream) {
    cudaError_t error = CheckWait(state, stream);
    error = error == cudaSuccess ? FinishStream(state, stream) : error;
    return error == cudaSuccess ? state.refused : error;
  });
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return WithStream(handle, [](State& state, const CUstream_st& stream) {
    const cudaError_t error = CheckWait(state, stream);
    return error == cudaSuccess ? QueryStream(state, stream) : error;
  });
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
  return WithStream(handle, [&](State&, const CUstream_st& stream) {
    if (priority == nullptr) {
      return cudaErrorInvalidValue;
    }
    *priority = stream.priority;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags) {
  return WithStream(handle, [&](State&, const CUstream_st& stream) {
    if (flags == nullptr) {
      return cudaErrorInvalidValue;
    }
    *flags = stream.flags;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long* id) {
  return WithStream(handle, [&](State&, const CUstream_st& stream) {
    if (id == nullptr) {
      return cudaErrorInvalidValue;
    }
    *id = stream.id;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int* device) {
  return WithStream(handle, [&](State&, const CUstream_st&) {
    if (device == nullptr) {
      return cudaErrorInvalidValue;
    }
    *device = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return Enter([&](State&) {
    if (least != nullptr) {
      *least = kLeastPriority;
    }
    if (greatest != nullptr) {
      *greatest = kGreatestPriority;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t handle, cudaStreamCallback_t callback, void* data,
                                  unsigned flags) {
  return Enter([&](State& state) {
    if (callback == nullptr || flags != 0) {
      return cudaErrorInvalidValue;
    }
    const CUstream_st* const stream = FindStream(state, handle);
    if (stream != nullptr && stream->capture != nullptr) {
      return cudaErrorStreamCaptureUnsupported;
    }
    return Submit(state, handle, HostWork{.callback = callback, .stream = handle, .data = data});
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* data) {
  return Enter([&](State& state) {
    return function == nullptr
               ? cudaErrorInvalidValue
               : Submit(state, handle, HostWork{.function = function, .data = data});
  });
}

// Hints about caches and managed memory's home: nothing here depends on them.
cudaError_t cudaStreamAttachMemAsync(cudaStream_t handle, void* /*pointer*/,
                                     std::size_t /*size_bytes*/, unsigned /*flags*/) {
  return WithStream(handle, [](State&, const CUstream_st&) { return cudaSuccess; });
}

}  // extern "C"
}  // namespace assay::gpu::runtime
