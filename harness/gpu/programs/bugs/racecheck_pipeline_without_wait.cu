// SPDX-License-Identifier: Apache-2.0
// A double-buffered copy to shared memory that reads a stage without waiting for it.
#include <cuda_pipeline.h>

#include "../common/bug.h"

__global__ void Stages(const float4* x, float* y, int stages) {
  __shared__ float4 buffer[2][64];
  __pipeline_memcpy_async(&buffer[0][threadIdx.x], &x[threadIdx.x], sizeof(float4));
  __pipeline_commit();
  float sum = 0;
  for (int stage = 0; stage < stages; ++stage) {
    if (stage + 1 < stages) {
      __pipeline_memcpy_async(&buffer[(stage + 1) % 2][threadIdx.x], &x[(stage + 1) * 64 + threadIdx.x],
                              sizeof(float4));
    }
    __pipeline_commit();
    if (!kBug) {
      __pipeline_wait_prior(1);
    }
    __syncthreads();
    sum += buffer[stage % 2][63 - threadIdx.x].x;  // BUG: racecheck read_after_write|uninitialized|write_after_read
    __syncthreads();
  }
  y[threadIdx.x] = sum;
  __pipeline_wait_prior(0);
}

int main() {
  float* x = AllocateRamp<float>(6 * 64 * 4);
  float* y = Allocate<float>(64);
  Stages<<<1, 64>>>(reinterpret_cast<const float4*>(x), y, 6);
  const int outcome = Finish();
  cudaFree(x);
  cudaFree(y);
  return outcome;
}
