// SPDX-License-Identifier: Apache-2.0
// Thrust's compactions in place, over many tiles: a tile's block reads, passes a barrier, and tells
// the next by a relaxed store of what depends on these reads; the next then overwrites them.
// COUNTERS: vary
// FINDINGS: any before CUDA 12
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/remove.h>
#include <thrust/unique.h>

#include <algorithm>
#include <utility>

#include "../common/check.h"

struct IsOdd {
  __host__ __device__ bool operator()(int value) const { return value % 2 != 0; }
};

std::vector<int> FirstOf(const check::DeviceArray<int>& values, std::ptrdiff_t count) {
  std::vector<int> first = values.Download();
  first.resize(count);
  return first;
}

int main() {
  constexpr int kCount = 20000;
  std::vector<int> host(kCount);
  std::vector<int> numbers(kCount);
  check::Random random(20);
  for (int i = 0; i < kCount; ++i) {
    host[i] = random.Below(3);
    numbers[i] = i;
  }
  std::vector<int> unique = host;
  unique.erase(std::unique(unique.begin(), unique.end()), unique.end());
  std::vector<int> even = host;
  even.erase(std::remove_if(even.begin(), even.end(), IsOdd()), even.end());
  std::vector<int> firsts;
  for (int i = 0; i < kCount; ++i) {
    if (i == 0 || host[i] != host[i - 1]) {
      firsts.push_back(i);
    }
  }

  const check::DeviceArray<int> keys(host);
  const thrust::device_ptr<int> begin(keys.get());
  auto end = thrust::unique(thrust::device, begin, begin + kCount);
  check::ExpectEqual("unique in place", FirstOf(keys, end - begin), unique);

  const check::DeviceArray<int> values(host);
  const thrust::device_ptr<int> values_begin(values.get());
  end = thrust::remove_if(thrust::device, values_begin, values_begin + kCount, IsOdd());
  check::ExpectEqual("remove_if in place", FirstOf(values, end - values_begin), even);

  const check::DeviceArray<int> again(host);
  const check::DeviceArray<int> places(numbers);
  const thrust::device_ptr<int> again_begin(again.get());
  const thrust::device_ptr<int> places_begin(places.get());
  const auto ends =
      thrust::unique_by_key(thrust::device, again_begin, again_begin + kCount, places_begin);
  check::ExpectEqual("unique_by_key in place: keys", FirstOf(again, ends.first - again_begin),
                     unique);
  check::ExpectEqual("and its values", FirstOf(places, ends.second - places_begin), firsts);
  return check::Finish();
}
