// SPDX-License-Identifier: Apache-2.0
// A tree sum in shared memory without the barrier between its levels.
#include "../common/bug.h"

__global__ void Sum(const float* x, float* sum) {
  __shared__ float tree[256];
  tree[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      tree[threadIdx.x] += tree[threadIdx.x + half];  // BUG: racecheck read_after_write|write_after_read
    }
    if (!kBug) {
      __syncthreads();
    }
  }
  if (threadIdx.x == 0) {
    *sum = tree[0];
  }
}

int main() {
  float* x = AllocateRamp<float>(256);
  float* sum = Allocate<float>(1);
  Sum<<<1, 256>>>(x, sum);
  const int outcome = Finish();
  cudaFree(x);
  cudaFree(sum);
  return outcome;
}
