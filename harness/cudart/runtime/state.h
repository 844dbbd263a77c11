// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CUDART_RUNTIME_STATE_H_
#define ASSAY_CUDART_RUNTIME_STATE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <string_view>

#include "cudart/runtime/cuda_types.h"
#include "cudart/runtime/graph_types.h"
#include "cudart/runtime/mirror.h"
#include "cudart/runtime/pool_types.h"
#include "cudart/runtime/queue.h"
#include "cudart/runtime/registry.h"
#include "cudart/runtime/stream_order.h"
#include "cudart/runtime/stream_types.h"
#include "emulator/core/device_link.h"

namespace assay::gpu::runtime {

/// A grid as `<<<>>>` gives it, between __cudaPushCallConfiguration and its Pop.
struct CallConfiguration {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
};

/// What each host thread has of its own. No destructor: static destructors still call CUDA.
struct ThreadState {
  static constexpr std::size_t kMostConfigurations = 32;
  cudaError_t last_error = cudaSuccess;
  std::array<CallConfiguration, kMostConfigurations> configurations{};
  std::size_t configuration_count = 0;
  cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;
};
ThreadState& CurrentThread();

/// Everything the runtime knows, guarded by `mutex`. Built at first use, never destroyed: nvcc's
/// static constructors register kernels before our own globals would exist, and its exit handlers
/// unregister them after.
struct State {
  std::mutex mutex;
  DeviceLink* device = nullptr;  ///< Null until the first call that needs it.
  bool device_asked = false;
  /// What the device is left with by a kernel that faulted: each later call fails with it.
  cudaError_t sticky = cudaSuccess;
  /// That a call or launch was refused for what the emulated GPU lacks, until the program ends:
  /// what it computes from then on is not what a GPU would.
  cudaError_t refused = cudaSuccess;
  double time_ns = 0;  ///< The modelled clock: all work so far, one after the other.

  Registry registry;
  std::map<std::uint64_t, std::uint64_t> allocations;  ///< Base to size, device memory.
  Mirrors mirrors;
  std::map<const void*, HostBuffer> host_buffers;
  Streams streams;
  Queue queue;
  StreamOrder order;
  Graphs graphs;
  Pools pools;

  std::array<std::size_t, 7> limits{};  ///< By cudaLimit; 0: its default.
  unsigned device_flags = 0;
  cudaFuncCache cache_config = cudaFuncCachePreferNone;
  std::set<std::string> told;  ///< Notices already given: each once.
};
State& GlobalState();

/// The device, asked of the attachment at first use; null: there is none.
DeviceLink* FindDevice(State& state);

/// Tells the attachment, once a text, and remembers that something is lacking (State::refused).
void Notice(State& state, std::string_view function, cudaError_t code, std::string_view detail);

/// The code of a device's error; tells its detail.
cudaError_t Fail(State& state, std::string_view function, const DeviceError& error);

/// Remembers `error` as this thread's last one, unless it is a success. Returns it.
cudaError_t Record(cudaError_t error);

enum class Needs : std::uint8_t {
  kDevice,   ///< A device that has not faulted.
  kNothing,  ///< The call answers even after a fault, and without a device.
};

/// The frame of every CUDA function: takes the lock, refuses after a fault, records the error.
/// std::bad_alloc, of a size that a program chose, is cudaErrorMemoryAllocation.
template <Needs needs = Needs::kDevice, class Body>
cudaError_t Enter(Body&& body) {
  State& state = GlobalState();
  const std::lock_guard lock(state.mutex);
  if constexpr (needs == Needs::kDevice) {
    if (state.sticky != cudaSuccess) {
      return Record(state.sticky);
    }
    if (FindDevice(state) == nullptr) {
      return Record(cudaErrorNoDevice);
    }
  }
  try {
    return Record(body(state));
  } catch (const std::bad_alloc&) {
    return Record(cudaErrorMemoryAllocation);
  }
}

/// The same with the graph of that handle; an error where it is not live.
template <class Body>
cudaError_t WithGraph(cudaGraph_t handle, Body&& body) {
  return Enter([&](State& state) {
    CUgraph_st* const graph = FindGraph(state, handle);
    return graph == nullptr ? cudaErrorInvalidValue : body(state, *graph);
  });
}

}  // namespace assay::gpu::runtime

#endif  // ASSAY_CUDART_RUNTIME_STATE_H_
