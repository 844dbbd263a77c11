// SPDX-License-Identifier: Apache-2.0
// Plain reads beside atomics of the same word: what programs do to compare and swap, and to leave
// out atomics that would change nothing. A warning, no error.
// COUNTERS: vary
#include "../common/check.h"

__device__ void AddDouble(double* sum, double x) {
  auto* bits = reinterpret_cast<unsigned long long*>(sum);
  unsigned long long seen = *bits;  // WARNING: racecheck atomic_mix
  for (;;) {
    const unsigned long long wanted = __double_as_longlong(__longlong_as_double(seen) + x);
    const unsigned long long before = atomicCAS(bits, seen, wanted);
    if (before == seen) {
      return;
    }
    seen = before;
  }
}

__global__ void Sum(double* sum) { AddDouble(sum, 1.0); }

__global__ void Maximum(int* maximum) {
  const int mine = threadIdx.x + blockIdx.x;
  if (mine > *maximum) {  // WARNING: racecheck atomic_mix
    atomicMax(maximum, mine);
  }
}

/// The same in shared memory, by threads of several warps.
__global__ void BlockMaximum(int* maximum) {
  __shared__ int best;
  if (threadIdx.x == 0) {
    best = -1;
  }
  __syncthreads();
  const int mine = threadIdx.x * 37 % 128;
  if (mine > best) {  // WARNING: racecheck atomic_mix
    atomicMax(&best, mine);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    maximum[blockIdx.x] = best;
  }
}

int main() {
  const check::DeviceArray<double> sum(1, 0.0);
  const check::DeviceArray<int> maximum(1, 0);
  const check::DeviceArray<int> block_maximum(4, 0);
  Sum<<<4, 64>>>(sum.get());
  Maximum<<<4, 64>>>(maximum.get());
  BlockMaximum<<<4, 128>>>(block_maximum.get());
  CUDA_OK(cudaDeviceSynchronize());
  check::Expect("a sum by compare-and-swap", sum.Download()[0] == 256.0);
  check::Expect("a maximum that is looked at first", maximum.Download()[0] == 66);
  check::Expect("the same of a block", block_maximum.Download() == std::vector<int>(4, 127));
  return check::Finish();
}
