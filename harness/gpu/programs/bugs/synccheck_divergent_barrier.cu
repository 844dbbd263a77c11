// SPDX-License-Identifier: Apache-2.0
// A barrier that half of a warp does not reach.
#include "../common/bug.h"

__global__ void Partial(const int* x, int* y, int n) {
  __shared__ int tile[64];
  tile[threadIdx.x] = x[threadIdx.x];
  if (threadIdx.x < n) {
    __syncthreads();  // WARNING: synccheck divergent_barrier
    y[threadIdx.x] = tile[n - 1 - threadIdx.x];
  }
}

int main() {
  int* x = AllocateRamp<int>(64);
  int* y = Allocate<int>(64);
  Partial<<<1, 64>>>(x, y, kBug ? 48 : 64);
  const int outcome = Finish();
  cudaFree(x);
  cudaFree(y);
  return outcome;
}
