// SPDX-License-Identifier: Apache-2.0
// A shuffle whose mask names lanes that have returned.
#include "../common/bug.h"

__global__ void HalfWarpSum(const int* x, int* sum) {
  if (threadIdx.x >= 16) {
    return;
  }
  int value = x[threadIdx.x];
  for (int offset = 8; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(kBug ? 0xFFFFFFFFU : 0xFFFFU, value, offset);  // BUG: synccheck invalid_mask
  }
  if (threadIdx.x == 0) {
    *sum = value;
  }
}

int main() {
  int* x = AllocateRamp<int>(32);
  int* sum = Allocate<int>(1);
  HalfWarpSum<<<1, 32>>>(x, sum);
  const int outcome = Finish();
  cudaFree(x);
  cudaFree(sum);
  return outcome;
}
