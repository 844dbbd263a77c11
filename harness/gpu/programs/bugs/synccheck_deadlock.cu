// SPDX-License-Identifier: Apache-2.0
// Two warps wait at two named barriers, each for the other.
#include "../common/bug.h"

__global__ void Meet(int* y, int stride) {
  const int barrier = 1 + (threadIdx.x / 32) * stride;
  asm volatile("bar.sync %0, 64;" ::"r"(barrier) : "memory");  // BUG: synccheck deadlock
  y[threadIdx.x] = threadIdx.x;
}

int main() {
  int* y = Allocate<int>(64);
  Meet<<<1, 64>>>(y, kBug ? 1 : 0);
  const int outcome = Finish();
  cudaFree(y);
  return outcome;
}
