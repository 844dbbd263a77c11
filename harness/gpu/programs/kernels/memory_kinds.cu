// SPDX-License-Identifier: Apache-2.0
// Kinds of memory: constant memory with and without an initialiser, __device__ variables, symbols,
// managed memory (allocated and __managed__), pinned and mapped host memory.
#include "../common/check.h"

__constant__ float kWeights[4] = {1, 2, 3, 4};
__constant__ int offsets[32];
__device__ int counter = 5;
__device__ double table[8];
__device__ int* pointer_to_counter = &counter;
__managed__ int shared_total = 100;

__global__ void UseConstants(const float* x, float* y) {
  float sum = 0;
  for (int i = 0; i < 4; ++i) {
    sum += kWeights[i] * x[(threadIdx.x + i) % 32];
  }
  y[threadIdx.x] = sum + static_cast<float>(offsets[threadIdx.x]);
}
__global__ void UseVariables() {
  atomicAdd(&counter, 1);
  if (blockIdx.x == 0 && threadIdx.x < 8) {
    table[threadIdx.x] = 0.5 * threadIdx.x;
  }
}
__global__ void UsePointer(int* out) { *out = *pointer_to_counter; }
__global__ void AddManaged(int* x, int n) {
  const int i = threadIdx.x;
  if (i < n) {
    x[i] += shared_total;
  }
  __syncthreads();
  if (i == 0) {
    shared_total += 1;
  }
}
__global__ void Increment(int* x) { x[threadIdx.x] += 1; }

int main() {
  std::vector<float> x(32);
  std::vector<int> host_offsets(32);
  std::vector<float> want(32);
  for (int i = 0; i < 32; ++i) {
    x[i] = static_cast<float>(i);
    host_offsets[i] = 100 * i;
  }
  for (int i = 0; i < 32; ++i) {
    want[i] = static_cast<float>(host_offsets[i]);
    for (int j = 0; j < 4; ++j) {
      want[i] += static_cast<float>(j + 1) * x[(i + j) % 32];
    }
  }
  const check::DeviceArray<float> device_x(x), y(32);
  CUDA_OK(cudaMemcpyToSymbol(offsets, host_offsets.data(), sizeof(int) * 32));
  UseConstants<<<1, 32>>>(device_x.get(), y.get());
  SYNCHRONIZE();
  check::ExpectEqual("constant memory", y.Download(), want);
  const float heavier[2] = {30, 40};
  CUDA_OK(cudaMemcpyToSymbol(kWeights, heavier, sizeof(heavier), 2 * sizeof(float)));
  float weights[4] = {};
  CUDA_OK(cudaMemcpyFromSymbol(weights, kWeights, sizeof(weights)));
  check::Expect("part of a symbol",
                weights[0] == 1 && weights[1] == 2 && weights[2] == 30 && weights[3] == 40);

  UseVariables<<<2, 32>>>();
  SYNCHRONIZE();
  int value = 0;
  CUDA_OK(cudaMemcpyFromSymbol(&value, counter, sizeof(value)));
  check::Expect("a __device__ variable", value == 5 + 64);
  double third = 0;
  CUDA_OK(cudaMemcpyFromSymbol(&third, table, sizeof(third), 3 * sizeof(double)));
  check::Expect("a __device__ array", third == 1.5);
  void* address = nullptr;
  std::size_t size = 0;
  CUDA_OK(cudaGetSymbolAddress(&address, table));
  CUDA_OK(cudaGetSymbolSize(&size, table));
  CUDA_OK(cudaMemset(address, 0, size));
  CUDA_OK(cudaMemcpyFromSymbol(&third, table, sizeof(third), 3 * sizeof(double)));
  check::Expect("a symbol's address and size", size == 64 && third == 0);
  const check::DeviceArray<int> out(1);
  UsePointer<<<1, 1>>>(out.get());
  SYNCHRONIZE();
  check::ExpectEqual("a pointer initialised with an address", out.Download(), std::vector<int>{69});

  int* managed = nullptr;
  CUDA_OK(cudaMallocManaged(reinterpret_cast<void**>(&managed), 64 * sizeof(int)));
  for (int i = 0; i < 64; ++i) {
    managed[i] = i;
  }
  AddManaged<<<1, 32>>>(managed, 32);
  SYNCHRONIZE();
  check::Expect("managed memory", managed[31] == 131 && managed[32] == 32);
  check::Expect("a __managed__ variable, read", shared_total == 101);
  shared_total = 1000;
  AddManaged<<<1, 32>>>(managed + 32, 32);
  SYNCHRONIZE();
  check::Expect("a __managed__ variable, written", managed[63] == 1063);
  CUDA_OK(cudaFree(managed));

  int* mapped = nullptr;
  int* device_view = nullptr;
  CUDA_OK(cudaHostAlloc(reinterpret_cast<void**>(&mapped), 32 * sizeof(int), cudaHostAllocMapped));
  for (int i = 0; i < 32; ++i) {
    mapped[i] = i;
  }
  CUDA_OK(cudaHostGetDevicePointer(reinterpret_cast<void**>(&device_view), mapped, 0));
  Increment<<<1, 32>>>(device_view);
  SYNCHRONIZE();
  check::Expect("mapped host memory", mapped[0] == 1 && mapped[31] == 32);
  CUDA_OK(cudaFreeHost(mapped));
  return check::Finish();
}
