// SPDX-License-Identifier: Apache-2.0
// CUB over the whole device: DeviceReduce, DeviceScan (decoupled look-back between blocks),
// DeviceSelect, DeviceHistogram.
// COUNTERS: vary
// FINDINGS: any before CUDA 12
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <numeric>

#include "../common/check.h"

/// Calls a CUB algorithm twice, as it wants it: for the size of its storage, then to do the work.
template <class Algorithm>
void Run(const Algorithm& algorithm) {
  std::size_t bytes = 0;
  CUDA_OK(algorithm(nullptr, bytes));
  const check::DeviceArray<char> storage(bytes);
  CUDA_OK(algorithm(storage.get(), bytes));
  SYNCHRONIZE();
}

struct IsOdd {
  __host__ __device__ bool operator()(int value) const { return value % 2 != 0; }
};

int main() {
  constexpr int kSize = 20011;
  constexpr int kBins = 64;
  const std::vector<std::uint32_t> numbers = check::Random(13).Integers(kSize, kBins * 4);
  const std::vector<int> x(numbers.begin(), numbers.end());
  const check::DeviceArray<int> device_x(x), out(kSize, 0), count(1);

  Run([&](void* storage, std::size_t& bytes) {
    return cub::DeviceReduce::Sum(storage, bytes, device_x.get(), count.get(), kSize);
  });
  check::ExpectEqual("DeviceReduce", count.Download(),
                     std::vector<int>{std::accumulate(x.begin(), x.end(), 0)});

  Run([&](void* storage, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(storage, bytes, device_x.get(), out.get(), kSize);
  });
  std::vector<int> want(kSize);
  std::exclusive_scan(x.begin(), x.end(), want.begin(), 0);
  check::ExpectEqual("DeviceScan", out.Download(), want);

  Run([&](void* storage, std::size_t& bytes) {
    return cub::DeviceSelect::If(storage, bytes, device_x.get(), out.get(), count.get(), kSize,
                                 IsOdd());
  });
  want.clear();
  for (const int value : x) {
    if (IsOdd()(value)) {
      want.push_back(value);
    }
  }
  std::vector<int> got = out.Download();
  got.resize(want.size());
  check::Expect("DeviceSelect count", count.Download()[0] == static_cast<int>(want.size()));
  check::ExpectEqual("DeviceSelect", got, want);

  const check::DeviceArray<int> bins(kBins);
  Run([&](void* storage, std::size_t& bytes) {
    return cub::DeviceHistogram::HistogramEven(storage, bytes, device_x.get(), bins.get(),
                                               kBins + 1, 0, kBins * 4, kSize);
  });
  want.assign(kBins, 0);
  for (const int value : x) {
    ++want[value / 4];
  }
  check::ExpectEqual("DeviceHistogram", bins.Download(), want);
  return check::Finish();
}
