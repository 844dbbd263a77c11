// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <utility>

#include "cudart/runtime/memory.h"
#include "cudart/runtime/state.h"

namespace assay::gpu::runtime {
namespace {

/// Whether the host waits for a copy. Within device memory it does not, even by the functions
/// without a stream, which are then no more than work on the legacy stream.
enum class Waits : std::uint8_t { kNever, kForHostMemory };

cudaError_t SubmitCopy(State& state, cudaStream_t stream, Work work, Waits waits) {
  const auto* const copy = std::get_if<CopyWork>(&work);
  const bool done = waits == Waits::kForHostMemory && copy != nullptr &&
                    (QueuesWork() || TracksOrder(state)) && !IsOnDevice(state, *copy);
  return Submit(state, stream, std::move(work), done ? Until::kDone : Until::kQueued);
}

cudaError_t CopyOn(cudaStream_t stream, const CopyWork& copy, Waits waits = Waits::kNever) {
  return Enter([&](State& state) {
    Work work;
    const cudaError_t error = PlanCopy(state, copy, &work);
    return error == cudaSuccess ? SubmitCopy(state, stream, std::move(work), waits) : error;
  });
}

CopyWork Linear(void* to, const void* from, std::size_t size_bytes, cudaMemcpyKind kind) {
  return {.to = {.address = std::bit_cast<std::uint64_t>(to)},
          .from = {.address = std::bit_cast<std::uint64_t>(from)},
          .width_bytes = size_bytes,
          .kind = kind};
}

CopyWork Rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
              std::size_t width_bytes, std::size_t height, cudaMemcpyKind kind) {
  return {.to = {.address = std::bit_cast<std::uint64_t>(to), .pitch_bytes = to_pitch},
          .from = {.address = std::bit_cast<std::uint64_t>(from), .pitch_bytes = from_pitch},
          .width_bytes = width_bytes,
          .height = height,
          .kind = kind};
}

cudaError_t Copy3D(cudaStream_t stream, const cudaMemcpy3DParms* parameters,
                   Waits waits = Waits::kNever) {
  return Enter([&](State& state) {
    if (parameters == nullptr) {
      return cudaErrorInvalidValue;
    }
    Work work;
    const cudaError_t error = PlanCopy3D(state, *parameters, &work);
    return error == cudaSuccess ? SubmitCopy(state, stream, std::move(work), waits) : error;
  });
}

}  // namespace

extern "C" {

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t size_bytes, cudaMemcpyKind kind) {
  return CopyOn(nullptr, Linear(to, from, size_bytes, kind), Waits::kForHostMemory);
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t size_bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return CopyOn(stream, Linear(to, from, size_bytes, kind));
}

cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width_bytes, std::size_t height, cudaMemcpyKind kind) {
  return CopyOn(nullptr, Rows(to, to_pitch, from, from_pitch, width_bytes, height, kind),
                Waits::kForHostMemory);
}

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width_bytes, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  return CopyOn(stream, Rows(to, to_pitch, from, from_pitch, width_bytes, height, kind));
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
  return Copy3D(nullptr, parameters, Waits::kForHostMemory);
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
  return Copy3D(stream, parameters);
}

// One device: a copy between peers is a copy on it.
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                std::size_t size_bytes, cudaStream_t stream) {
  if (to_device != 0 || from_device != 0) {
    return Enter([](State&) { return cudaErrorInvalidDevice; });
  }
  return CopyOn(stream, Linear(to, from, size_bytes, cudaMemcpyDeviceToDevice));
}

cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                           std::size_t size_bytes) {
  return cudaMemcpyPeerAsync(to, to_device, from, from_device, size_bytes, nullptr);
}

}  // extern "C"
}  // namespace assay::gpu::runtime
