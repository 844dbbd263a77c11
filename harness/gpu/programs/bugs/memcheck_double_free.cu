// SPDX-License-Identifier: Apache-2.0
// One allocation freed twice.
#include "../common/bug.h"

int main() {
  int* x = AllocateRamp<int>(64);
  cudaFree(x);
  if (kBug) {
    cudaFree(x);  // BUG: memcheck invalid_free host
  }
  return Finish();
}
