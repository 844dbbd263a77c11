// SPDX-License-Identifier: Apache-2.0
// Every thread writes its own value to one shared word.
#include "../common/bug.h"

__global__ void Elect(int* leader) {
  __shared__ int chosen;
  if (kBug || threadIdx.x == 5) {
    chosen = threadIdx.x;  // BUG: racecheck write_after_write
  }
  __syncthreads();
  leader[threadIdx.x] = chosen;
}

int main() {
  int* leader = Allocate<int>(64);
  Elect<<<1, 64>>>(leader);
  const int outcome = Finish();
  cudaFree(leader);
  return outcome;
}
