// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "cudart/runtime/state.h"

namespace assay::gpu::runtime {

CUevent_st* FindEvent(State& state, cudaEvent_t handle) {
  const auto found = state.streams.events.find(handle);
  return found == state.streams.events.end() ? nullptr : found->second.get();
}

namespace {

template <class Body>
cudaError_t WithEvent(cudaEvent_t handle, Body&& body) {
  return Enter([&](State& state) {
    CUevent_st* const event = FindEvent(state, handle);
    return event == nullptr ? cudaErrorInvalidResourceHandle : body(state, *event);
  });
}

/// An event that stands for a place in a graph has no time of its own.
cudaError_t CheckNotCaptured(const CUevent_st& event) {
  if (event.capture != nullptr) {
    event.capture->invalidated = true;
    return cudaErrorCapturedEvent;
  }
  return cudaSuccess;
}

cudaError_t RecordEvent(State& state, cudaEvent_t handle, cudaStream_t stream_handle) {
  CUevent_st* const event = FindEvent(state, handle);
  CUstream_st* const stream = FindStream(state, stream_handle);
  if (event == nullptr || stream == nullptr) {
    return cudaErrorInvalidResourceHandle;
  }
  if (const cudaError_t error = CheckLegacyUse(state, *stream); error != cudaSuccess) {
    return error;
  }
  if (stream->capture == nullptr) {
    return Submit(state, stream_handle,
                  EventWork{.kind = EventWork::Kind::kRecord, .event = handle});
  }
  event->queued = 0;
  event->capture = stream->capture;
  event->after = stream->last;
  event->recorded = true;
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return Enter([&](State& state) {
    constexpr unsigned kKnown =
        cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    if (event == nullptr || (flags & ~kKnown) != 0) {
      return cudaErrorInvalidValue;
    }
    auto created = std::make_unique<CUevent_st>();
    created->flags = flags;
    *event = created.get();
    state.streams.events[*event] = std::move(created);
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return Enter([&](State& state) {
    return state.streams.events.erase(event) == 1 ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return Enter([&](State& state) { return RecordEvent(state, event, stream); });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  return Enter([&](State& state) {
    if (flags == cudaEventRecordExternal) {
      // A node of its own in a graph, instead of an edge.
      return Submit(state, stream, EventWork{.kind = EventWork::Kind::kRecord, .event = event});
    }
    return flags == 0 ? RecordEvent(state, event, stream) : cudaErrorInvalidValue;
  });
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
  return WithEvent(handle, [](State& state, const CUevent_st& event) {
    const cudaError_t error = CheckNotCaptured(event);
    return error == cudaSuccess ? QueryEvent(state, event) : error;
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  return WithEvent(handle, [](State& state, const CUevent_st& event) {
    cudaError_t error = CheckNotCaptured(event);
    error = error == cudaSuccess ? FinishEvent(state, event) : error;
    return error == cudaSuccess ? state.refused : error;
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return Enter([&](State& state) {
    if (milliseconds == nullptr) {
      return cudaErrorInvalidValue;
    }
    const CUevent_st* const from = FindEvent(state, start);
    const CUevent_st* const to = FindEvent(state, end);
    const auto has_time = [](const CUevent_st* event) {
      return event != nullptr && event->recorded && (event->flags & cudaEventDisableTiming) == 0;
    };
    if (!has_time(from) || !has_time(to)) {
      return cudaErrorInvalidResourceHandle;
    }
    if (from->capture != nullptr || to->capture != nullptr) {
      return cudaErrorCapturedEvent;
    }
    if (!IsDone(state, from->queued) || !IsDone(state, to->queued)) {
      return cudaErrorNotReady;
    }
    constexpr double kNsPerMs = 1e6;
    *milliseconds = static_cast<float>((to->time_ns - from->time_ns) / kNsPerMs);
    return cudaSuccess;
  });
}

// The name that 12.8 and 12.9 give it.
cudaError_t cudaEventElapsedTime_v2(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return cudaEventElapsedTime(milliseconds, start, end);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream_handle, cudaEvent_t event_handle,
                                unsigned flags) {
  return Enter([&](State& state) {
    const CUevent_st* const event = FindEvent(state, event_handle);
    CUstream_st* const stream = FindStream(state, stream_handle);
    if (event == nullptr || stream == nullptr) {
      return cudaErrorInvalidResourceHandle;
    }
    if (flags == cudaEventWaitExternal) {
      return Submit(state, stream_handle,
                    EventWork{.kind = EventWork::Kind::kWait, .event = event_handle});
    }
    return flags == 0 ? WaitForEvent(state, *stream, *event) : cudaErrorInvalidValue;
  });
}

}  // extern "C"
}  // namespace assay::gpu::runtime
