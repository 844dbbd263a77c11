// SPDX-License-Identifier: Apache-2.0
// What a program asks of the device: properties, attributes, function attributes, occupancy,
// memory.
#include <cstring>

#include "../common/check.h"

__global__ void __launch_bounds__(256) Kernel(float* x) {
  __shared__ float tile[1024];
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = tile[255 - threadIdx.x];
}

int main() {
  int count = 0;
  CUDA_OK(cudaGetDeviceCount(&count));
  check::Expect("a device", count >= 1);
  CUDA_OK(cudaSetDevice(0));
  int device = -1;
  CUDA_OK(cudaGetDevice(&device));
  check::Expect("the first", device == 0);
  check::ExpectError("no such device", cudaSetDevice(99), cudaErrorInvalidDevice);
  check::ExpectError("said once", cudaGetLastError(), cudaErrorInvalidDevice);

  cudaDeviceProp properties = {};
  CUDA_OK(cudaGetDeviceProperties(&properties, 0));
  check::Expect("a name", std::strlen(properties.name) > 0);
  check::Expect("compute capability 8.0 or later", properties.major >= 8);
  check::Expect("warps of 32", properties.warpSize == 32);
  check::Expect("blocks of 1024", properties.maxThreadsPerBlock == 1024);
  check::Expect("48 KiB of shared memory", properties.sharedMemPerBlock == 49152);
  check::Expect("more on request", properties.sharedMemPerBlockOptin > 49152);
  check::Expect("multiprocessors", properties.multiProcessorCount > 0);
  check::Expect("65536 registers", properties.regsPerBlock == 65536);
  check::Expect("memory", properties.totalGlobalMem > (1ULL << 30));
  check::Expect("an L2", properties.l2CacheSize > 0);
  check::Expect("grids of 2^31 - 1",
                properties.maxGridSize[0] == 2147483647 && properties.maxGridSize[1] == 65535);
  check::Expect("64 KiB of constants", properties.totalConstMem == 65536);
  int value = 0;
  CUDA_OK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
  check::Expect("the same by attribute", value == properties.multiProcessorCount);
  CUDA_OK(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 0));
  check::Expect("compute capability by attribute", value == properties.major);

  cudaFuncAttributes attributes = {};
  CUDA_OK(cudaFuncGetAttributes(&attributes, Kernel));
  check::Expect("static shared memory", attributes.sharedSizeBytes == 4096);
  check::Expect("threads by __launch_bounds__", attributes.maxThreadsPerBlock == 256);
  check::Expect("registers", attributes.numRegs > 0 && attributes.numRegs <= 255);
  int blocks = 0;
  CUDA_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, Kernel, 256, 0));
  check::Expect("occupancy by threads", blocks == properties.maxThreadsPerMultiProcessor / 256);
  CUDA_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, Kernel, 256, 40000));
  check::Expect(
      "occupancy by shared memory",
      blocks >= 1 && blocks * std::size_t{44096} <= properties.sharedMemPerMultiprocessor);
  int grid = 0;
  int block = 0;
  CUDA_OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, Kernel, 0, 0));
  check::Expect("a good block size", block == 256 && grid > 0);

  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  CUDA_OK(cudaMemGetInfo(&free_bytes, &total_bytes));
  check::Expect("free memory", free_bytes > 0 && free_bytes <= total_bytes);
  int runtime = 0;
  int driver = 0;
  CUDA_OK(cudaRuntimeGetVersion(&runtime));
  CUDA_OK(cudaDriverGetVersion(&driver));
  check::Expect("versions", runtime == CUDART_VERSION && driver >= 11000);
  cudaPointerAttributes pointer = {};
  const check::DeviceArray<int> x(4);
  CUDA_OK(cudaPointerGetAttributes(&pointer, x.get()));
  check::Expect("a device pointer", pointer.type == cudaMemoryTypeDevice);
  check::Expect(
      "names of errors",
      std::strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue") == 0 &&
          std::strcmp(cudaGetErrorString(cudaSuccess), "no error") == 0);
  return check::Finish();
}
