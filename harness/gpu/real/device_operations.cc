// SPDX-License-Identifier: Apache-2.0
// What a host that reaches a GPU by itself offers beside its submission's operations, so that the
// trusted side can own device memory and time calls. Plain CUDA runtime API: linked with NVIDIA's
// runtime for a GPU, and with the emulated one by tests. README.md has the table.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "host/adapter.h"

namespace {

using Address = std::uint64_t;

void* PointerOf(Address address) { return std::bit_cast<void*>(address); }

/// Allocations are aligned to 256 bytes; of no bytes: address 0.
int Allocate(std::uint64_t bytes, Address* address) {
  void* pointer = nullptr;
  const cudaError_t error = cudaMalloc(&pointer, bytes);
  if (error != cudaSuccess) {
    cudaGetLastError();  // A submission that asks for the last error is not to find this one.
    pointer = nullptr;
  }
  *address = std::bit_cast<Address>(pointer);
  return error;
}

int Free(Address address) { return cudaFree(PointerOf(address)); }

/// Complete when it returns: cudaMemcpy alone may leave the last part on its way.
int Write(Address to, const std::uint8_t* from, std::uint64_t bytes) {
  const cudaError_t error = cudaMemcpy(PointerOf(to), from, bytes, cudaMemcpyHostToDevice);
  return error == cudaSuccess ? cudaStreamSynchronize(nullptr) : error;
}

int Read(Address from, std::uint8_t* to, std::uint64_t bytes) {
  return cudaMemcpy(to, PointerOf(from), bytes, cudaMemcpyDeviceToHost);
}

int Copy(Address to, Address from, std::uint64_t bytes) {
  const cudaError_t error =
      cudaMemcpyAsync(PointerOf(to), PointerOf(from), bytes, cudaMemcpyDeviceToDevice, nullptr);
  return error == cudaSuccess ? cudaStreamSynchronize(nullptr) : error;
}

/// Waits for all streams, those that a submission has made too.
int Synchronize() { return cudaDeviceSynchronize(); }

/// Leaves in L2 nothing of what earlier calls touched: ends what was set aside there to persist,
/// and writes `bytes` of scratch, which should be several times L2's size.
int FlushL2(Address scratch, std::uint64_t bytes) {
  cudaError_t error = cudaDeviceSynchronize();
  if (error == cudaSuccess) {
    error = cudaCtxResetPersistingL2Cache();
  }
  if (error == cudaSuccess) {
    error = cudaMemsetAsync(PointerOf(scratch), 0, bytes, nullptr);
  }
  return error == cudaSuccess ? cudaDeviceSynchronize() : error;
}

/// Two events on the default stream, before and behind what is timed. Never destroyed.
struct Events {
  cudaEvent_t start = nullptr;
  cudaEvent_t stop = nullptr;
};
Events& TheEvents() {
  static Events* const events = new Events;
  return *events;
}

int StartEvent() {
  Events& events = TheEvents();
  for (cudaEvent_t* const event : {&events.start, &events.stop}) {
    if (*event == nullptr) {
      if (const cudaError_t error = cudaEventCreate(event); error != cudaSuccess) {
        return error;
      }
    }
  }
  const cudaError_t error = cudaDeviceSynchronize();
  return error == cudaSuccess ? cudaEventRecord(events.start, nullptr) : error;
}

/// Waits for the whole device; the milliseconds since StartEvent by the device's clock. What lies
/// between two calls of a host, some microseconds, is in them.
int StopEvent(double* milliseconds) {
  const Events& events = TheEvents();
  float elapsed = 0;
  cudaError_t error = cudaDeviceSynchronize();
  if (error == cudaSuccess) {
    error = cudaEventRecord(events.stop, nullptr);
  }
  if (error == cudaSuccess) {
    error = cudaEventSynchronize(events.stop);
  }
  if (error == cudaSuccess) {
    error = cudaEventElapsedTime(&elapsed, events.start, events.stop);
  }
  *milliseconds = elapsed;
  return error;
}

/// The device's name, cut at `name_bytes` with its final zero, and the size of its L2.
int Describe(std::uint64_t name_bytes, std::uint8_t* name, std::uint64_t* l2_bytes) {
  cudaDeviceProp properties{};
  const cudaError_t error = cudaGetDeviceProperties(&properties, 0);
  if (name_bytes == 0) {
    return cudaErrorInvalidValue;
  }
  std::memset(name, 0, name_bytes);
  std::memcpy(name, properties.name,
              std::min<std::size_t>(name_bytes - 1, std::strlen(properties.name)));
  *l2_bytes = static_cast<std::uint64_t>(std::max(properties.l2CacheSize, 0));
  return error;
}

ASSAY_OPERATION("assay_device_allocate", Allocate);
ASSAY_OPERATION("assay_device_free", Free);
ASSAY_OPERATION("assay_device_write", Write);
ASSAY_OPERATION("assay_device_read", Read);
ASSAY_OPERATION("assay_device_copy", Copy);
ASSAY_OPERATION("assay_device_synchronize", Synchronize);
ASSAY_OPERATION("assay_device_flush_l2", FlushL2);
ASSAY_OPERATION("assay_device_start_event", StartEvent);
ASSAY_OPERATION("assay_device_stop_event", StopEvent);
ASSAY_OPERATION("assay_device_describe", Describe);

}  // namespace
