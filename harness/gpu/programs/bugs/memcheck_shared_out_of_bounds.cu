// SPDX-License-Identifier: Apache-2.0
// The right neighbour of the last thread is past the end of the block's shared memory.
#include "../common/bug.h"

__global__ void Differences(const float* x, float* y) {
  __shared__ float tile[128];
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  if (kBug || threadIdx.x < 127) {
    y[threadIdx.x] = tile[threadIdx.x + 1] - x[threadIdx.x];  // BUG: memcheck out_of_bounds
  }
}

int main() {
  float* x = AllocateRamp<float>(128);
  float* y = Allocate<float>(128);
  Differences<<<1, 128>>>(x, y);
  const int outcome = Finish();
  cudaFree(x);
  cudaFree(y);
  return outcome;
}
