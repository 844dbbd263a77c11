// SPDX-License-Identifier: Apache-2.0
// As racecheck_equal_stores, in a kernel whose blocks run one after the other: it adds up floats.
// What a block reads of the same value that others store is an error still.
// REPORTED: 3
#include "../common/bug.h"

__global__ void Sum(float* sum, int* same, int* other, int* seen) {
  const int own = kBug ? 0 : blockIdx.x;
  atomicAdd(sum, 1.0F);
  if (threadIdx.x == 0) {
    same[own] = 3;            // INFO: racecheck write_after_write
    other[own] = blockIdx.x;  // BUG: racecheck write_after_write
  }
  seen[blockIdx.x * blockDim.x + threadIdx.x] = same[own];  // BUG: racecheck read_after_write|write_after_read
}

int main() {
  float* sum = AllocateZeros<float>(1);
  int* same = AllocateZeros<int>(8);
  int* other = Allocate<int>(8);
  int* seen = Allocate<int>(8 * 64);
  Sum<<<8, 64>>>(sum, same, other, seen);
  const int outcome = Finish();
  cudaFree(sum);
  cudaFree(same);
  cudaFree(other);
  cudaFree(seen);
  return outcome;
}
