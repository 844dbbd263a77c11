// SPDX-License-Identifier: Apache-2.0
// A failed assert ends the kernel; the error is cudaErrorAssert, and stays.
// FINDINGS: any
#include <cassert>

#include "../common/check.h"

__global__ void AssertBelow(int limit) { assert(static_cast<int>(threadIdx.x) < limit); }

int main() {
  AssertBelow<<<1, 64>>>(64);
  check::ExpectError("an assert that holds", cudaDeviceSynchronize(), cudaSuccess);
  AssertBelow<<<1, 64>>>(63);
  check::ExpectError("an assert that fails", cudaDeviceSynchronize(), cudaErrorAssert);
  check::ExpectError("the error stays", cudaDeviceSynchronize(), cudaErrorAssert);
  void* memory = nullptr;
  check::ExpectError("every later call has it", cudaMalloc(&memory, 16), cudaErrorAssert);
  return check::Finish();
}
