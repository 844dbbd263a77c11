// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_PAIRED_TIMES_H_
#define ASSAY_REFERENCE_PAIRED_TIMES_H_

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace assay {

/// What the baseline_bench of every challenge measures with.

/// Wall time of one call, in seconds.
template <typename Function>
double Seconds(Function&& function) {
  const auto start = std::chrono::steady_clock::now();
  std::forward<Function>(function)();
  benchmark::ClobberMemory();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The upper one of an even number of values; of at least one.
inline double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// Alternates `limit` and `kernel`, both of which move `bytes`. Medians, since a pair that
/// something interrupts is no pair. Counters: `GBps`, that of the limit as `limit_counter`, and
/// `share`, the limit's time over the kernel's.
template <typename Limit, typename Kernel>
void RunPairs(benchmark::State& state, double bytes, const std::string& limit_counter,
              Limit&& limit, Kernel&& kernel) {
  limit();
  kernel();
  std::vector<double> limit_seconds;
  std::vector<double> kernel_seconds;
  std::vector<double> shares;
  for (auto _ : state) {
    limit_seconds.push_back(Seconds(limit));
    kernel_seconds.push_back(Seconds(kernel));
    shares.push_back(limit_seconds.back() / kernel_seconds.back());
    state.SetIterationTime(kernel_seconds.back());
  }
  state.counters["GBps"] = bytes / Median(kernel_seconds) * 1e-9;
  state.counters[limit_counter] = bytes / Median(limit_seconds) * 1e-9;
  state.counters["share"] = Median(shares);
}

}  // namespace assay

#endif  // ASSAY_REFERENCE_PAIRED_TIMES_H_
