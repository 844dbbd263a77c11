// SPDX-License-Identifier: Apache-2.0
// Hundreds of blocks race in several ways at many addresses: whoever comes first, the report is one.
#include "../common/bug.h"

__global__ void Smooth(float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float* const to = kBug ? x : y;
  if (i > 0 && i < n - 1) {
    to[i] = 0.5F * (x[i - 1] + x[i + 1]);  // BUG: racecheck read_after_write|write_after_read
  }
}

__global__ void Count(const int* x, unsigned* counts) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (kBug) {
    counts[x[i] % 64] += 1;  // BUG: racecheck read_after_write|write_after_read|write_after_write
  } else {
    atomicAdd(&counts[x[i] % 64], 1U);
  }
}

__global__ void Last(unsigned* last) {
  if (kBug || blockIdx.x == 0) {
    last[threadIdx.x] = blockIdx.x;  // BUG: racecheck write_after_write
  }
}

int main() {
  constexpr int kBlocks = 300;
  constexpr int kThreads = 64;
  float* x = AllocateRamp<float>(kBlocks * kThreads);
  float* y = AllocateZeros<float>(kBlocks * kThreads);
  int* keys = AllocateRamp<int>(kBlocks * kThreads);
  unsigned* counts = AllocateZeros<unsigned>(64);
  unsigned* last = Allocate<unsigned>(kThreads);
  Smooth<<<kBlocks, kThreads>>>(x, y, kBlocks * kThreads);
  Count<<<kBlocks, kThreads>>>(keys, counts);
  Last<<<kBlocks, kThreads>>>(last);
  const int outcome = Finish();
  for (void* memory : {static_cast<void*>(x), static_cast<void*>(y), static_cast<void*>(keys),
                       static_cast<void*>(counts), static_cast<void*>(last)}) {
    cudaFree(memory);
  }
  return outcome;
}
