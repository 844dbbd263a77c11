// SPDX-License-Identifier: Apache-2.0
// A thread's own array, summed past what it filled.
#include "../common/bug.h"

__global__ void Sum(const float* x, const int* counts, float* sums) {
  float own[16];
  const int count = counts[threadIdx.x];
  for (int i = 0; i < count; ++i) {
    own[(i * 5) % 16] = x[i];
  }
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < (kBug ? 16 : count); ++i) {
    sum += own[(i * 5) % 16];  // BUG: initcheck uninitialized
  }
  sums[threadIdx.x] = sum;
}

int main() {
  float* x = AllocateRamp<float>(16);
  int* counts = AllocateRamp<int>(16);
  float* sums = Allocate<float>(16);
  Sum<<<1, 16>>>(x, counts, sums);
  const int outcome = Finish();
  cudaFree(x);
  cudaFree(counts);
  cudaFree(sums);
  return outcome;
}
