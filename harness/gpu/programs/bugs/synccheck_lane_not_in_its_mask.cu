// SPDX-License-Identifier: Apache-2.0
// The lower half of a warp waits for the upper half's mask.
#include "../common/bug.h"

__global__ void Exchange(const int* x, int* y) {
  __shared__ int tile[32];
  tile[threadIdx.x] = x[threadIdx.x];
  if (threadIdx.x < 16) {
    __syncwarp(kBug ? 0xFFFF0000U : 0x0000FFFFU);  // BUG: synccheck invalid_mask
    y[threadIdx.x] = tile[threadIdx.x];
  }
}

int main() {
  int* x = AllocateRamp<int>(32);
  int* y = Allocate<int>(32);
  Exchange<<<1, 32>>>(x, y);
  const int outcome = Finish();
  cudaFree(x);
  cudaFree(y);
  return outcome;
}
