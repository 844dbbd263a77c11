// SPDX-License-Identifier: Apache-2.0
// Atomics add to memory that nobody zeroed.
#include "../common/bug.h"

__global__ void ColumnSums(const float* x, float* sums) {
  atomicAdd(&sums[threadIdx.x], x[blockIdx.x * 64 + threadIdx.x]);  // BUG: initcheck uninitialized
}

int main() {
  float* x = AllocateRamp<float>(8 * 64);
  float* sums = kBug ? Allocate<float>(64) : AllocateZeros<float>(64);
  ColumnSums<<<8, 64>>>(x, sums);
  const int outcome = Finish();
  cudaFree(x);
  cudaFree(sums);
  return outcome;
}
