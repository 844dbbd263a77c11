// SPDX-License-Identifier: Apache-2.0
// A shuffle within half a warp that reads from the other half.
#include "../common/bug.h"

__global__ void Rotate(const int* x, int* y) {
  if (threadIdx.x < 16) {
    const int from = kBug ? threadIdx.x + 8 : (threadIdx.x + 8) % 16;
    const int value = __shfl_sync(0xFFFFU, x[threadIdx.x], from);  // BUG: synccheck inactive_source
    y[threadIdx.x] = threadIdx.x < 8 ? value : 0;
  }
}

int main() {
  int* x = AllocateRamp<int>(32);
  int* y = Allocate<int>(16);
  Rotate<<<1, 32>>>(x, y);
  const int outcome = Finish();
  cudaFree(x);
  cudaFree(y);
  return outcome;
}
