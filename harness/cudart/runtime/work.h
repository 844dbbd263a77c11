// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CUDART_RUNTIME_WORK_H_
#define ASSAY_CUDART_RUNTIME_WORK_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "cudart/runtime/cuda_types.h"
#include "emulator/core/device_link.h"

namespace assay::gpu::runtime {

struct State;

/// When a call that gives work to a stream may return.
enum class Until : std::uint8_t { kQueued, kDone };

/// A kernel launch, checked and with its parameters copied.
struct KernelWork {
  CUkern_st* kernel = nullptr;
  const void* function = nullptr;  ///< As the program named it: for cudaGraphKernelNodeGetParams.
  LaunchRequest request;
};

/// A copy of `depth` slices of `height` rows of `width_bytes`.
struct CopyWork {
  struct End {
    std::uint64_t address = 0;  ///< Of the first byte, on the host or the device.
    std::uint64_t pitch_bytes = 0;
    std::uint64_t slice_bytes = 0;
  };
  End to = {};
  End from = {};
  std::uint64_t width_bytes = 0;
  std::uint64_t height = 1;
  std::uint64_t depth = 1;
  cudaMemcpyKind kind = cudaMemcpyDefault;
  /// What `from` points to where the host's memory was read before the copy is done.
  std::shared_ptr<const std::vector<std::byte>> staged = {};
};

/// `height` rows of `width` elements of `element_bytes` (1, 2 or 4) set to `value`.
struct FillWork {
  std::uint64_t address = 0;
  std::uint64_t pitch_bytes = 0;
  unsigned value = 0;
  unsigned element_bytes = 1;
  std::uint64_t width = 0;
  std::uint64_t height = 1;
};

/// A function of the program. `callback` of cudaStreamAddCallback, or `function`.
struct HostWork {
  cudaHostFn_t function = nullptr;
  cudaStreamCallback_t callback = nullptr;
  cudaStream_t stream = nullptr;
  void* data = nullptr;
};

struct EventWork {
  enum class Kind : std::uint8_t { kRecord, kWait };
  Kind kind = Kind::kRecord;
  cudaEvent_t event = nullptr;
};

/// A graph within a graph.
struct ChildWork {
  std::shared_ptr<CUgraph_st> graph;
};

/// std::monostate: nothing, an empty node.
using Work =
    std::variant<std::monostate, KernelWork, CopyWork, FillWork, HostWork, EventWork, ChildWork>;

/// Does `work` now, with state.mutex held; host functions are called without it.
cudaError_t Perform(State& state, const Work& work);

/// Does `work`, queues it where the attachment asks for that, or adds it to the graph that `stream`
/// is captured into.
cudaError_t Submit(State& state, cudaStream_t stream, Work work, Until until = Until::kQueued);

/// A launch, checked as CUDA checks it, of a grid by host stub or handle.
struct GridShape {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 0;
  bool cooperative = false;
};
/// Errors: 98 unknown function, 9 dimensions, 1 shared memory, 701 too many threads for the
/// kernel's registers or launch bounds, 720 cooperative grid that does not fit, 1 null argument.
cudaError_t PlanLaunch(State& state, const void* function, const GridShape& shape, void** arguments,
                       Work* work);
cudaError_t PerformLaunch(State& state, const KernelWork& work);

/// Checks pitches and directions. An empty copy is no work.
cudaError_t PlanCopy(State& state, const CopyWork& copy, Work* work);
cudaError_t PlanCopy3D(State& state, const cudaMemcpy3DParms& parameters, Work* work);
cudaError_t PerformCopy(State& state, const CopyWork& work);

/// Whether work may be done after the call that asks for it, which a copy to pageable memory, one
/// within the host's memory, and one that reaches past its memory may not. Up to 64 KiB of pageable
/// memory that is copied to the device are read now; more is copied before the call returns.
bool DeferCopy(State& state, CopyWork& work);
bool DeferFill(State& state, const FillWork& work);
/// Whether both ends are device memory: cudaMemcpy then returns before it is done.
bool IsOnDevice(State& state, const CopyWork& work);

cudaError_t PlanFill(State& state, const FillWork& fill, Work* work);
cudaError_t PerformFill(State& state, const FillWork& work);

}  // namespace assay::gpu::runtime

#endif  // ASSAY_CUDART_RUNTIME_WORK_H_
