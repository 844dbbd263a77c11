// SPDX-License-Identifier: Apache-2.0
// The last block adds up the others' partial sums, which no fence made visible before the counter.
#include "../common/bug.h"

__global__ void Sum(const float* x, float* partial, unsigned* finished, float* total) {
  __shared__ bool is_last;
  float sum = x[blockIdx.x * 32 + threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2) {
    sum += __shfl_down_sync(0xFFFFFFFFU, sum, offset);
  }
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;  // BUG: racecheck read_after_write
    if (!kBug) {
      __threadfence();
    }
    is_last = atomicAdd(finished, 1U) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    float all = 0;
    for (unsigned i = 0; i < gridDim.x; ++i) {
      all += __ldcg(&partial[i]);
    }
    *total = all;
  }
}

int main() {
  float* x = AllocateRamp<float>(8 * 32);
  float* partial = Allocate<float>(8);
  unsigned* finished = AllocateZeros<unsigned>(1);
  float* total = Allocate<float>(1);
  Sum<<<8, 32>>>(x, partial, finished, total);
  const int outcome = Finish();
  cudaFree(x);
  cudaFree(partial);
  cudaFree(finished);
  cudaFree(total);
  return outcome;
}
