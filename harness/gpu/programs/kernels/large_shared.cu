// SPDX-License-Identifier: Apache-2.0
// 96 KiB of dynamic shared memory, asked for by attribute, next to a static array; and a launch by
// cudaLaunchKernelExC.
#include "../common/check.h"

constexpr int kWords = 24 * 1024;

__global__ void Reverse(const unsigned* x, unsigned* y, int n) {
  extern __shared__ unsigned tile[];
  __shared__ unsigned marker[4];
  if (threadIdx.x < 4) {
    marker[threadIdx.x] = threadIdx.x + 1;
  }
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    tile[i] = x[i];
  }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    y[i] = tile[n - 1 - i] + marker[i % 4];
  }
}

int main() {
  const std::vector<unsigned> x = check::Random(22).Integers(kWords, 1U << 30);
  std::vector<unsigned> want(kWords);
  for (int i = 0; i < kWords; ++i) {
    want[i] = x[kWords - 1 - i] + i % 4 + 1;
  }
  const check::DeviceArray<unsigned> device_x(x), y(kWords, 0);
  CUDA_OK(cudaFuncSetAttribute(Reverse, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               kWords * sizeof(unsigned)));
  Reverse<<<1, 512, kWords * sizeof(unsigned)>>>(device_x.get(), y.get(), kWords);
  SYNCHRONIZE();
  check::ExpectEqual("96 KiB", y.Download(), want);

  CUDA_OK(cudaMemset(y.get(), 0, kWords * sizeof(unsigned)));
  cudaLaunchConfig_t configuration = {};
  configuration.gridDim = dim3(1);
  configuration.blockDim = dim3(256);
  configuration.dynamicSmemBytes = kWords * sizeof(unsigned);
  const unsigned* from = device_x.get();
  CUDA_OK(cudaLaunchKernelEx(&configuration, Reverse, from, y.get(), kWords));
  SYNCHRONIZE();
  check::ExpectEqual("by cudaLaunchKernelEx", y.Download(), want);
  return check::Finish();
}
