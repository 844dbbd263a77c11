// SPDX-License-Identifier: Apache-2.0
#include "client/bench_main.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
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
#include "evidence/statistics.h"
#include "machine/machine.h"

namespace assay {
namespace {

constexpr int kRoundTripSamples = 2000;
/// One run: three sides' worth of hosts, all on one processor, and for each workload a series and
/// its A/A control.
class BenchProgram {
 public:
  BenchProgram(const RunFlags& flags, std::vector<WorkloadDescription> workloads, SeriesRules rules)
      : flags_(flags),
        submission_(HostOptionsFor(flags, flags.host, "submission"), flags.run_limit),
        baseline_(HostOptionsFor(flags, flags.baseline, "baseline")),
        second_baseline_(HostOptionsFor(flags, flags.baseline, "second baseline")) {
    std::ranges::sort(workloads, {}, &WorkloadDescription::name);
    const SeriesRules control_rules{.least_blocks = flags.least_blocks,
                                    .most_blocks = flags.least_blocks};
    CopyBandwidths copies;
    for (WorkloadDescription& workload : workloads) {
      if (std::ranges::find(flags.left_out, workload.name) == flags.left_out.end()) {
        rules.impossible_bytes_per_second = kImpossibleOverCopy * copies.Of(workload.least_bytes);
        series_.push_back(std::make_unique<PairedSeries>(workload, submission_, baseline_, rules,
                                                         MixSeed(flags.seed, workload.name)));
      }
      workload.name += "/baseline_against_itself";
      controls_.push_back(std::make_unique<PairedSeries>(workload, second_baseline_, baseline_,
                                                         control_rules,
                                                         MixSeed(flags.seed, workload.name)));
    }
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
                         const WorkloadEvidence ended = series.Evidence(bandwidth);
                         if (IsControl(series)) {
                           if (ended.verdict != Verdict::kSkipped) {
                             results.bench.controls.push_back(ended);
                           }
                           return;
                         }
                         results.bench.workloads.push_back(ended);
                         PrintProgress(static_cast<int>(results.bench.workloads.size()), total,
                                       ended.name, ended.verdict, ended.detail);
                       });
    if (!rounds.Run()) {
      results.judge_error = "no workload matches --benchmark_filter";
    }
    std::ranges::sort(results.bench.workloads, {}, &WorkloadEvidence::name);
    std::ranges::sort(results.bench.controls, {}, &WorkloadEvidence::name);
    for (const auto* half : {&results.bench.workloads, &results.bench.controls}) {
      RecordFailureOfOurs(*half, results);
    }
  }

 private:
  [[nodiscard]] bool IsControl(const PairedSeries& series) const {
    return std::ranges::find(controls_, &series, &std::unique_ptr<PairedSeries>::get) !=
           controls_.end();
  }

  [[nodiscard]] std::vector<PairedSeries*> AllSeries() const {
    std::vector<PairedSeries*> all;
    all.reserve(series_.size() + controls_.size());
    for (const auto* half : {&series_, &controls_}) {
      for (const auto& series : *half) {
        all.push_back(series.get());
      }
    }
    return all;
  }

  /// A failure of the baseline, on whichever side, is one of the run.
  static void RecordFailureOfOurs(const std::vector<WorkloadEvidence>& workloads,
                                  RunResults& results) {
    for (const WorkloadEvidence& workload : workloads) {
      if (workload.verdict == Verdict::kJudgeError && results.judge_error.empty()) {
        results.judge_error = fmt::format("{}: {}", workload.name, workload.detail);
      }
    }
  }

  RunFlags flags_;
  PooledBenchHosts submission_;
  PooledBenchHosts baseline_;
  PooledBenchHosts second_baseline_;
  std::vector<std::unique_ptr<PairedSeries>> series_;
  std::vector<std::unique_ptr<PairedSeries>> controls_;
};

void PrintTable(const BenchEvidence& bench) {
  fmt::print(
      "empty round trip {:.0f} ns, 99th percentile {:.0f} ns; bandwidth {:.1f} GB/s; the "
      "baseline beat itself in {} of {} controls\n",
      bench.round_trip_ns, bench.round_trip_p99_ns, bench.bandwidth_bytes_per_second * 1e-9,
      CountFalseWins(bench), bench.controls.size());
  for (const WorkloadEvidence& workload : bench.workloads) {
    if (workload.verdict == Verdict::kAccepted) {
      fmt::print(
          "{}: {:.3f} [{:.3f}, {:.3f}] of the baseline's time, {} blocks, {:.0f} % of "
          "bandwidth\n",
          workload.name, workload.ratio, workload.ratio_low, workload.ratio_high,
          workload.blocks.size(), workload.share_of_bandwidth * 100);
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
    const SeriesRules rules{
        .least_blocks = flags.least_blocks,
        .most_blocks = flags.most_blocks,
        .untimed_limit = std::chrono::duration_cast<std::chrono::nanoseconds>(flags.bench_time)};
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
  if (flags->bench_run > 0) {
    flags->seed = MixSeed(flags->seed, fmt::format("run {}", flags->bench_run));
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
