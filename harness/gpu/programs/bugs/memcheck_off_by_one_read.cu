// SPDX-License-Identifier: Apache-2.0
// A maximum that reads one element too many: what lies there is smaller, so the result is right.
#include "../common/bug.h"

__global__ void Maximum(const float* x, int n, float* maximum) {
  float best = x[0];
  for (int i = threadIdx.x; i < n + (kBug ? 1 : 0); i += 32) {
    best = fmaxf(best, x[i]);  // BUG: memcheck out_of_bounds
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    best = fmaxf(best, __shfl_xor_sync(0xFFFFFFFFU, best, offset));
  }
  if (threadIdx.x == 0) {
    *maximum = best;
  }
}

int main() {
  constexpr int kSize = 1000;
  float* x = AllocateRamp<float>(kSize);
  float* maximum = Allocate<float>(1);
  Maximum<<<1, 32>>>(x, kSize, maximum);
  const int outcome = Finish();
  cudaFree(x);
  cudaFree(maximum);
  return outcome;
}
