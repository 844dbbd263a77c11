// SPDX-License-Identifier: Apache-2.0
// An insertion sort of 64 keys by each of 16384 threads: loops as long as the data makes them.
#include "../common/bitonic_sort.cuh"
#include "../common/check.h"

int main() {
  constexpr int kThreads = 16384;
  constexpr int kKeys = 64;
  const std::vector<unsigned> unsorted = check::Random(6).Integers(kThreads * kKeys, 1U << 30);
  for (int launch = 0; launch < check::kBenchLaunches; ++launch) {
    const check::DeviceArray<unsigned> keys(unsorted);
    InsertionSort<<<kThreads / 128, 128>>>(keys.get(), kKeys);
    SYNCHRONIZE();
  }
  return 0;
}
