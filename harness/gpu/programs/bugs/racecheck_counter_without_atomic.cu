// SPDX-License-Identifier: Apache-2.0
// Blocks count themselves with a plain increment.
#include "../common/bug.h"

__global__ void Count(unsigned* counter) {
  if (threadIdx.x == 0) {
    if (kBug) {
      *counter += 1;  // BUG: racecheck read_after_write|write_after_read|write_after_write
    } else {
      atomicAdd(counter, 1U);
    }
  }
}

int main() {
  unsigned* counter = AllocateZeros<unsigned>(1);
  Count<<<16, 32>>>(counter);
  const int outcome = Finish();
  cudaFree(counter);
  return outcome;
}
