// SPDX-License-Identifier: Apache-2.0
// Threads past the end return before a barrier that the others wait at.
#include "../common/bug.h"

__global__ void Neighbours(const int* x, int* y, int n) {
  __shared__ int tile[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) {
    return;
  }
  tile[threadIdx.x] = x[i];
  __syncthreads();  // BUG: synccheck divergent_barrier
  y[i] = tile[threadIdx.x ^ 1];
}

int main() {
  const int size = kBug ? 90 : 128;
  int* x = AllocateRamp<int>(size);
  int* y = Allocate<int>(size);
  Neighbours<<<2, 64>>>(x, y, size);
  const int outcome = Finish();
  cudaFree(x);
  cudaFree(y);
  return outcome;
}
