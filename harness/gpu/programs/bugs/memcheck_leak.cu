// SPDX-License-Identifier: Apache-2.0
// An allocation that is never freed.
#include "../common/bug.h"

__global__ void Fill(int* x) { x[threadIdx.x] = 1; }

int main() {
  int* x = Allocate<int>(64);  // BUG: memcheck leak host
  Fill<<<1, 64>>>(x);
  const int outcome = Finish();
  if (!kBug) {
    cudaFree(x);
  }
  return outcome;
}
