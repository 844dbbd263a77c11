// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <limits>
#include <utility>

#include "cudart/runtime/state.h"

namespace assay::gpu::runtime {
namespace {

/// Whether the host waits: for memory of its own alone, and not by the functions with a stream.
enum class Waits : std::uint8_t { kNever, kForHostMemory };

cudaError_t FillOn(cudaStream_t stream, void* pointer, std::size_t pitch, int value,
                   std::size_t width, std::size_t height, Waits waits = Waits::kNever) {
  return Enter([&](State& state) {
    Work work;
    const cudaError_t error =
        PlanFill(state,
                 {.address = std::bit_cast<std::uint64_t>(pointer),
                  .pitch_bytes = pitch,
                  .value = static_cast<unsigned>(value) & std::numeric_limits<unsigned char>::max(),
                  .width = width,
                  .height = height},
                 &work);
    const bool done = waits == Waits::kForHostMemory &&
                      state.mirrors.FindByDevice(std::bit_cast<std::uint64_t>(pointer)) != nullptr;
    return error == cudaSuccess
               ? Submit(state, stream, std::move(work), done ? Until::kDone : Until::kQueued)
               : error;
  });
}

/// A box of memory as rows, where slices follow each other without a gap, as cudaMalloc3D has it.
cudaError_t FillBox(cudaStream_t stream, const cudaPitchedPtr& pitched, int value,
                    const cudaExtent& extent, Waits waits = Waits::kNever) {
  if (extent.height == pitched.ysize || extent.depth <= 1) {
    std::size_t rows = 0;
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows)) {
      return Enter([](State&) { return cudaErrorInvalidValue; });
    }
    return FillOn(stream, pitched.ptr, pitched.pitch, value, extent.width, rows, waits);
  }
  auto* const base = static_cast<std::byte*>(pitched.ptr);
  for (std::size_t slice = 0; slice < extent.depth; ++slice) {
    const cudaError_t error = FillOn(stream, base + slice * pitched.pitch * pitched.ysize,
                                     pitched.pitch, value, extent.width, extent.height, waits);
    if (error != cudaSuccess) {
      return error;
    }
  }
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaMemset(void* pointer, int value, std::size_t size_bytes) {
  return FillOn(nullptr, pointer, 0, value, size_bytes, 1, Waits::kForHostMemory);
}

cudaError_t cudaMemsetAsync(void* pointer, int value, std::size_t size_bytes, cudaStream_t stream) {
  return FillOn(stream, pointer, 0, value, size_bytes, 1);
}

cudaError_t cudaMemset2D(void* pointer, std::size_t pitch, int value, std::size_t width_bytes,
                         std::size_t height) {
  return FillOn(nullptr, pointer, pitch, value, width_bytes, height, Waits::kForHostMemory);
}

cudaError_t cudaMemset2DAsync(void* pointer, std::size_t pitch, int value, std::size_t width_bytes,
                              std::size_t height, cudaStream_t stream) {
  return FillOn(stream, pointer, pitch, value, width_bytes, height);
}

cudaError_t cudaMemset3D(cudaPitchedPtr pitched, int value, cudaExtent extent) {
  return FillBox(nullptr, pitched, value, extent, Waits::kForHostMemory);
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr pitched, int value, cudaExtent extent,
                              cudaStream_t stream) {
  return FillBox(stream, pitched, value, extent);
}

}  // extern "C"
}  // namespace assay::gpu::runtime
