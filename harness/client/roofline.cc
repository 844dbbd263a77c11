// SPDX-License-Identifier: Apache-2.0
#include "client/roofline.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <vector>

namespace assay {

double MeasureCacheBandwidth() {
  constexpr std::size_t kBlock_bytes = 8192;  // Two of them fit every first-level cache.
  constexpr int kCopies = 4096;
  constexpr int kRuns = 20;
  std::vector<char> from(kBlock_bytes, 'a');
  std::vector<char> to(kBlock_bytes);
  double best = 0;
  for (int run = 0; run < kRuns; ++run) {
    const auto start = std::chrono::steady_clock::now();
    for (int copy = 0; copy < kCopies; ++copy) {
      // The C library's copy, whatever this file is compiled with.
      std::memcpy(to.data(), from.data(), kBlock_bytes);
      asm volatile("" : : "r"(to.data()), "r"(from.data()) : "memory");
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    best = std::max(best, 2.0 * kBlock_bytes * kCopies / std::max(taken.count(), 1e-9));
  }
  return best;
}

}  // namespace assay
