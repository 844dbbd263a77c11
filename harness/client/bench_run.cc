// SPDX-License-Identifier: Apache-2.0
#include "client/bench_run.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace assay {
namespace {

/// The mains print; Google Benchmark's own tables would show one block at a time.
class QuietReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& /*context*/) override { return true; }
  void ReportRuns(const std::vector<Run>& /*runs*/) override {}
};

}  // namespace

BenchRounds::BenchRounds(const std::vector<PairedSeries*>& series, Clock::duration budget,
                         std::uint64_t seed, std::function<void(const PairedSeries&)> ended)
    : series_(series), budget_(budget), random_(seed), ended_(std::move(ended)) {
  for (PairedSeries* one : series) {
    entries_.push_back({.series = one});
  }
}

bool BenchRounds::NeedsMore(const PairedSeries& series) const {
  if (series.failed() || series.HasEnoughBlocks()) {
    return false;
  }
  std::chrono::nanoseconds taken = Clock::now() - start_;
  std::chrono::nanoseconds timed_excess{0};
  for (const PairedSeries* one : series_) {
    taken -= one->UntimedExcess();
    timed_excess += one->TimedExcess();
  }
  const std::chrono::nanoseconds limit = kHardLimit * budget_;
  return taken < budget_ ||
         (!series.HasLeastBlocks() && taken - std::min(timed_excess, limit) <= limit);
}

bool BenchRounds::Run() {
  start_ = Clock::now();
  RunRound();
  // What the filter left out in the first round is no part of this run.
  std::erase_if(entries_, [](const Entry& entry) { return entry.state == State::kWaiting; });
  const bool any = !entries_.empty();
  while (!entries_.empty()) {
    for (Entry& entry : entries_) {
      if (!NeedsMore(*entry.series)) {
        entry.state = State::kEnded;
        ended_(*entry.series);
      }
    }
    std::erase_if(entries_, [](const Entry& entry) { return entry.state == State::kEnded; });
    if (!entries_.empty()) {
      RunRound();
    }
  }
  return any;
}

void BenchRounds::RunRound() {
  std::ranges::shuffle(entries_, random_);
  benchmark::ClearRegisteredBenchmarks();
  for (Entry& entry : entries_) {
    benchmark::RegisterBenchmark(
        entry.series->description().name.c_str(),
        [this, &entry](benchmark::State& state) { RunBlock(entry, state); })
        ->Iterations(kBlockPairs)
        ->UseManualTime();
  }
  QuietReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  if (thrown_ != nullptr) {
    std::rethrow_exception(std::exchange(thrown_, nullptr));
  }
}

void BenchRounds::RunBlock(Entry& entry, benchmark::State& state) {
  entry.state = State::kMeasured;
  // Google Benchmark is not made for exceptions: carry one around it.
  try {
    entry.series->BeginBlock();
    for ([[maybe_unused]] auto iteration : state) {
      const std::optional<TimePair> pair = entry.series->TakePair();
      if (!pair) {
        state.SkipWithError("no pair");
        break;
      }
      state.SetIterationTime(static_cast<double>(pair->submission_ns) * 1e-9);
    }
    entry.series->EndBlock();
  } catch (...) {
    thrown_ = std::current_exception();
    state.SkipWithError("thrown");
  }
}

}  // namespace assay
