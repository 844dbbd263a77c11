// SPDX-License-Identifier: Apache-2.0
// CUB within a block: BlockReduce, BlockScan, BlockRadixSort, WarpReduce.
#include <algorithm>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <numeric>

#include "../common/check.h"

constexpr int kThreads = 128;
constexpr int kItems = 4;
constexpr int kSize = kThreads * kItems;

struct Results {
  int sum;
  int maximum;
  int warp_sums[kThreads / 32];
};

// CUB's own is cub::Max until 12 and cuda::maximum from 13.
struct Larger {
  __device__ int operator()(int a, int b) const { return a > b ? a : b; }
};

__global__ void Reduce(const int* x, Results* results) {
  using BlockReduce = cub::BlockReduce<int, kThreads>;
  using WarpReduce = cub::WarpReduce<int>;
  __shared__ typename BlockReduce::TempStorage block_storage;
  __shared__ typename WarpReduce::TempStorage warp_storage[kThreads / 32];
  const int value = x[threadIdx.x];
  const int sum = BlockReduce(block_storage).Sum(value);
  __syncthreads();
  const int maximum = BlockReduce(block_storage).Reduce(value, Larger{});
  if (threadIdx.x == 0) {
    results->sum = sum;
    results->maximum = maximum;
  }
  const int warp_sum = WarpReduce(warp_storage[threadIdx.x / 32]).Sum(value);
  if (threadIdx.x % 32 == 0) {
    results->warp_sums[threadIdx.x / 32] = warp_sum;
  }
}

__global__ void Scan(const int* x, int* inclusive, int* exclusive) {
  using BlockScan = cub::BlockScan<int, kThreads>;
  __shared__ typename BlockScan::TempStorage storage;
  int items[kItems];
  int sums[kItems];
  for (int i = 0; i < kItems; ++i) {
    items[i] = x[threadIdx.x * kItems + i];
  }
  BlockScan(storage).InclusiveSum(items, sums);
  for (int i = 0; i < kItems; ++i) {
    inclusive[threadIdx.x * kItems + i] = sums[i];
  }
  __syncthreads();
  BlockScan(storage).ExclusiveSum(items, sums);
  for (int i = 0; i < kItems; ++i) {
    exclusive[threadIdx.x * kItems + i] = sums[i];
  }
}

__global__ void Sort(int* keys) {
  using BlockSort = cub::BlockRadixSort<int, kThreads, kItems>;
  __shared__ typename BlockSort::TempStorage storage;
  int items[kItems];
  for (int i = 0; i < kItems; ++i) {
    items[i] = keys[threadIdx.x * kItems + i];
  }
  BlockSort(storage).Sort(items);
  for (int i = 0; i < kItems; ++i) {
    keys[threadIdx.x * kItems + i] = items[i];
  }
}

int main() {
  check::Random random(12);
  std::vector<int> x(kSize);
  for (int& value : x) {
    value = static_cast<int>(random.Below(20001)) - 10000;
  }
  const check::DeviceArray<int> device_x(x), inclusive(kSize), exclusive(kSize);
  const check::DeviceArray<Results> results(1);
  Reduce<<<1, kThreads>>>(device_x.get(), results.get());
  SYNCHRONIZE();
  const Results got = results.Download()[0];
  check::Expect("BlockReduce sum", got.sum == std::accumulate(&x[0], &x[kThreads], 0));
  check::Expect("BlockReduce maximum", got.maximum == *std::max_element(&x[0], &x[kThreads]));
  std::vector<int> warp_sums;
  for (int warp = 0; warp < kThreads / 32; ++warp) {
    warp_sums.push_back(std::accumulate(&x[warp * 32], &x[warp * 32 + 32], 0));
  }
  check::ExpectEqual("WarpReduce", std::vector<int>(got.warp_sums, got.warp_sums + kThreads / 32),
                     warp_sums);

  Scan<<<1, kThreads>>>(device_x.get(), inclusive.get(), exclusive.get());
  SYNCHRONIZE();
  std::vector<int> want(kSize);
  std::partial_sum(x.begin(), x.end(), want.begin());
  check::ExpectEqual("BlockScan inclusive", inclusive.Download(), want);
  for (int i = 0; i < kSize; ++i) {
    want[i] -= x[i];
  }
  check::ExpectEqual("BlockScan exclusive", exclusive.Download(), want);

  Sort<<<1, kThreads>>>(device_x.get());
  SYNCHRONIZE();
  std::sort(x.begin(), x.end());
  check::ExpectEqual("BlockRadixSort", device_x.Download(), x);
  return check::Finish();
}
