// SPDX-License-Identifier: Apache-2.0
// A tile whose halo nobody filled.
#include "../common/bug.h"

__global__ void Blur(const float* x, float* y) {
  __shared__ float tile[130];
  tile[threadIdx.x + 1] = x[threadIdx.x];
  if (!kBug && threadIdx.x < 2) {
    tile[threadIdx.x * 129] = 0;
  }
  __syncthreads();
  y[threadIdx.x] = tile[threadIdx.x] + tile[threadIdx.x + 2];  // BUG: initcheck uninitialized
}

int main() {
  float* x = AllocateRamp<float>(128);
  float* y = Allocate<float>(128);
  Blur<<<1, 128>>>(x, y);
  const int outcome = Finish();
  cudaFree(x);
  cudaFree(y);
  return outcome;
}
