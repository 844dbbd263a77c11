// SPDX-License-Identifier: Apache-2.0
// One stream writes what another reads, writes or fills, and nothing orders them. What one stream
// reads and another reads too, or other bytes of the same sectors, is no race.
// REPORTED: 4
#include "../common/bug.h"

__global__ void Write(int* to, int value) {
  to[threadIdx.x] = value;  // BUG: racecheck read_after_write
}

__global__ void Copy(const int* from, int* to) { to[threadIdx.x] = from[threadIdx.x]; }

__global__ void Look(const int* from, int* to) {
  to[threadIdx.x] = from[threadIdx.x];  // BUG: racecheck write_after_read
}

__global__ void Change(int* values) { values[threadIdx.x] = 3; }

__global__ void Every2nd(int* values, int first) { values[2 * threadIdx.x + first] = first; }

__global__ void Filled(int* values) {
  values[threadIdx.x] = 4;  // BUG: racecheck write_after_write
}

// A kernel on the default stream, which does not wait for one that was made not to block.
__global__ void Default(int* values) {
  values[threadIdx.x] = 5;  // BUG: racecheck write_after_write
}

int main() {
  int* a = AllocateZeros<int>(32);
  int* b = AllocateZeros<int>(32);
  int* c = AllocateZeros<int>(32);
  int* d = AllocateZeros<int>(32);
  int* pairs = AllocateZeros<int>(64);
  cudaStream_t first;
  cudaStream_t second;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  cudaDeviceSynchronize();
  const auto order = [&](cudaStream_t from) {
    if (!kBug) {
      cudaStreamSynchronize(from);
    }
  };
  Write<<<1, 32, 0, first>>>(a, 7);
  order(first);
  Copy<<<1, 32, 0, second>>>(a, b);
  cudaDeviceSynchronize();
  Look<<<1, 32, 0, second>>>(c, d);
  order(second);
  Change<<<1, 32, 0, first>>>(c);
  Every2nd<<<1, 32, 0, first>>>(pairs, 0);
  Every2nd<<<1, 32, 0, second>>>(pairs, 1);
  cudaDeviceSynchronize();
  cudaMemsetAsync(a, 0, 128, first);
  order(first);
  Filled<<<1, 32, 0, second>>>(a);
  cudaDeviceSynchronize();
  Change<<<1, 32, 0, first>>>(d);
  order(first);
  Default<<<1, 32>>>(d);
  const int outcome = Finish();
  for (int* memory : {a, b, c, d, pairs}) {
    cudaFree(memory);
  }
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
  return outcome;
}
