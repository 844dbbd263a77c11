// SPDX-License-Identifier: Apache-2.0
#include "client/bench_main.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client/bench_hosts.h"
#include "client/bench_run.h"
#include "client/paired_bench.h"
#include "client/paired_series.h"
#include "client/progress_line.h"
#include "client/results.h"
#include "client/roofline.h"
#include "client/run_flags.h"
#include "process/machine.h"

namespace assay {
namespace {

constexpr int kRoundTripSamples = 2000;
/// Pairs of the A/A control, in groups that are as long as the shortest series.
constexpr int kGroupPairs = SeriesRules{}.least_pairs;
constexpr int kControlGroups = 4;
constexpr double kControlMargin = 0.02;

/// One run: three sides' worth of hosts, all on one processor, and a series for each workload.
class BenchProgram {
 public:
  BenchProgram(const RunFlags& flags, std::vector<WorkloadDescription> workloads, SeriesRules rules)
      : flags_(flags),
        submission_(HostOptionsFor(flags, flags.host, "submission")),
        baseline_(HostOptionsFor(flags, flags.baseline, "baseline")),
        second_baseline_(HostOptionsFor(flags, flags.baseline, "second baseline")) {
    std::ranges::sort(workloads, {}, &WorkloadDescription::name);
    for (const WorkloadDescription& workload : workloads) {
      series_.push_back(std::make_unique<PairedSeries>(workload, submission_, baseline_, rules,
                                                       MixSeed(flags.seed, workload.name)));
    }
    AddControl(workloads);
  }

  void Measure(double bandwidth, RunResults& results) {
    const RoundTrip round_trip = baseline_.MeasureRoundTrip("forward", kRoundTripSamples);
    for (PooledBenchHosts* side : {&submission_, &baseline_, &second_baseline_}) {
      side->SetRoundTrip(round_trip.median);
    }
    results.bench.bandwidth_bytes_per_second = bandwidth;
    results.bench.round_trip_ns = static_cast<double>(round_trip.median.count());
    results.bench.round_trip_p99_ns = static_cast<double>(round_trip.p99.count());

    const int total = static_cast<int>(series_.size());
    BenchRounds rounds(AllSeries(),
                       std::chrono::duration_cast<BenchRounds::Clock::duration>(flags_.bench_time),
                       MixSeed(flags_.seed, "order"), [&](const PairedSeries& series) {
                         if (&series == control_.get()) {
                           return;
                         }
                         const WorkloadEvidence ended = series.Evidence(bandwidth);
                         results.bench.workloads.push_back(ended);
                         PrintProgress(static_cast<int>(results.bench.workloads.size()), total,
                                       ended.name, ended.verdict, ended.detail);
                       });
    if (!rounds.Run()) {
      results.judge_error = "no workload matches --benchmark_filter";
    }
    std::ranges::sort(results.bench.workloads, {}, &WorkloadEvidence::name);
    Conclude(results);
  }

 private:
  /// The baseline against itself, on the workload that takes least time.
  void AddControl(const std::vector<WorkloadDescription>& workloads) {
    if (workloads.empty()) {
      return;
    }
    WorkloadDescription smallest =
        *std::ranges::min_element(workloads, {}, &WorkloadDescription::least_bytes);
    smallest.name += "/baseline_against_itself";
    const std::uint64_t seed = MixSeed(flags_.seed, smallest.name);
    control_ =
        std::make_unique<PairedSeries>(std::move(smallest), second_baseline_, baseline_,
                                       SeriesRules{.least_pairs = 2 * kGroupPairs,
                                                   .most_pairs = kControlGroups * kGroupPairs,
                                                   .half_width = 0},
                                       seed);
  }

  [[nodiscard]] std::vector<PairedSeries*> AllSeries() const {
    std::vector<PairedSeries*> all;
    all.reserve(series_.size() + 1);
    for (const auto& series : series_) {
      all.push_back(series.get());
    }
    if (control_) {
      all.push_back(control_.get());
    }
    return all;
  }

  /// A failure of the baseline, on whichever side, is one of the run.
  void Conclude(RunResults& results) const {
    for (const WorkloadEvidence& workload : results.bench.workloads) {
      if (workload.verdict == Verdict::kJudgeError && results.judge_error.empty()) {
        results.judge_error = fmt::format("{}: {}", workload.name, workload.detail);
      }
    }
    if (control_ == nullptr) {
      return;
    }
    if (control_->failed() && results.judge_error.empty()) {
      results.judge_error =
          fmt::format("{}: {}", control_->description().name, control_->Evidence(0).detail);
    }
    results.bench.controls = static_cast<int>(control_->pairs().size()) / kGroupPairs;
    results.bench.false_win_rate = FalseWinRate(control_->pairs(), kGroupPairs, kControlMargin);
  }

  RunFlags flags_;
  PooledBenchHosts submission_;
  PooledBenchHosts baseline_;
  PooledBenchHosts second_baseline_;
  std::vector<std::unique_ptr<PairedSeries>> series_;
  std::unique_ptr<PairedSeries> control_;
};

void PrintTable(const BenchEvidence& bench) {
  fmt::print(
      "empty round trip {:.0f} ns, 99th percentile {:.0f} ns; bandwidth {:.1f} GB/s; the "
      "baseline beat itself in {:.0f} % of controls\n",
      bench.round_trip_ns, bench.round_trip_p99_ns, bench.bandwidth_bytes_per_second * 1e-9,
      bench.false_win_rate * 100);
  for (const WorkloadEvidence& workload : bench.workloads) {
    if (workload.verdict == Verdict::kAccepted) {
      fmt::print(
          "{}: {:.3f} [{:.3f}, {:.3f}] of the baseline's time, {} pairs, {:.0f} % of "
          "bandwidth\n",
          workload.name, workload.ratio, workload.ratio_low, workload.ratio_high,
          workload.pairs.size(), workload.share_of_bandwidth * 100);
    } else {
      fmt::print("{}: {}: {}\n", workload.name, ToString(workload.verdict), workload.detail);
    }
  }
}

RunResults RunBench(const RunFlags& flags, double bandwidth) {
  RunResults results;
  Result<std::vector<WorkloadDescription>> workloads = RegisteredWorkloads();
  if (!workloads) {
    results.judge_error = ToString(workloads.error());
    return results;
  }
  try {
    const SeriesRules rules{.impossible_bytes_per_second =
                                kImpossibleOverCache * MeasureCacheBandwidth()};
    BenchProgram(flags, *std::move(workloads), rules).Measure(bandwidth, results);
  } catch (const std::exception& failure) {
    results.judge_error = OneLine(failure.what());
  }
  return results;
}

}  // namespace

int BenchMain(int argc, char** argv) {
  const std::string program = argc > 0 ? argv[0] : "bench";
  benchmark::Initialize(&argc, argv);
  Result<RunFlags> flags = ParseRunFlags(&argc, argv);
  if (flags && flags->baseline.empty()) {
    flags = std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                  .where = "--assay_baseline",
                                  .cause = "is missing",
                                  .remedy = "give the baseline's host executable"});
  }
  if (!flags) {
    return ExitWithUsage(program, flags.error());
  }
  // Before this process gives up the hosts' processor.
  const double bandwidth = MeasureBandwidth(1);
  if (const Status pinned = SeparateFromHosts(*flags); !pinned) {
    return ExitWithUsage(program, pinned.error());
  }
  const RunResults results = RunBench(*flags, bandwidth);
  if (results.judge_error.empty()) {
    PrintTable(results.bench);
  }
  return ExitWithResults(program, *flags, results);
}

}  // namespace assay
