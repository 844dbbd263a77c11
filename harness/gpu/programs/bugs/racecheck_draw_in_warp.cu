// SPDX-License-Identifier: Apache-2.0
// Lanes of one warp read a shared counter that other lanes of it change: a warning that names two
// threads.
// REPORTED: 1
#include "../common/bug.h"

__global__ void Draw(int* out) {
  __shared__ int next;
  if (threadIdx.x == 0) {
    next = 0;
  }
  __syncthreads();
  const int seen = next;  // WARNING: racecheck atomic_mix
  if (!kBug) {
    __syncwarp();
  }
  if (seen < 1000) {
    out[threadIdx.x] = atomicAdd(&next, 1);
  }
}

int main() {
  int* out = Allocate<int>(32);
  Draw<<<1, 32>>>(out);
  const int outcome = Finish();
  cudaFree(out);
  return outcome;
}
