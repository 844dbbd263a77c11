// SPDX-License-Identifier: Apache-2.0
// Advice about managed memory: checked, told back where CUDA tells it, and otherwise without
// effect, since all of it is copied at every launch (mirror.h).
#include <bit>
#include <cstdarg>
#include <tuple>

#include "cudart/runtime/program_version.h"
#include "cudart/runtime/state.h"

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

/// What follows the size in cudaMemPrefetchAsync.
template <class StreamOf>
cudaError_t PrefetchAsInterface(const void* pointer, std::size_t size_bytes, va_list rest,
                                StreamOf&& stream_of) {
  Interface interface{};
  const cudaError_t unknown =
      Enter([&](State& state) { return FindInterface(state, "cudaMemPrefetchAsync", &interface); });
  if (unknown != cudaSuccess) {
    return unknown;
  }
  if (interface == Interface::kCuda13) {
    std::ignore = va_arg(rest, std::uint64_t);  // The location, in one register.
  }
  std::ignore = va_arg(rest, int);  // Flags, or the device.
  return Prefetch(pointer, size_bytes, stream_of(va_arg(rest, cudaStream_t)));
}

}  // namespace

extern "C" {

/// (pointer, size, device, stream); in 13 (pointer, size, location, flags, stream), which is
/// cudaMemPrefetchAsync_v2 of 12.
cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t size_bytes, ...) {
  va_list rest;
  va_start(rest, size_bytes);
  const cudaError_t error =
      PrefetchAsInterface(pointer, size_bytes, rest, [](cudaStream_t stream) { return stream; });
  va_end(rest);
  return error;
}

cudaError_t cudaMemPrefetchAsync_ptsz(const void* pointer, std::size_t size_bytes, ...) {
  va_list rest;
  va_start(rest, size_bytes);
  const cudaError_t error = PrefetchAsInterface(pointer, size_bytes, rest, OwnStream);
  va_end(rest);
  return error;
}

cudaError_t cudaMemPrefetchAsync_v2(const void* pointer, std::size_t size_bytes,
                                    cudaMemLocation /*location*/, unsigned /*flags*/,
                                    cudaStream_t stream) {
  return Prefetch(pointer, size_bytes, stream);
}

cudaError_t cudaMemPrefetchAsync_v2_ptsz(const void* pointer, std::size_t size_bytes,
                                         cudaMemLocation /*location*/, unsigned /*flags*/,
                                         cudaStream_t stream) {
  return Prefetch(pointer, size_bytes, OwnStream(stream));
}

/// What follows, a device or in 13 a location, is not read.
cudaError_t cudaMemAdvise(const void* pointer, std::size_t size_bytes, int /*advice*/) {
  return Advise(pointer, size_bytes);
}

cudaError_t cudaMemAdvise_v2(const void* pointer, std::size_t size_bytes, int /*advice*/,
                             cudaMemLocation /*location*/) {
  return Advise(pointer, size_bytes);
}

}  // extern "C"
}  // namespace assay::gpu::runtime
