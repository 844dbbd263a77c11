// SPDX-License-Identifier: Apache-2.0
// Cooperative groups: tiles of a warp, the lanes that happen to be together, groups by label, and
// reductions and scans over them.
// HARDWARE: ptxas makes one load of two
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <map>

#include "../common/check.h"

namespace cg = cooperative_groups;

constexpr int kThreads = 96;

template <int kTileSize>
__global__ void TileSums(const int* x, int* sums) {
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<kTileSize>(block);
  int sum = x[block.thread_rank()];
  for (int offset = tile.size() / 2; offset > 0; offset /= 2) {
    sum += tile.shfl_down(sum, offset);
  }
  if (tile.thread_rank() == 0) {
    sums[tile.meta_group_rank()] = sum;
  }
}

__global__ void ReduceAndScan(const int* x, int* maxima, int* prefixes) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int value = x[threadIdx.x];
  maxima[threadIdx.x] = cg::reduce(warp, value, cg::greater<int>());
  prefixes[threadIdx.x] = cg::exclusive_scan(warp, value, cg::plus<int>());
}

/// Lanes that take the branch share one atomic.
__global__ void CountOdd(const int* x, int* count) {
  if (x[threadIdx.x] % 2 != 0) {
    const cg::coalesced_group together = cg::coalesced_threads();
    if (together.thread_rank() == 0) {
      atomicAdd(count, static_cast<int>(together.size()));
    }
  }
}

__global__ void SumByLabel(const int* x, int* sums) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const cg::coalesced_group same = cg::labeled_partition(warp, x[threadIdx.x] % 5);
  sums[threadIdx.x] = cg::reduce(same, x[threadIdx.x], cg::plus<int>());
}

int main() {
  const std::vector<std::uint32_t> numbers = check::Random(15).Integers(kThreads, 1000);
  const std::vector<int> x(numbers.begin(), numbers.end());
  const check::DeviceArray<int> device_x(x), a(kThreads, 0), b(kThreads, 0), count(1, 0);
  const auto tile_sums = [&x](int size) {
    std::vector<int> sums(kThreads);
    for (int i = 0; i < kThreads; ++i) {
      sums[i / size] += x[i];
    }
    return sums;
  };
  TileSums<32><<<1, kThreads>>>(device_x.get(), a.get());
  SYNCHRONIZE();
  check::ExpectEqual("tiles of 32", a.Download(), tile_sums(32));
  TileSums<8><<<1, kThreads>>>(device_x.get(), a.get());
  SYNCHRONIZE();
  check::ExpectEqual("tiles of 8", a.Download(), tile_sums(8));

  std::vector<int> maxima(kThreads);
  std::vector<int> prefixes(kThreads);
  std::vector<int> by_label(kThreads);
  int odd = 0;
  for (int warp = 0; warp < kThreads; warp += 32) {
    int maximum = 0;
    int prefix = 0;
    std::map<int, int> sums;
    for (int i = warp; i < warp + 32; ++i) {
      maximum = x[i] > maximum ? x[i] : maximum;
      prefixes[i] = prefix;
      prefix += x[i];
      sums[x[i] % 5] += x[i];
      odd += x[i] % 2;
    }
    for (int i = warp; i < warp + 32; ++i) {
      maxima[i] = maximum;
      by_label[i] = sums[x[i] % 5];
    }
  }
  ReduceAndScan<<<1, kThreads>>>(device_x.get(), a.get(), b.get());
  SYNCHRONIZE();
  check::ExpectEqual("reduce", a.Download(), maxima);
  check::ExpectEqual("exclusive_scan", b.Download(), prefixes);
  CountOdd<<<1, kThreads>>>(device_x.get(), count.get());
  SYNCHRONIZE();
  check::ExpectEqual("coalesced_threads", count.Download(), std::vector<int>{odd});
  SumByLabel<<<1, kThreads>>>(device_x.get(), a.get());
  SYNCHRONIZE();
  check::ExpectEqual("labeled_partition", a.Download(), by_label);
  return check::Finish();
}
