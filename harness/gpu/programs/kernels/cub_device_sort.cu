// SPDX-License-Identifier: Apache-2.0
// CUB's DeviceRadixSort of keys with values, in one block (few keys) and in many (onesweep).
// COUNTERS: vary
#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <numeric>

#include "../common/check.h"

void SortPairs(const char* name, int size) {
  const std::vector<std::uint32_t> keys = check::Random(14).Integers(size, 1U << 20);
  std::vector<int> values(size);
  std::iota(values.begin(), values.end(), 0);
  const check::DeviceArray<std::uint32_t> keys_in(keys), keys_out(size);
  const check::DeviceArray<int> values_in(values), values_out(size);
  std::size_t bytes = 0;
  CUDA_OK(cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys_in.get(), keys_out.get(),
                                          values_in.get(), values_out.get(), size));
  const check::DeviceArray<char> storage(bytes);
  CUDA_OK(cub::DeviceRadixSort::SortPairs(storage.get(), bytes, keys_in.get(), keys_out.get(),
                                          values_in.get(), values_out.get(), size));
  SYNCHRONIZE();
  std::stable_sort(values.begin(), values.end(),
                   [&keys](int a, int b) { return keys[a] < keys[b]; });
  check::ExpectEqual(name, values_out.Download(), values);
}

int main() {
  SortPairs("few pairs", 1000);
  SortPairs("many pairs", 30000);
  return check::Finish();
}
