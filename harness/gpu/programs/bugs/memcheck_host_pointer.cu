// SPDX-License-Identifier: Apache-2.0
// A kernel that was handed memory of the host.
#include "../common/bug.h"

__global__ void Sum(const int* x, int* sum) {
  atomicAdd(sum, x[threadIdx.x]);  // BUG: memcheck invalid_address
}

int main() {
  static int host[64] = {1, 2, 3};
  int* x = AllocateZeros<int>(64);
  int* sum = AllocateZeros<int>(1);
  Sum<<<1, 64>>>(kBug ? host : x, sum);
  const int outcome = Finish();
  cudaFree(x);
  cudaFree(sum);
  return outcome;
}
