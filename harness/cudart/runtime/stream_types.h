// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CUDART_RUNTIME_STREAM_TYPES_H_
#define ASSAY_CUDART_RUNTIME_STREAM_TYPES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "cudart/runtime/cuda_types.h"
#include "emulator/core/work_stamp.h"

namespace assay::gpu::runtime {
struct Capture;

/// A stream or an event that is never destroyed shows in the process's memory, as with a driver.
using MemoryOfADriver = std::array<std::byte, 1024>;
}  // namespace assay::gpu::runtime

/// What a cudaStream_t points to.
struct CUstream_st {
  unsigned flags = 0;
  int priority = 0;
  std::uint64_t id = 0;
  std::shared_ptr<assay::gpu::runtime::Capture> capture;  ///< Null: not capturing.
  std::vector<CUgraphNode_st*> last;  ///< While capturing: what the next node depends on.
  std::uint64_t queued = 0;           ///< The ticket of its last piece of work (queue.h).
  assay::gpu::StreamClock clock;      ///< What its last piece of work is behind (stream_order.h).
  assay::gpu::runtime::MemoryOfADriver memory = {};
};

/// What a cudaEvent_t points to.
struct CUevent_st {
  unsigned flags = 0;
  bool recorded = false;
  double time_ns = 0;
  std::uint64_t queued = 0;       ///< The ticket of its last record.
  assay::gpu::StreamClock clock;  ///< What that is behind.
  /// Last recorded in a stream that was capturing: which, and after what.
  std::shared_ptr<assay::gpu::runtime::Capture> capture;
  std::vector<CUgraphNode_st*> after;
  assay::gpu::runtime::MemoryOfADriver memory = {};
};

namespace assay::gpu::runtime {

/// One cudaStreamBeginCapture … EndCapture, which other streams join by events.
struct Capture {
  std::uint64_t id = 0;
  cudaGraph_t graph = nullptr;
  bool owns_graph = true;  ///< Not of cudaStreamBeginCaptureToGraph.
  CUstream_st* origin = nullptr;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id thread;
  bool invalidated = false;
};

struct Streams {
  CUstream_st legacy{};
  std::map<std::thread::id, std::unique_ptr<CUstream_st>> per_thread;
  std::map<cudaStream_t, std::unique_ptr<CUstream_st>> created;
  std::map<cudaEvent_t, std::unique_ptr<CUevent_st>> events;
  std::uint64_t next_id = 2;  ///< 1 is the legacy stream's.
  std::uint64_t next_capture_id = 1;
  unsigned capturing = 0;         ///< Streams that capture now.
  bool any_non_blocking = false;  ///< Whether the program has made one.
};

struct State;

/// The stream of a handle: 0 and cudaStreamLegacy, cudaStreamPerThread, or a created one. Null for
/// others, those that were destroyed too.
CUstream_st* FindStream(State& state, cudaStream_t handle);

/// What a handle means to nvcc's --default-stream per-thread.
inline cudaStream_t OwnStream(cudaStream_t stream) {
  return stream == nullptr ? cudaStreamPerThread() : stream;
}

CUevent_st* FindEvent(State& state, cudaEvent_t handle);

/// Whether work may be given to `stream`, or the calling thread may make a call that captures
/// forbid. 900 to 908 otherwise, and the capture in question is invalidated.
cudaError_t CheckLegacyUse(State& state, const CUstream_st& stream);
cudaError_t CheckUnsafeCall(State& state);

/// Ends what a stream captures, without a graph.
void AbandonCapture(State& state, CUstream_st& stream);

/// Orders `stream` behind `event`, or joins its capture.
cudaError_t WaitForEvent(State& state, CUstream_st& stream, const CUevent_st& event);

}  // namespace assay::gpu::runtime

#endif  // ASSAY_CUDART_RUNTIME_STREAM_TYPES_H_
