// SPDX-License-Identifier: Apache-2.0
// cuda::barrier (mbarrier): arrive and wait with phases, arrive early and wait late; and named
// barriers by inline PTX between producer and consumer warps.
// COUNTERS: vary
#include <cuda/barrier>

#include "../common/check.h"

constexpr int kThreads = 96;

#pragma nv_diag_suppress static_var_with_dynamic_init

__global__ void Rotate(const int* x, int* y, int steps) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ int tile[2][kThreads];
  if (threadIdx.x == 0) {
    init(&barrier, kThreads);
  }
  __syncthreads();
  tile[0][threadIdx.x] = x[threadIdx.x];
  barrier.arrive_and_wait();
  for (int step = 0; step < steps; ++step) {
    tile[(step + 1) % 2][threadIdx.x] = tile[step % 2][(threadIdx.x + 1) % kThreads];
    auto token = barrier.arrive();
    const int mine = tile[(step + 1) % 2][threadIdx.x];
    barrier.wait(std::move(token));
    y[threadIdx.x] = mine;
  }
}

/// Warp 0 produces, warps 1 and 2 consume: barrier 1 says full, barrier 2 says empty.
__global__ void ProduceConsume(const int* x, int* sums, int rounds) {
  __shared__ int slot[32];
  const int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    for (int round = 0; round < rounds; ++round) {
      asm volatile("bar.sync 2, 96;" ::: "memory");
      slot[lane] = x[round * 32 + lane];
      asm volatile("bar.arrive 1, 96;" ::: "memory");
    }
  } else {
    int sum = 0;
    for (int round = 0; round < rounds; ++round) {
      asm volatile("bar.arrive 2, 96;" ::: "memory");
      asm volatile("bar.sync 1, 96;" ::: "memory");
      sum += slot[lane] * (threadIdx.x / 32);
    }
    sums[threadIdx.x - 32] = sum;
  }
}

int main() {
  constexpr int kRounds = 4;
  std::vector<int> x(kRounds * 32);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<int>(i * i % 101);
  }
  const check::DeviceArray<int> device_x(x), y(kThreads), sums(64);
  Rotate<<<1, kThreads>>>(device_x.get(), y.get(), 7);
  SYNCHRONIZE();
  std::vector<int> want(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    want[i] = x[(i + 7) % kThreads];
  }
  check::ExpectEqual("cuda::barrier", y.Download(), want);
  ProduceConsume<<<1, 96>>>(device_x.get(), sums.get(), kRounds);
  SYNCHRONIZE();
  want.assign(64, 0);
  for (int i = 0; i < 64; ++i) {
    for (int round = 0; round < kRounds; ++round) {
      want[i] += x[round * 32 + i % 32] * (1 + i / 32);
    }
  }
  check::ExpectEqual("named barriers", sums.Download(), want);
  return check::Finish();
}
