// SPDX-License-Identifier: Apache-2.0
// A thread's own array, indexed by a value from memory that is too large in one thread.
#include "../common/bug.h"

__global__ void Tally(const int* digits, int count, int* most) {
  int tally[10] = {};
  for (int i = 0; i < count; ++i) {
    tally[digits[threadIdx.x * count + i]] += 1;  // BUG: memcheck out_of_bounds
  }
  int best = 0;
  for (int digit = 1; digit < 10; ++digit) {
    best = tally[digit] > tally[best] ? digit : best;
  }
  most[threadIdx.x] = best;
}

int main() {
  constexpr int kCount = 8;
  int host[32 * kCount];
  for (int i = 0; i < 32 * kCount; ++i) {
    host[i] = i * 7 % 10;
  }
  host[100] = kBug ? 1000 : 9;
  int* digits = Allocate<int>(32 * kCount);
  int* most = Allocate<int>(32);
  cudaMemcpy(digits, host, sizeof(host), cudaMemcpyHostToDevice);
  Tally<<<1, 32>>>(digits, kCount, most);
  const int outcome = Finish();
  cudaFree(digits);
  cudaFree(most);
  return outcome;
}
