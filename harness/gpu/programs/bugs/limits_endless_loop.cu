// SPDX-License-Identifier: Apache-2.0
// A kernel that waits for a flag that nobody sets: the watchdog counts instructions.
//
// LIMIT: 2000000
#include "../common/bug.h"

__global__ void Wait(const volatile int* flag, int* y) {
  while (*flag == 0) {  // BUG: memcheck watchdog
  }
  y[threadIdx.x] = 1;
}

int main() {
  int* flags = AllocateRamp<int>(2);
  int* y = Allocate<int>(32);
  Wait<<<1, 32>>>(kBug ? flags : flags + 1, y);
  const int outcome = Finish();
  cudaFree(flags);
  cudaFree(y);
  return outcome;
}
