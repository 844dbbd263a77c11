// SPDX-License-Identifier: Apache-2.0
// A shift to the left that starts at element 0 instead of 1.
#include "../common/bug.h"

__global__ void ShiftLeft(const float* from, float* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x + (kBug ? 0 : 1);
  if (i < n) {
    to[i - 1] = from[i];  // BUG: memcheck out_of_bounds
  }
}

int main() {
  constexpr int kSize = 256;
  float* from = AllocateRamp<float>(kSize);
  float* to = Allocate<float>(kSize);
  ShiftLeft<<<2, 128>>>(from, to, kSize);
  const int outcome = Finish();
  cudaFree(from);
  cudaFree(to);
  return outcome;
}
