// SPDX-License-Identifier: Apache-2.0
// One thread resets with a plain store what the others add to by atomics in the same launch.
#include "../common/bug.h"

__global__ void ResetAndCount(int* count, const int* x) {
  if (kBug && blockIdx.x == 0 && threadIdx.x == 0) {
    *count = 0;  // BUG: racecheck atomic_mix
  }
  if (x[threadIdx.x] % 3 == 0) {
    atomicAdd(count, 1);
  }
}

int main() {
  int* x = AllocateRamp<int>(64);
  int* count = AllocateZeros<int>(1);
  ResetAndCount<<<4, 64>>>(count, x);
  const int outcome = Finish();
  cudaFree(x);
  cudaFree(count);
  return outcome;
}
