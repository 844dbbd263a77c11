// SPDX-License-Identifier: Apache-2.0
// A loop fills a tile, waits, and reads it, but does not wait again before it fills it anew.
#include "../common/bug.h"

__global__ void Convolve(const float* x, float* y, int tiles) {
  __shared__ float tile[128];
  float sum = 0;
  for (int t = 0; t < tiles; ++t) {
    tile[threadIdx.x] = x[t * 128 + threadIdx.x];  // BUG: racecheck write_after_read|read_after_write
    __syncthreads();
    sum += tile[127 - threadIdx.x];
    if (!kBug) {
      __syncthreads();
    }
  }
  y[threadIdx.x] = sum;
}

int main() {
  float* x = AllocateRamp<float>(4 * 128);
  float* y = Allocate<float>(128);
  Convolve<<<1, 128>>>(x, y, 4);
  const int outcome = Finish();
  cudaFree(x);
  cudaFree(y);
  return outcome;
}
