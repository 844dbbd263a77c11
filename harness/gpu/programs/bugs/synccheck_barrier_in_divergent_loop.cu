// SPDX-License-Identifier: Apache-2.0
// A barrier in a loop that some threads leave, and then exit, while others come to it again.
// REPORTED: 1
#include "../common/bug.h"

__global__ void Rotate(int* x, int n) {
  __shared__ int tile[64];
  const int rounds = kBug ? 1 + threadIdx.x / 32 : 2;
#pragma unroll 1
  for (int i = 0; i < rounds; ++i) {
    tile[threadIdx.x] = x[threadIdx.x] + n;
    __syncthreads();  // BUG: synccheck divergent_barrier
    x[threadIdx.x] = tile[threadIdx.x];
  }
}

int main() {
  int* x = AllocateRamp<int>(64);
  Rotate<<<1, 64>>>(x, 1);
  const int outcome = Finish();
  cudaFree(x);
  return outcome;
}
