// SPDX-License-Identifier: Apache-2.0
// Each block stores to its own 256 places alone, and reads others': one race, of the read and the
// write, however many cores find it.
// REPORTED: 1
#include "../common/bug.h"

__global__ void Mix(long* values, int count) {
  const int mine = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (int round = 0; round < 50; ++round) {
    const int shift = kBug ? round * 264 : 0;
    const int from = kBug ? (mine * 7 + shift) % count : mine;
    const long other = values[from];  // BUG: racecheck read_after_write|write_after_read
    values[mine] = other + 1;
  }
}

int main() {
  constexpr int kCount = 2048;
  long* values = AllocateZeros<long>(kCount);
  for (int launch = 0; launch < 20; ++launch) {
    Mix<<<kCount / 256, 256>>>(values, kCount);
  }
  const int outcome = Finish();
  cudaFree(values);
  return outcome;
}
