// SPDX-License-Identifier: Apache-2.0
// Sorting: a bitonic network in shared memory, and an insertion sort a thread, whose loops diverge.
#include <algorithm>

#include "../common/bitonic_sort.cuh"
#include "../common/check.h"

std::vector<unsigned> SortedRuns(std::vector<unsigned> keys, int run) {
  for (std::size_t start = 0; start < keys.size(); start += run) {
    std::sort(keys.begin() + start, keys.begin() + start + run);
  }
  return keys;
}

int main() {
  constexpr int kBlocks = 5;
  constexpr int kThreads = 256;
  const std::vector<unsigned> keys = check::Random(9).Integers(kBlocks * 2 * kThreads, 5000);
  const check::DeviceArray<unsigned> bitonic(keys), insertion(keys);
  BitonicSort<<<kBlocks, kThreads, 2 * kThreads * sizeof(unsigned)>>>(bitonic.get());
  SYNCHRONIZE();
  check::ExpectEqual("bitonic", bitonic.Download(), SortedRuns(keys, 2 * kThreads));
  constexpr int kRun = 20;
  InsertionSort<<<2, 64>>>(insertion.get(), kRun);
  SYNCHRONIZE();
  check::ExpectEqual("insertion", insertion.Download(), SortedRuns(keys, kRun));
  return check::Finish();
}
