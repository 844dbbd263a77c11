// SPDX-License-Identifier: Apache-2.0
// Warps of one block that tell each other by flags in shared memory, without a barrier: a ring, the
// last of several warps, a volatile flag between fences, and tiles of several warps of cooperative
// groups, whose barriers lie in shared memory that the system keeps for them.
// COUNTERS: vary
// FINDINGS: any before CUDA 12
#if __CUDACC_VER_MAJOR__ < 12
#define _CG_ABI_EXPERIMENTAL  // Tiles of several warps.
#endif
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <cuda/atomic>

#include "../common/check.h"

#pragma nv_diag_suppress static_var_with_dynamic_init

namespace cg = cooperative_groups;
#if __CUDACC_VER_MAJOR__ < 12
namespace large = cooperative_groups::experimental;
using TileMemory = large::block_tile_memory<sizeof(int), 256>;
#else
namespace large = cooperative_groups;
using TileMemory = large::block_tile_memory<256>;
#endif

constexpr int kRounds = 9;

/// Warp 0 fills slots, warp 1 empties them; each says how far it is.
__global__ void Ring(const int* x, int* y) {
  __shared__ int slots[2][32];
  __shared__ cuda::atomic<int, cuda::thread_scope_block> full, empty;
  if (threadIdx.x == 0) {
    full.store(0, cuda::memory_order_relaxed);
    empty.store(0, cuda::memory_order_relaxed);
  }
  __syncthreads();
  const int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    for (int round = 0; round < kRounds; ++round) {
      while (empty.load(cuda::memory_order_acquire) + 2 <= round) {
      }
      __syncwarp();
      slots[round % 2][lane] = x[round * 32 + lane];
      __syncwarp();
      if (lane == 0) {
        full.store(round + 1, cuda::memory_order_release);
      }
    }
  } else {
    for (int round = 0; round < kRounds; ++round) {
      while (full.load(cuda::memory_order_acquire) <= round) {
      }
      __syncwarp();
      y[round * 32 + lane] = slots[round % 2][31 - lane];
      __syncwarp();
      if (lane == 0) {
        empty.store(round + 1, cuda::memory_order_release);
      }
    }
  }
}

/// The warp that counts last adds up what all have left.
__global__ void LastWarp(const int* x, int* sum) {
  __shared__ int parts[8];
  __shared__ unsigned counted;
  if (threadIdx.x == 0) {
    counted = 0;
  }
  __syncthreads();
  const int part = __reduce_add_sync(~0U, x[threadIdx.x]);
  unsigned before = 0;
  if (threadIdx.x % 32 == 0) {
    parts[threadIdx.x / 32] = part;
    __threadfence_block();
    before = atomicAdd(&counted, 1U);
  }
  if (__shfl_sync(~0U, before, 0) == 7) {
    __threadfence_block();
    __syncwarp();
    const int all = __reduce_add_sync(~0U, threadIdx.x % 32 < 8 ? parts[threadIdx.x % 32] : 0);
    if (threadIdx.x % 32 == 0) {
      *sum = all;
    }
  }
}

__global__ void VolatileFlag(int* y) {
  __shared__ int data[32];
  __shared__ volatile int flag;
  if (threadIdx.x == 0) {
    flag = 0;
  }
  __syncthreads();
  if (threadIdx.x >= 32) {
    data[threadIdx.x - 32] = 3 * threadIdx.x;
    __threadfence_block();
    __syncwarp();
    if (threadIdx.x == 32) {
      flag = 1;
    }
  } else {
    while (flag == 0) {
    }
    __threadfence_block();
    y[threadIdx.x] = data[threadIdx.x];
  }
}

/// Tiles of two and four warps, beside shared memory of the kernel's own.
__global__ void Tiles(const int* x, int* y) {
  __shared__ int tile[256];
  __shared__ TileMemory memory;
  const auto block = large::this_thread_block(memory);
  const auto pair = large::tiled_partition<64>(block);
  const int first = pair.meta_group_rank() * 64;
  tile[threadIdx.x] = x[threadIdx.x];
  pair.sync();
  const int other = tile[first + (pair.thread_rank() + 32) % 64];
  pair.sync();
  tile[threadIdx.x] = other + 1;
  pair.sync();
  const int mirrored = tile[first + 63 - pair.thread_rank()] + pair.shfl(other, 5);
  const auto four = large::tiled_partition<128>(block);
  y[threadIdx.x] =
      mirrored + 1000 * cg::reduce(four, static_cast<int>(threadIdx.x), cg::plus<int>());
}

int main() {
  std::vector<int> x(kRounds * 32);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<int>(i * i % 101);
  }
  const check::DeviceArray<int> device_x(x), y(x.size()), few(32), sum(1), tiles(256);
  Ring<<<1, 64>>>(device_x.get(), y.get());
  LastWarp<<<1, 256>>>(device_x.get(), sum.get());
  VolatileFlag<<<1, 64>>>(few.get());
  Tiles<<<1, 256>>>(device_x.get(), tiles.get());
  SYNCHRONIZE();

  std::vector<int> want(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    want[i] = x[i / 32 * 32 + 31 - i % 32];
  }
  check::ExpectEqual("ring", y.Download(), want);
  want.assign(1, 0);
  for (int i = 0; i < 256; ++i) {
    want[0] += x[i];
  }
  check::ExpectEqual("last warp", sum.Download(), want);
  want.resize(32);
  for (int i = 0; i < 32; ++i) {
    want[i] = 3 * (i + 32);
  }
  check::ExpectEqual("volatile flag", few.Download(), want);
  want.resize(256);
  for (int i = 0; i < 256; ++i) {
    const int first = i / 64 * 64;
    const int mirrored = x[first + (63 - i % 64 + 32) % 64] + 1 + x[first + 37];
    want[i] = mirrored + 1000 * (i < 128 ? 127 * 64 : 127 * 64 + 128 * 128);
  }
  check::ExpectEqual("tiles of several warps", tiles.Download(), want);
  return check::Finish();
}
