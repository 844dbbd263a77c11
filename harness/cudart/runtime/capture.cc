// SPDX-License-Identifier: Apache-2.0
// Stream capture: what goes into a stream becomes nodes of a graph instead of being done.
#include <algorithm>
#include <cstdarg>
#include <utility>

#include "cudart/runtime/cuda_layouts.h"
#include "cudart/runtime/program_version.h"
#include "cudart/runtime/state.h"

namespace assay::gpu::runtime {
namespace {

template <class Body>
void ForEachCapturing(State& state, Body&& body) {
  if (state.streams.capturing == 0) {
    return;
  }
  const auto visit = [&](auto& streams) {
    for (auto& [key, stream] : streams) {
      if (stream->capture != nullptr) {
        body(*stream);
      }
    }
  };
  visit(state.streams.created);
  visit(state.streams.per_thread);
}

void Join(State& state, CUstream_st& stream, std::shared_ptr<Capture> capture) {
  stream.capture = std::move(capture);
  ++state.streams.capturing;
}

void Leave(State& state, CUstream_st& stream) {
  stream.capture = nullptr;
  stream.last.clear();
  --state.streams.capturing;
}

/// Whether every stream that joined came back: its last nodes lead to the origin's last ones.
bool AllJoined(State& state, const Capture& capture) {
  std::set<cudaGraphNode_t> reached(capture.origin->last.begin(), capture.origin->last.end());
  std::vector<cudaGraphNode_t> open(reached.begin(), reached.end());
  while (!open.empty()) {
    const cudaGraphNode_t node = open.back();
    open.pop_back();
    for (const cudaGraphNode_t before : node->after) {
      if (reached.insert(before).second) {
        open.push_back(before);
      }
    }
  }
  bool all = true;
  ForEachCapturing(state, [&](const CUstream_st& stream) {
    if (stream.capture.get() == &capture) {
      all = all && std::ranges::all_of(
                       stream.last, [&](cudaGraphNode_t node) { return reached.contains(node); });
    }
  });
  return all;
}

void EndAll(State& state, const std::shared_ptr<Capture>& capture) {
  ForEachCapturing(state, [&](CUstream_st& stream) {
    if (stream.capture == capture) {
      Leave(state, stream);
    }
  });
}

}  // namespace

cudaError_t CheckLegacyUse(State& state, const CUstream_st& stream) {
  if (&stream != &state.streams.legacy) {
    return cudaSuccess;
  }
  cudaError_t error = cudaSuccess;
  ForEachCapturing(state, [&](CUstream_st& capturing) {
    if ((capturing.flags & cudaStreamNonBlocking) == 0) {
      capturing.capture->invalidated = true;
      error = cudaErrorStreamCaptureImplicit;
    }
  });
  return error;
}

cudaError_t CheckUnsafeCall(State& state) {
  const cudaStreamCaptureMode own = CurrentThread().capture_mode;
  if (own == cudaStreamCaptureModeRelaxed) {
    return cudaSuccess;
  }
  cudaError_t error = cudaSuccess;
  ForEachCapturing(state, [&](CUstream_st& stream) {
    Capture& capture = *stream.capture;
    const bool mine = capture.thread == std::this_thread::get_id();
    const bool forbids =
        mine ? capture.mode != cudaStreamCaptureModeRelaxed
             : capture.mode == cudaStreamCaptureModeGlobal && own == cudaStreamCaptureModeGlobal;
    if (forbids) {
      capture.invalidated = true;
      error = cudaErrorStreamCaptureUnsupported;
    }
  });
  return error;
}

void AbandonCapture(State& state, CUstream_st& stream) {
  if (stream.capture == nullptr) {
    return;
  }
  const std::shared_ptr<Capture> capture = stream.capture;
  capture->invalidated = true;
  if (capture->origin == &stream) {
    EndAll(state, capture);
    if (capture->owns_graph) {
      DropGraph(state, capture->graph);
    }
  } else {
    Leave(state, stream);
  }
}

cudaError_t WaitForEvent(State& state, CUstream_st& stream, const CUevent_st& event) {
  if (event.capture == nullptr || event.capture->graph == nullptr) {
    if (stream.capture != nullptr && event.recorded) {
      stream.capture->invalidated = true;
      return cudaErrorStreamCaptureIsolation;
    }
    const cudaError_t error = CheckLegacyUse(state, stream);
    return error == cudaSuccess ? EnqueueWait(state, stream, event) : error;
  }
  if (&stream == &state.streams.legacy) {
    event.capture->invalidated = true;
    return cudaErrorStreamCaptureImplicit;
  }
  if (stream.capture == nullptr) {
    Join(state, stream, event.capture);
  } else if (stream.capture != event.capture) {
    stream.capture->invalidated = true;
    event.capture->invalidated = true;
    return cudaErrorStreamCaptureMerge;
  }
  for (const cudaGraphNode_t node : event.after) {
    if (std::ranges::find(stream.last, node) == stream.last.end()) {
      stream.last.push_back(node);
    }
  }
  return cudaSuccess;
}

namespace {

cudaError_t BeginCapture(State& state, cudaStream_t handle, cudaStreamCaptureMode mode,
                         CUgraph_st* graph, std::vector<cudaGraphNode_t> after) {
  CUstream_st* const stream = FindStream(state, handle);
  if (stream == nullptr) {
    return cudaErrorInvalidResourceHandle;
  }
  if (stream == &state.streams.legacy) {
    return cudaErrorStreamCaptureUnsupported;
  }
  if (stream->capture != nullptr || mode < cudaStreamCaptureModeGlobal ||
      mode > cudaStreamCaptureModeRelaxed) {
    return stream->capture != nullptr ? cudaErrorIllegalState : cudaErrorInvalidValue;
  }
  auto capture = std::make_shared<Capture>();
  capture->id = state.streams.next_capture_id++;
  capture->owns_graph = graph == nullptr;
  capture->graph = graph != nullptr ? graph : NewGraph(state);
  capture->origin = stream;
  capture->mode = mode;
  capture->thread = std::this_thread::get_id();
  stream->last = std::move(after);
  Join(state, *stream, std::move(capture));
  return cudaSuccess;
}

cudaError_t EndCapture(State& state, cudaStream_t handle, cudaGraph_t* graph) {
  CUstream_st* const stream = FindStream(state, handle);
  if (stream == nullptr) {
    return cudaErrorInvalidResourceHandle;
  }
  if (graph == nullptr) {
    return cudaErrorInvalidValue;
  }
  *graph = nullptr;
  const std::shared_ptr<Capture> capture = stream->capture;
  if (capture == nullptr) {
    return cudaErrorIllegalState;
  }
  if (capture->origin != stream) {
    capture->invalidated = true;
    return cudaErrorStreamCaptureUnmatched;
  }
  if (capture->mode != cudaStreamCaptureModeRelaxed &&
      capture->thread != std::this_thread::get_id()) {
    return cudaErrorStreamCaptureWrongThread;
  }
  cudaError_t error = cudaSuccess;
  if (capture->invalidated) {
    error = cudaErrorStreamCaptureInvalidated;
  } else if (!AllJoined(state, *capture)) {
    error = cudaErrorStreamCaptureUnjoined;
  }
  EndAll(state, capture);
  if (error == cudaSuccess) {
    *graph = capture->graph;
  } else if (capture->owns_graph) {
    DropGraph(state, capture->graph);
  }
  capture->graph = nullptr;  // Events that still name this capture stand for nothing now.
  return error;
}

cudaStreamCaptureStatus StatusOf(const CUstream_st& stream) {
  if (stream.capture == nullptr) {
    return cudaStreamCaptureStatusNone;
  }
  return stream.capture->invalidated ? cudaStreamCaptureStatusInvalidated
                                     : cudaStreamCaptureStatusActive;
}

struct CaptureDetails {
  cudaGraph_t* graph = nullptr;
  const cudaGraphNode_t** dependencies = nullptr;
  const cudaGraphEdgeData** edges = nullptr;
  std::size_t* count = nullptr;
};

/// Whether a stream captures, and into what; where a pointer is null that is not told.
cudaError_t TellCapture(cudaStream_t handle, cudaStreamCaptureStatus* status,
                        unsigned long long* id, const CaptureDetails& details) {
  return Enter([&](State& state) {
    const CUstream_st* const stream = FindStream(state, handle);
    if (stream == nullptr || status == nullptr) {
      return stream == nullptr ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
    }
    *status = StatusOf(*stream);
    if (*status != cudaStreamCaptureStatusActive) {
      return cudaSuccess;
    }
    const auto set = [](auto* to, auto value) {
      if (to != nullptr) {
        *to = value;
      }
    };
    set(id, stream->capture->id);
    set(details.graph, stream->capture->graph);
    set(details.dependencies, const_cast<const cudaGraphNode_t*>(stream->last.data()));
    set(details.edges, nullptr);
    set(details.count, stream->last.size());
    return cudaSuccess;
  });
}

cudaError_t TellCaptureAsInterface(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                   unsigned long long* id, va_list rest) {
  Interface interface{};
  const cudaError_t unknown = Enter(
      [&](State& state) { return FindInterface(state, "cudaStreamGetCaptureInfo", &interface); });
  if (unknown != cudaSuccess) {
    return unknown;
  }
  CaptureDetails details{};
  if (interface == Interface::kCuda13) {
    details.graph = va_arg(rest, cudaGraph_t*);
    details.dependencies = va_arg(rest, const cudaGraphNode_t**);
    details.edges = va_arg(rest, const cudaGraphEdgeData**);
    details.count = va_arg(rest, std::size_t*);
  }
  return TellCapture(stream, status, id, details);
}

}  // namespace

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return Enter([&](State& state) { return BeginCapture(state, stream, mode, nullptr, {}); });
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t* dependencies,
                                          const cudaGraphEdgeData* /*edges*/, std::size_t count,
                                          cudaStreamCaptureMode mode) {
  return Enter([&](State& state) {
    CUgraph_st* const found = FindGraph(state, graph);
    std::vector<cudaGraphNode_t> after;
    if (found == nullptr || !ReadNodes(state, dependencies, count, &after)) {
      return cudaErrorInvalidValue;
    }
    return BeginCapture(state, stream, mode, found, std::move(after));
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return Enter([&](State& state) { return EndCapture(state, stream, graph); });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  return Enter([&](State& state) {
    const CUstream_st* const stream = FindStream(state, handle);
    if (stream == nullptr) {
      return cudaErrorInvalidResourceHandle;
    }
    if (status == nullptr) {
      return cudaErrorInvalidValue;
    }
    const cudaError_t error = CheckLegacyUse(state, *stream);
    *status = StatusOf(*stream);
    return error;
  });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return Enter([&](State&) {
    if (mode == nullptr || *mode < cudaStreamCaptureModeGlobal ||
        *mode > cudaStreamCaptureModeRelaxed) {
      return cudaErrorInvalidValue;
    }
    std::swap(CurrentThread().capture_mode, *mode);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                        unsigned long long* id, cudaGraph_t* graph,
                                        const cudaGraphNode_t** dependencies,
                                        const cudaGraphEdgeData** edges, std::size_t* count) {
  return TellCapture(
      stream, status, id,
      {.graph = graph, .dependencies = dependencies, .edges = edges, .count = count});
}

cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                        unsigned long long* id, cudaGraph_t* graph,
                                        const cudaGraphNode_t** dependencies, std::size_t* count) {
  return TellCapture(stream, status, id,
                     {.graph = graph, .dependencies = dependencies, .count = count});
}

// The plain name: in 11 and 12 no more than status and id, in 13 what _v3 has.

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, ...) {
  va_list rest;
  va_start(rest, id);
  const cudaError_t error = TellCaptureAsInterface(stream, status, id, rest);
  va_end(rest);
  return error;
}

cudaError_t cudaStreamGetCaptureInfo_ptsz(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                          unsigned long long* id, ...) {
  va_list rest;
  va_start(rest, id);
  const cudaError_t error = TellCaptureAsInterface(OwnStream(stream), status, id, rest);
  va_end(rest);
  return error;
}

}  // extern "C"
}  // namespace assay::gpu::runtime
