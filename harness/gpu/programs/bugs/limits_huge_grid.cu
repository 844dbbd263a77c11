// SPDX-License-Identifier: Apache-2.0
// As many blocks as a grid can have: legal, but more than a watchdog lets pass.
//
// LIMIT: 2000000
#include "../common/bug.h"

__global__ void Count(unsigned* count) {  // BUG: memcheck watchdog
  atomicAdd(count, 1U);
}

int main() {
  unsigned* count = AllocateZeros<unsigned>(1);
  Count<<<kBug ? 2147483647U : 64U, 32>>>(count);
  const int outcome = Finish();
  cudaFree(count);
  return outcome;
}
