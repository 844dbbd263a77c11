// SPDX-License-Identifier: Apache-2.0
// A kernel that waits for what never comes, and a program that is told to stop meanwhile: it tells
// itself, once the kernel has said through managed memory that it runs.
#include <csignal>
#include <thread>

#include "../common/bug.h"

__global__ void Early(const int* x, int* y) {
  y[threadIdx.x] = x[threadIdx.x + 1];  // BUG: memcheck out_of_bounds
}

__global__ void Wait(const int* x, volatile int* said) {
  const int beyond = x[threadIdx.x + 1];  // BUG: memcheck out_of_bounds
  said[threadIdx.x] = beyond == 0 ? 2 : 1;
  while (said[threadIdx.x] != 0) {  // BUG: memcheck watchdog
  }
}

int main() {
  // Enough of it that pages are its own, which the emulated GPU shares with the host.
  constexpr std::size_t kSharedBytes = 1 << 16;
  volatile int* said = nullptr;
  cudaMallocManaged(const_cast<int**>(&said), kSharedBytes);
  volatile int* const inside = said + kSharedBytes / 2 / sizeof(int);
  int* x = AllocateRamp<int>(32);
  int* y = Allocate<int>(32);
  Early<<<1, 32>>>(x, y);
  cudaDeviceSynchronize();
  std::thread stopper([inside] {
    while (*inside == 0) {
      std::this_thread::yield();
    }
    std::raise(SIGTERM);
  });
  Wait<<<1, 32>>>(x, inside);
  cudaDeviceSynchronize();
  stopper.join();
  return 0;
}
