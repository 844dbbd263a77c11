// SPDX-License-Identifier: Apache-2.0
// Each block writes its own cells and one cell of its neighbour, with another value.
#include "../common/bug.h"

__global__ void Stamp(int* cells, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int last = (blockIdx.x + 1) * blockDim.x + (kBug ? 1 : 0);
  for (int j = i; j < last && j < n; j += blockDim.x) {
    cells[j] = blockIdx.x;  // BUG: racecheck write_after_write
  }
}

int main() {
  int* cells = Allocate<int>(256);
  Stamp<<<4, 64>>>(cells, 256);
  const int outcome = Finish();
  cudaFree(cells);
  return outcome;
}
