// SPDX-License-Identifier: Apache-2.0
// A selection that takes what was not set: its predicate is not the one that says whether it was.
// REPORTED: 1
#include "../common/bug.h"

using Getter = bool (*)(int, int&);
__device__ bool OddOnly(int i, int& value) {
  if (i % 2 == 0) {
    return false;
  }
  value = i;
  return true;
}
__device__ Getter getters[1] = {OddOnly};

__global__ void Fill(int* out, int limit) {
  int value;
  const bool set = getters[0](threadIdx.x, value);
  const bool takes = kBug ? static_cast<int>(threadIdx.x) < limit : set;
  out[threadIdx.x] = takes ? value : -1;  // BUG: initcheck uninitialized
}

int main() {
  int* out = Allocate<int>(32);
  Fill<<<1, 32>>>(out, 7);
  const int outcome = Finish();
  cudaFree(out);
  return outcome;
}
