// SPDX-License-Identifier: Apache-2.0
// A stencil reads one column past each row. In all rows but the last that is the next row's first
// element, inside the allocation: only the last row gives it away.
#include "../common/bug.h"

__global__ void Blur(const float* x, float* y, int width) {
  const int column = threadIdx.x;
  const float* row = x + blockIdx.x * width;
  const int right = kBug || column + 1 < width ? column + 1 : column;
  y[blockIdx.x * width + column] = 0.5F * (row[column] + row[right]);  // BUG: memcheck out_of_bounds
}

int main() {
  constexpr int kRows = 8;
  constexpr int kWidth = 96;
  float* x = AllocateRamp<float>(kRows * kWidth);
  float* y = Allocate<float>(kRows * kWidth);
  Blur<<<kRows, kWidth>>>(x, y, kWidth);
  const int outcome = Finish();
  cudaFree(x);
  cudaFree(y);
  return outcome;
}
