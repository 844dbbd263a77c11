// SPDX-License-Identifier: Apache-2.0
// A float4 read at an address that is a multiple of 4, not of 16.
#include "../common/bug.h"

__global__ void CopyFours(const float* from, float4* to) {
  const float4* fours = reinterpret_cast<const float4*>(from + (kBug ? 1 : 0));
  to[threadIdx.x] = fours[threadIdx.x];  // BUG: memcheck misaligned
}

int main() {
  float* from = AllocateRamp<float>(160);
  float4* to = Allocate<float4>(32);
  CopyFours<<<1, 32>>>(from, to);
  const int outcome = Finish();
  cudaFree(from);
  cudaFree(to);
  return outcome;
}
