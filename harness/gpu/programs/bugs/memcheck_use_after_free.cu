// SPDX-License-Identifier: Apache-2.0
// A kernel reads an allocation that was freed before the launch.
#include "../common/bug.h"

__global__ void Copy(const int* from, int* to) {
  to[threadIdx.x] = from[threadIdx.x];  // BUG: memcheck use_after_free
}

int main() {
  int* from = AllocateRamp<int>(64);
  int* to = Allocate<int>(64);
  if (kBug) {
    cudaFree(from);
  }
  Copy<<<1, 64>>>(from, to);
  const int outcome = Finish();
  if (!kBug) {
    cudaFree(from);
  }
  cudaFree(to);
  return outcome;
}
