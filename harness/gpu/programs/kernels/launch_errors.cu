// SPDX-License-Identifier: Apache-2.0
// Launches and calls that cannot work, and the errors CUDA gives for them; the device works on
// after each, but for the last.
// FINDINGS: any
#include "../common/check.h"

__global__ void Store(int* x) { x[threadIdx.x] = 1; }
__global__ void UseDynamic(int* x) {
  extern __shared__ int tile[];
  tile[threadIdx.x] = threadIdx.x;
  x[threadIdx.x] = tile[threadIdx.x];
}
__global__ void __launch_bounds__(128) Small(int* x) { x[threadIdx.x] = 2; }

/// Invalid configuration to a runtime before 13; invalid value to that of 13.0, seen on an H100.
void ExpectRefused(const char* name) {
  const cudaError_t error = cudaGetLastError();
  check::Expect(name, error == cudaErrorInvalidConfiguration || error == cudaErrorInvalidValue);
}

int main() {
  int* x = nullptr;
  CUDA_OK(cudaMalloc(reinterpret_cast<void**>(&x), 1024 * sizeof(int)));
  Store<<<0, 32>>>(x);
  ExpectRefused("an empty grid");
  Store<<<1, 0>>>(x);
  ExpectRefused("an empty block");
  Store<<<1, 2048>>>(x);
  ExpectRefused("2048 threads");
  Store<<<0x80000000U, 32>>>(x);
  ExpectRefused("2^31 blocks");
  Store<<<dim3(1, 65536), 32>>>(x);
  ExpectRefused("too many rows of blocks");
  Store<<<1, dim3(1, 1, 65)>>>(x);
  ExpectRefused("a block too deep");
  UseDynamic<<<1, 32, 64 * 1024>>>(x);
  check::ExpectError("64 KiB of shared memory, not asked for", cudaGetLastError(),
                     cudaErrorInvalidValue);
  check::ExpectError(
      "1 MiB of shared memory",
      cudaFuncSetAttribute(UseDynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20),
      cudaErrorInvalidValue);
  check::ExpectError("which is remembered", cudaGetLastError(), cudaErrorInvalidValue);
  Small<<<1, 256>>>(x);
  ExpectRefused("more threads than __launch_bounds__");
  void* huge = nullptr;
  check::ExpectError("a malloc of 1 TB", cudaMalloc(&huge, std::size_t{1} << 40),
                     cudaErrorMemoryAllocation);
  check::ExpectError("which is remembered", cudaGetLastError(), cudaErrorMemoryAllocation);
  check::ExpectError("a null destination", cudaMalloc(nullptr, 16), cudaErrorInvalidValue);
  check::ExpectError("which is remembered", cudaGetLastError(), cudaErrorInvalidValue);
  check::ExpectError("freeing a null pointer", cudaFree(nullptr), cudaSuccess);
  check::ExpectError("freeing what is no allocation", cudaFree(x + 1), cudaErrorInvalidValue);
  check::ExpectError("which is remembered", cudaGetLastError(), cudaErrorInvalidValue);

  std::vector<int> host(4096);
  check::ExpectError("a copy past an allocation",
                     cudaMemcpy(host.data(), x, host.size() * sizeof(int), cudaMemcpyDeviceToHost),
                     cudaErrorInvalidValue);
  check::ExpectError("is remembered", cudaPeekAtLastError(), cudaErrorInvalidValue);
  check::ExpectError("until it is asked for", cudaGetLastError(), cudaErrorInvalidValue);
  check::ExpectError("and then forgotten", cudaGetLastError(), cudaSuccess);

  Store<<<1, 32>>>(x);
  check::ExpectError("the device works on", cudaDeviceSynchronize(), cudaSuccess);
  Store<<<1, 32>>>(nullptr);
  check::ExpectError("a store to null", cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  Store<<<1, 32>>>(x);
  check::ExpectError("stays", cudaGetLastError(), cudaErrorIllegalAddress);
  return check::Finish();
}
