// SPDX-License-Identifier: Apache-2.0
// Threads past the end return before barriers that the others wait at, of blocks of several sizes:
// since Volta they count as if they had come, so that it is a warning, once a line.
// REPORTED: 1
#include "../common/bug.h"

__global__ void Neighbours(const int* x, int* y, int n) {
  __shared__ int tile[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) {
    return;
  }
  tile[threadIdx.x] = x[i];
  __syncthreads();  // WARNING: synccheck divergent_barrier
  y[i] = tile[threadIdx.x ^ 1];
}

int main() {
  const int size = kBug ? 90 : 192;
  int* x = AllocateRamp<int>(size);
  int* y = Allocate<int>(size);
  Neighbours<<<kBug ? 2 : 3, 64>>>(x, y, size);
  Neighbours<<<1, 64>>>(x, y, kBug ? 50 : 64);
  const int outcome = Finish();
  cudaFree(x);
  cudaFree(y);
  return outcome;
}
