// SPDX-License-Identifier: Apache-2.0
// A ring between two warps whose producer does not wait until the consumer has emptied a slot.
// COUNTERS: vary
#include <cuda/atomic>

#include "../common/bug.h"

#pragma nv_diag_suppress static_var_with_dynamic_init

__global__ void Ring(const int* x, int* y, int rounds) {
  __shared__ int slots[2][32];
  __shared__ cuda::atomic<int, cuda::thread_scope_block> full, empty;
  if (threadIdx.x == 0) {
    full.store(0, cuda::memory_order_relaxed);
    empty.store(0, cuda::memory_order_relaxed);
  }
  __syncthreads();
  const int lane = threadIdx.x % 32;
  for (int round = 0; round < rounds; ++round) {
    if (threadIdx.x < 32) {
      while (!kBug && empty.load(cuda::memory_order_acquire) + 2 <= round) {
      }
      __syncwarp();
      slots[round % 2][lane] = x[round * 32 + lane];  // BUG: racecheck write_after_read|read_after_write
      __syncwarp();
      if (lane == 0) {
        full.store(round + 1, cuda::memory_order_release);
      }
    } else {
      while (full.load(cuda::memory_order_acquire) <= round) {
      }
      __syncwarp();
      y[round * 32 + lane] = slots[round % 2][31 - lane];
      __syncwarp();
      if (lane == 0) {
        empty.store(round + 1, cuda::memory_order_release);
      }
    }
  }
}

int main() {
  int* x = AllocateRamp<int>(9 * 32);
  int* y = Allocate<int>(9 * 32);
  Ring<<<1, 64>>>(x, y, 9);
  const int outcome = Finish();
  cudaFree(x);
  cudaFree(y);
  return outcome;
}
