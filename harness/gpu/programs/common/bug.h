// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GPU_PROGRAMS_COMMON_BUG_H_
#define ASSAY_GPU_PROGRAMS_COMMON_BUG_H_

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

/// Each program of bugs/ is built twice: with the bug, and with -DCLEAN without it. The two differ
/// in this constant alone, so that lines are the same.
#ifdef CLEAN
constexpr bool kBug = false;
#else
constexpr bool kBug = true;
#endif

/// Device memory; the program ends where there is none.
template <class T>
T* Allocate(size_t size) {
  void* memory = nullptr;
  if (const cudaError_t error = cudaMalloc(&memory, size * sizeof(T)); error != cudaSuccess) {
    std::printf("FAILED cudaMalloc: %s\n", cudaGetErrorName(error));
    std::exit(1);
  }
  return static_cast<T*>(memory);
}

/// Device memory with every byte zero.
template <class T>
T* AllocateZeros(size_t size) {
  T* memory = Allocate<T>(size);
  cudaMemset(memory, 0, size * sizeof(T));
  return memory;
}

/// Device memory that holds 0, 1, 2 … as T.
template <class T>
T* AllocateRamp(size_t size) {
  T* host = static_cast<T*>(std::malloc(size * sizeof(T)));
  for (size_t i = 0; i < size; ++i) {
    host[i] = static_cast<T>(i);
  }
  T* memory = Allocate<T>(size);
  cudaMemcpy(memory, host, size * sizeof(T), cudaMemcpyHostToDevice);
  std::free(host);
  return memory;
}

/// Waits for the device. The kernel's own fault is no failure of the program that shows it, but
/// the clean twin must run: what main returns.
inline int Finish() {
  const cudaError_t error = cudaDeviceSynchronize();
  if (!kBug && error != cudaSuccess) {
    std::printf("FAILED %s\n", cudaGetErrorName(error));
    return 1;
  }
  return 0;
}

#endif  // ASSAY_GPU_PROGRAMS_COMMON_BUG_H_
