// SPDX-License-Identifier: Apache-2.0
// Block 0 reads eight ints and then writes three of them; block 1 writes the other five. The race is
// with block 0's read, which its own later write must not hide.
// REPORTED: 1
#include "../common/bug.h"

__global__ void Clash(int* values) {
  const int t = threadIdx.x;
  if (blockIdx.x == 0) {
    const int mine = values[t];  // BUG: racecheck read_after_write|write_after_read
    __syncthreads();
    if (t < 3) {
      values[t] = mine + 1;
    }
  } else if (t >= 3) {
    values[kBug ? t : t + 8] = 7;
  }
}

int main() {
  int* values = AllocateZeros<int>(16);
  Clash<<<2, 8>>>(values);
  const int outcome = Finish();
  cudaFree(values);
  return outcome;
}
