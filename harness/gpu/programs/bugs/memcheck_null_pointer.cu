// SPDX-License-Identifier: Apache-2.0
// A kernel that was handed a null pointer.
#include "../common/bug.h"

__global__ void Fill(int* x) {
  x[threadIdx.x] = 1;  // BUG: memcheck invalid_address
}

int main() {
  int* x = Allocate<int>(64);
  Fill<<<1, 64>>>(kBug ? nullptr : x);
  const int outcome = Finish();
  cudaFree(x);
  return outcome;
}
