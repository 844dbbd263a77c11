// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

#include <atomic>
#include <cstdio>
#include <thread>

#include "gpu/server/testhosts/submission.h"

namespace {

constexpr unsigned kThreads = 256;

#define RETURN_IF_FAILED(call)                            \
  if (cudaError_t error = (call); error != cudaSuccess) { \
    return static_cast<int>(error);                       \
  }

struct AllocatedAtStart {
  AllocatedAtStart() : error(cudaMalloc(&memory, 64)) {}
  void* memory = nullptr;
  cudaError_t error;
};
const AllocatedAtStart g_allocated_at_start;

std::atomic<int> g_late_error = 0;

__global__ void Add(const float* a, const float* b, float* sum, std::uint64_t count,
                    std::uint64_t too_far) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) {
    sum[i] = a[i] + b[i];
    if (too_far != 0 && i == count - 1) {
      sum[i] += 0.0f * a[i + too_far];
    }
  }
}

__global__ void Total(const float* values, std::uint64_t count, float* total) {
  __shared__ float part[kThreads];
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < count ? values[i] : 0.0f;
  __syncthreads();
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      part[threadIdx.x] += part[threadIdx.x + half];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    atomicAdd(total, part[0]);
  }
}

__global__ void Print() { printf("thread %u of block %u\n", threadIdx.x, blockIdx.x); }

__global__ void Spin(volatile int* never) {
  while (*never == 0) {
  }
}

unsigned Blocks(std::uint64_t count) {
  return static_cast<unsigned>((count + kThreads - 1) / kThreads);
}

int RunAdd(const float* a, const float* b, float* sum, std::uint64_t count, std::uint64_t too_far) {
  const std::size_t bytes = count * sizeof(float);
  float* device[3] = {};
  for (float*& memory : device) {
    RETURN_IF_FAILED(cudaMalloc(&memory, bytes));
  }
  RETURN_IF_FAILED(cudaMemcpy(device[0], a, bytes, cudaMemcpyHostToDevice));
  RETURN_IF_FAILED(cudaMemcpy(device[1], b, bytes, cudaMemcpyHostToDevice));
  Add<<<Blocks(count), kThreads>>>(device[0], device[1], device[2], count, too_far);
  RETURN_IF_FAILED(cudaGetLastError());
  RETURN_IF_FAILED(cudaMemcpy(sum, device[2], bytes, cudaMemcpyDeviceToHost));
  for (float* memory : device) {
    RETURN_IF_FAILED(cudaFree(memory));
  }
  return 0;
}

}  // namespace

extern "C" {

int vector_add(const float* a, const float* b, float* sum, std::uint64_t count) {
  return RunAdd(a, b, sum, count, 0);
}

int vector_add_off_by_one(const float* a, const float* b, float* sum, std::uint64_t count) {
  return RunAdd(a, b, sum, count, 1);
}

int vector_add_on_a_thread(const float* a, const float* b, float* sum, std::uint64_t count) {
  int status = -1;
  std::thread([&] { status = RunAdd(a, b, sum, count, 0); }).join();
  return status;
}

int vector_total(const float* values, std::uint64_t count, float* total) {
  float* device_values = nullptr;
  float* device_total = nullptr;
  RETURN_IF_FAILED(cudaMalloc(&device_values, count * sizeof(float)));
  RETURN_IF_FAILED(cudaMalloc(&device_total, sizeof(float)));
  RETURN_IF_FAILED(
      cudaMemcpy(device_values, values, count * sizeof(float), cudaMemcpyHostToDevice));
  RETURN_IF_FAILED(cudaMemset(device_total, 0, sizeof(float)));
  Total<<<Blocks(count), kThreads>>>(device_values, count, device_total);
  RETURN_IF_FAILED(cudaDeviceSynchronize());
  RETURN_IF_FAILED(cudaMemcpy(total, device_total, sizeof(float), cudaMemcpyDeviceToHost));
  RETURN_IF_FAILED(cudaFree(device_values));
  RETURN_IF_FAILED(cudaFree(device_total));
  return 0;
}

int vector_add_on_stream(const float* a, const float* b, float* sum, std::uint64_t count,
                         CUstream_st* stream) {
  Add<<<Blocks(count), kThreads, 0, stream>>>(a, b, sum, count, 0);
  return static_cast<int>(cudaGetLastError());
}

int vector_add_on_side_stream(const float* a, const float* b, float* sum, std::uint64_t count,
                              CUstream_st* /*stream*/) {
  cudaStream_t side = nullptr;
  RETURN_IF_FAILED(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
  Add<<<Blocks(count), kThreads, 0, side>>>(a, b, sum, count, 0);
  return static_cast<int>(cudaGetLastError());
}

int vector_add_all_but_one(const float* a, const float* b, float* sum, std::uint64_t count,
                           CUstream_st* stream) {
  return vector_add_on_stream(a, b, sum, count - 1, stream);
}

int make_texture() {
  cudaTextureObject_t texture = 0;
  const cudaResourceDesc resource{};
  const cudaTextureDesc description{};
  return static_cast<int>(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
}

int allocated_at_start() { return static_cast<int>(g_allocated_at_start.error); }

int print_much(std::uint32_t count) {
  Print<<<count / kThreads, kThreads>>>();
  return static_cast<int>(cudaDeviceSynchronize());
}

int dereference_on_host(float* value) {
  float* device = nullptr;
  RETURN_IF_FAILED(cudaMalloc(&device, sizeof(float)));
  *value = *device;
  return 0;
}

int allocate(std::uint64_t size_bytes) {
  void* device = nullptr;
  if (cudaMalloc(&device, size_bytes) != cudaSuccess) {
    return static_cast<int>(cudaGetLastError());  // Which forgets it.
  }
  return static_cast<int>(cudaFree(device));
}

int allocate_without_end(std::uint64_t size_bytes, std::uint32_t* count) {
  *count = 0;
  while (true) {
    void* device = nullptr;
    RETURN_IF_FAILED(cudaMalloc(&device, size_bytes));
    ++*count;
  }
}

int run_forever() {
  int* never = nullptr;
  RETURN_IF_FAILED(cudaMalloc(&never, sizeof(int)));
  RETURN_IF_FAILED(cudaMemset(never, 0, sizeof(int)));
  Spin<<<1, 32>>>(never);
  return static_cast<int>(cudaDeviceSynchronize());
}

int launch_forever() {
  float* device = nullptr;
  RETURN_IF_FAILED(cudaMalloc(&device, sizeof(float)));
  RETURN_IF_FAILED(cudaMemset(device, 0, sizeof(float)));
  while (true) {
    Add<<<1, kThreads>>>(device, device, device, 1, 0);
    RETURN_IF_FAILED(cudaGetLastError());
  }
}

int leak(std::uint64_t size_bytes) {
  void* device = nullptr;
  return static_cast<int>(cudaMalloc(&device, size_bytes));
}

int launch_late() {
  act_after_the_reply([] {
    void* device = nullptr;
    g_late_error = static_cast<int>(cudaMalloc(&device, 64));
  });
  return 0;
}

int late_error() { return g_late_error; }
}
