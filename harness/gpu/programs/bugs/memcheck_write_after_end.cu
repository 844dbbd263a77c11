// SPDX-License-Identifier: Apache-2.0
// The last block has more threads than there are elements left.
#include "../common/bug.h"

__global__ void Scale(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (kBug || i < n) {
    x[i] = 2.0F;  // BUG: memcheck out_of_bounds
  }
}

int main() {
  constexpr int kSize = 1000;
  float* x = Allocate<float>(kSize);
  Scale<<<(kSize + 127) / 128, 128>>>(x, kSize);
  const int outcome = Finish();
  cudaFree(x);
  return outcome;
}
