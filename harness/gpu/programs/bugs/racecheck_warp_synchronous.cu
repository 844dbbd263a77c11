// SPDX-License-Identifier: Apache-2.0
// Code that trusts the lanes of a warp to run in step: legal until Pascal, a race since Volta. A
// fence of the compiler keeps the stores where they are, but orders nothing between lanes.
#include "../common/bug.h"

__device__ void StepTogether() {
  if (kBug) {
    asm volatile("" ::: "memory");
  } else {
    __syncwarp();
  }
}

__global__ void WarpSum(const int* x, int* sum) {
  __shared__ int tree[64];
  tree[threadIdx.x] = x[threadIdx.x];
  tree[threadIdx.x + 32] = 0;
  __syncwarp();
  for (int offset = 16; offset > 0; offset /= 2) {
    const int other = tree[threadIdx.x + offset];  // BUG: racecheck read_after_write|write_after_read
    StepTogether();
    tree[threadIdx.x] += other;  // BUG: racecheck write_after_read|read_after_write
    StepTogether();
  }
  if (threadIdx.x == 0) {
    *sum = tree[0];
  }
}

int main() {
  int* x = AllocateRamp<int>(32);
  int* sum = Allocate<int>(1);
  WarpSum<<<1, 32>>>(x, sum);
  const int outcome = Finish();
  cudaFree(x);
  cudaFree(sum);
  return outcome;
}
