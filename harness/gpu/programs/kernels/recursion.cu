// SPDX-License-Identifier: Apache-2.0
// A recursive device function. A GPU runs it; the emulator, which inlines calls, refuses the launch
// with cudaErrorNotSupported and names the function.
// FINDINGS: any
#include "../common/check.h"

__device__ __noinline__ int Fibonacci(int n) {
  return n < 2 ? n : Fibonacci(n - 1) + Fibonacci(n - 2);
}

__global__ void Run(int* out) { out[threadIdx.x] = Fibonacci(threadIdx.x); }

int main() {
  const check::DeviceArray<int> out(12, 0);
  Run<<<1, 12>>>(out.get());
  cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) {
    error = cudaDeviceSynchronize();
  }
  if (error == cudaErrorNotSupported) {
    check::Expect("recursion runs or is refused by name", true);
    return check::Finish();
  }
  CUDA_OK(error);
  check::Expect("recursion runs or is refused by name", out.Download()[11] == 89);
  return check::Finish();
}
