// SPDX-License-Identifier: Apache-2.0
// __trap ends the kernel; the error is cudaErrorLaunchFailure, and stays.
// FINDINGS: any
#include "../common/check.h"

__global__ void TrapAt(int thread) {
  if (static_cast<int>(threadIdx.x) == thread) {
    __trap();
  }
}

int main() {
  TrapAt<<<1, 64>>>(64);
  check::ExpectError("no thread traps", cudaDeviceSynchronize(), cudaSuccess);
  TrapAt<<<1, 64>>>(40);
  check::ExpectError("one thread traps", cudaDeviceSynchronize(), cudaErrorLaunchFailure);
  check::ExpectError("the error stays", cudaGetLastError(), cudaErrorLaunchFailure);
  check::ExpectError("and cannot be cleared", cudaGetLastError(), cudaErrorLaunchFailure);
  return check::Finish();
}
