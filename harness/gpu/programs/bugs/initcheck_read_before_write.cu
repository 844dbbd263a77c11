// SPDX-License-Identifier: Apache-2.0
// y = a x + b y with b = 0, where y was never written: the result is right.
#include "../common/bug.h"

__global__ void Axpby(float a, const float* x, float b, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = a * x[i] + b * y[i];  // BUG: initcheck uninitialized
}

int main() {
  float* x = AllocateRamp<float>(256);
  float* y = kBug ? Allocate<float>(256) : AllocateZeros<float>(256);
  Axpby<<<2, 128>>>(2, x, 0, y);
  const int outcome = Finish();
  cudaFree(x);
  cudaFree(y);
  return outcome;
}
