// SPDX-License-Identifier: Apache-2.0
#include "client/roofline.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <iterator>
#include <vector>

namespace assay {
namespace {

constexpr std::size_t kSmallest_bytes = std::size_t{16} << 10;
constexpr std::size_t kLargest_bytes = std::size_t{64} << 20;

double MeasureCopies(std::size_t touched_bytes) {
  constexpr int kRuns = 20;
  const std::size_t block_bytes = touched_bytes / 2;
  // A run is long enough for the clock, and short enough for some to meet no other program.
  const std::size_t copies = std::max(kLargest_bytes / 2 / touched_bytes, std::size_t{1});
  std::vector<char> from(block_bytes, 'a');
  std::vector<char> to(block_bytes);
  double best = 0;
  for (int run = 0; run < kRuns; ++run) {
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t copy = 0; copy < copies; ++copy) {
      // The C library's copy, whatever this file is compiled with.
      std::memcpy(to.data(), from.data(), block_bytes);
      asm volatile("" : : "r"(to.data()), "r"(from.data()) : "memory");
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    const auto moved = 2 * static_cast<double>(block_bytes) * static_cast<double>(copies);
    best = std::max(best, moved / std::max(taken.count(), 1e-9));
  }
  return best;
}

}  // namespace

double CopyBandwidths::Of(double touched_bytes) {
  const double clamped = std::clamp(touched_bytes, static_cast<double>(kSmallest_bytes),
                                    static_cast<double>(kLargest_bytes));
  const std::size_t size_bytes = std::bit_floor(static_cast<std::size_t>(clamped));
  const auto [entry, is_new] = measured_.try_emplace(size_bytes);
  if (is_new) {
    entry->second = MeasureCopies(size_bytes);
    // More memory is never faster: of two runs that say so, one was disturbed, and the faster
    // holds.
    if (const auto larger = std::next(entry); larger != measured_.end()) {
      entry->second = std::max(entry->second, larger->second);
    }
    for (auto smaller = measured_.begin(); smaller != entry; ++smaller) {
      smaller->second = std::max(smaller->second, entry->second);
    }
  }
  return entry->second;
}

}  // namespace assay
