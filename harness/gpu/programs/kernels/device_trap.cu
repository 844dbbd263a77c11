// SPDX-License-Identifier: Apache-2.0
// __trap ends the kernel; the error is cudaErrorLaunchFailure, and every later call has it.
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
  check::ExpectError("it is the last error", cudaGetLastError(), cudaErrorLaunchFailure);
  check::ExpectError("which is forgotten once told", cudaGetLastError(), cudaSuccess);
  check::ExpectError("but every later call has it", cudaDeviceSynchronize(),
                     cudaErrorLaunchFailure);
  return check::Finish();
}
