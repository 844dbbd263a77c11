// SPDX-License-Identifier: Apache-2.0
// The other way round: block 0 writes three ints and then reads eight, and whole warps do.
// REPORTED: 3
#include "../common/bug.h"

__global__ void Clash(int* values, int* sums) {
  const int t = threadIdx.x;
  if (blockIdx.x == 0) {
    if (t < 3) {
      values[t] = t;
    }
    __syncthreads();
    sums[t] = values[t];  // BUG: racecheck read_after_write|write_after_read
  } else if (t >= 3) {
    values[kBug ? t : t + 32] = 7;
  }
}

/// Whole sectors: written by their block, read by it, and written by the other.
__global__ void Swap(int* values) {
  const int mine = blockIdx.x * 32 + threadIdx.x;
  const int others = (mine + 32) % 64;
  if (kBug && blockIdx.x == 1) {
    values[others] = 1;  // BUG: racecheck write_after_write|read_after_write|write_after_read
  }
  if (blockIdx.x == 0) {
    values[mine] = mine;
    values[mine] += __shfl_xor_sync(~0U, values[mine], 1);
  }
}

int main() {
  int* values = AllocateZeros<int>(64);
  int* sums = AllocateZeros<int>(32);
  Clash<<<2, 32>>>(values, sums);
  Swap<<<2, 32>>>(values);
  const int outcome = Finish();
  cudaFree(values);
  cudaFree(sums);
  return outcome;
}
