// SPDX-License-Identifier: Apache-2.0
#include "cudart/runtime/work.h"

#include <utility>

#include "cudart/runtime/state.h"

namespace assay::gpu::runtime {
namespace {

// A program's function must not hold up other threads' calls, and may wait for one.
cudaError_t PerformHost(State& state, const HostWork& work) {
  state.mutex.unlock();
  if (work.callback != nullptr) {
    work.callback(work.stream, cudaSuccess, work.data);
  } else {
    work.function(work.data);
  }
  state.mutex.lock();
  return cudaSuccess;
}

cudaError_t PerformEvent(State& state, const EventWork& work) {
  if (work.kind == EventWork::Kind::kRecord) {
    CUevent_st* const event = FindEvent(state, work.event);
    if (event == nullptr) {
      return cudaErrorInvalidResourceHandle;
    }
    // What a record takes on the device, so that no two are at one time.
    constexpr double kRecordNs = 500;
    state.time_ns += kRecordNs;
    event->time_ns = state.time_ns;
    event->recorded = true;
    event->capture = nullptr;
    event->after.clear();
    event->clock = state.order.now ? state.order.now->behind : StreamClock{};
  }
  return cudaSuccess;
}

cudaError_t PerformChild(State& state, const ChildWork& work) {
  const std::shared_ptr<CUgraph_st> graph = work.graph;  // Held: a host node may destroy it.
  for (const CUgraphNode_st* const node : TopologicalOrder(*graph)) {
    if (const cudaError_t error = Perform(state, node->work); error != cudaSuccess) {
      return error;
    }
  }
  return cudaSuccess;
}

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};

}  // namespace

cudaError_t Perform(State& state, const Work& work) {
  return std::visit(Overloaded{
                        [](const std::monostate&) { return cudaSuccess; },
                        [&](const KernelWork& kernel) { return PerformLaunch(state, kernel); },
                        [&](const CopyWork& copy) { return PerformCopy(state, copy); },
                        [&](const FillWork& fill) { return PerformFill(state, fill); },
                        [&](const HostWork& host) { return PerformHost(state, host); },
                        [&](const EventWork& event) { return PerformEvent(state, event); },
                        [&](const ChildWork& child) { return PerformChild(state, child); },
                    },
                    work);
}

cudaError_t Submit(State& state, cudaStream_t stream, Work work, Until until) {
  CUstream_st* const found = FindStream(state, stream);
  if (found == nullptr) {
    return cudaErrorInvalidResourceHandle;
  }
  if (const cudaError_t error = CheckLegacyUse(state, *found); error != cudaSuccess) {
    return error;
  }
  if (found->capture == nullptr) {
    return QueuesWork() ? Enqueue(state, stream, work, until)
                        : PerformInOrder(state, *found, work, until);
  }
  if (found->capture->invalidated) {
    return cudaErrorStreamCaptureInvalidated;
  }
  found->last = {AddNode(state, *found->capture->graph, std::move(work), found->last)};
  return cudaSuccess;
}

}  // namespace assay::gpu::runtime
