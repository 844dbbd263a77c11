// SPDX-License-Identifier: Apache-2.0
// Advice about managed memory: checked, told back where CUDA tells it, and otherwise without
// effect, since all of it is copied at every launch (mirror.h).
#include <bit>

#include "gpu/runtime/state.h"

namespace assay::gpu::runtime {
namespace {

cudaError_t CheckManagedRange(State& state, const void* pointer, std::size_t size_bytes) {
  const auto address = std::bit_cast<std::uint64_t>(pointer);
  const Mirror* const mirror = state.mirrors.FindByDevice(address);
  const bool inside = mirror != nullptr && mirror->host == mirror->device && size_bytes != 0 &&
                      size_bytes <= mirror->size_bytes - (address - mirror->device);
  return inside ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t Prefetch(const void* pointer, std::size_t size_bytes, cudaStream_t stream) {
  return Enter([&](State& state) {
    return FindStream(state, stream) == nullptr ? cudaErrorInvalidResourceHandle
                                                : CheckManagedRange(state, pointer, size_bytes);
  });
}

cudaError_t Advise(const void* pointer, std::size_t size_bytes) {
  return Enter([&](State& state) { return CheckManagedRange(state, pointer, size_bytes); });
}

}  // namespace

extern "C" {

#if CUDART_VERSION >= 13000
cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t size_bytes,
                                 cudaMemLocation /*location*/, unsigned /*flags*/,
                                 cudaStream_t stream) {
  return Prefetch(pointer, size_bytes, stream);
}

cudaError_t cudaMemAdvise(const void* pointer, std::size_t size_bytes, cudaMemoryAdvise /*advice*/,
                          cudaMemLocation /*location*/) {
  return Advise(pointer, size_bytes);
}
#else
cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t size_bytes, int /*device*/,
                                 cudaStream_t stream) {
  return Prefetch(pointer, size_bytes, stream);
}

cudaError_t cudaMemAdvise(const void* pointer, std::size_t size_bytes, cudaMemoryAdvise /*advice*/,
                          int /*device*/) {
  return Advise(pointer, size_bytes);
}
#if CUDART_VERSION >= 12020
cudaError_t cudaMemPrefetchAsync_v2(const void* pointer, std::size_t size_bytes,
                                    cudaMemLocation /*location*/, unsigned /*flags*/,
                                    cudaStream_t stream) {
  return Prefetch(pointer, size_bytes, stream);
}

cudaError_t cudaMemAdvise_v2(const void* pointer, std::size_t size_bytes,
                             cudaMemoryAdvise /*advice*/, cudaMemLocation /*location*/) {
  return Advise(pointer, size_bytes);
}
#endif
#endif

}  // extern "C"
}  // namespace assay::gpu::runtime
