// SPDX-License-Identifier: Apache-2.0
// A named barrier for 48 threads: counts are whole warps.
#include "../common/bug.h"

__global__ void Pair(int* y, int count) {
  if (threadIdx.x < 64) {
    asm volatile("bar.sync 1, %0;" ::"r"(count) : "memory");  // BUG: synccheck invalid_barrier
  }
  y[threadIdx.x] = threadIdx.x;
}

int main() {
  int* y = Allocate<int>(96);
  Pair<<<1, 96>>>(y, kBug ? 48 : 64);
  const int outcome = Finish();
  cudaFree(y);
  return outcome;
}
