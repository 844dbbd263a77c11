// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLIENT_BENCH_RUN_H_
#define ASSAY_CLIENT_BENCH_RUN_H_

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <random>
#include <vector>

#include "client/paired_series.h"

namespace benchmark {
class State;
}

namespace assay {

/// The series of a bench run, measured in rounds by Google Benchmark with manual time: in each
/// round every series that needs more blocks is one benchmark of one block. Rounds, because
/// Google Benchmark would otherwise finish a workload before it begins the next, and a slow minute
/// of the machine would then be the fate of one workload instead of a little noise on all.
class BenchRounds {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr int kBlockPairs = 3;
  /// The least number of blocks may take this many times the budget. What a submission takes beyond
  /// the baseline where it is not timed does not count, nor, up to as much again, where it is
  /// timed: who waits, or is slow, gets no fewer blocks for it.
  static constexpr int kHardLimit = 3;

  /// `series` outlive this. `ended` is called once for each series when it needs no more blocks.
  BenchRounds(const std::vector<PairedSeries*>& series, Clock::duration budget, std::uint64_t seed,
              std::function<void(const PairedSeries&)> ended);

  /// Measures until no series needs more. Returns false when Google Benchmark's filter selects
  /// none. Throws what a workload throws.
  bool Run();

 private:
  enum class State { kWaiting, kMeasured, kEnded };
  struct Entry {
    PairedSeries* series;
    State state = State::kWaiting;
  };

  void RunRound();
  void RunBlock(Entry& entry, benchmark::State& state);
  [[nodiscard]] bool NeedsMore(const PairedSeries& series) const;

  std::vector<PairedSeries*> series_;
  std::vector<Entry> entries_;
  Clock::duration budget_;
  std::mt19937_64 random_;
  std::function<void(const PairedSeries&)> ended_;
  Clock::time_point start_;
  std::exception_ptr thrown_;
};

}  // namespace assay

#endif  // ASSAY_CLIENT_BENCH_RUN_H_
