// SPDX-License-Identifier: Apache-2.0
#include "grade/bench_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "evidence/statistics.h"
#include "evidence/trust_in_times.h"

namespace assay {
namespace {

// Of the first kLeastBenchRuns together.
constexpr double kBenchSeconds = 12;
constexpr int kLeastBlocks = 9;
constexpr int kMostBlocks = 21;

bool IsAccepted(const WorkloadEvidence& one) { return one.verdict == Verdict::kAccepted; }

/// `one` is of a later run than `all`, in which the same series is.
void Merge(WorkloadEvidence one, WorkloadEvidence& all) {
  if (IsAccepted(all) && IsAccepted(one)) {
    std::ranges::move(one.blocks, std::back_inserter(all.blocks));
  } else if (IsAccepted(all) || (!IsAccepted(one) && one.verdict > all.verdict)) {
    all = std::move(one);
  }
}

void MergeSeries(std::vector<WorkloadEvidence> of_one_run, int run,
                 std::vector<WorkloadEvidence>& all) {
  for (WorkloadEvidence& one : of_one_run) {
    for (TimeBlock& block : one.blocks) {
      block.run = run;
    }
    const auto same = std::ranges::find(all, one.name, &WorkloadEvidence::name);
    if (same == all.end()) {
      all.push_back(std::move(one));
    } else {
      Merge(std::move(one), *same);
    }
  }
}

}  // namespace

bool IsWorthAnotherRun(std::span<const BenchRun> before) {
  const auto timed_something = [](const BenchRun& run) {
    return std::ranges::any_of(run.bench.workloads, IsAccepted);
  };
  if (!std::ranges::all_of(before, timed_something)) {
    return false;
  }
  return before.size() < kLeastBenchRuns ||
         (before.size() < kMostBenchRuns &&
          IsNoisy(TrustInTimes(MergeRuns({before.begin(), before.end()}))));
}

std::vector<std::string> ArgumentsOfNextRun(std::span<const BenchRun> before) {
  std::vector<std::string> arguments = {
      fmt::format("--assay_bench_run={}", before.size()),
      fmt::format("--assay_bench_seconds={}", kBenchSeconds / kLeastBenchRuns),
      fmt::format("--assay_least_blocks={}", kLeastBlocks / kLeastBenchRuns),
      fmt::format("--assay_most_blocks={}", kMostBlocks / kLeastBenchRuns)};
  for (const BenchRun& run : before) {
    for (const WorkloadEvidence& one : run.bench.workloads) {
      if (!IsAccepted(one)) {
        arguments.push_back(fmt::format("--assay_left_out={}", one.name));
      }
    }
  }
  return arguments;
}

BenchEvidence MergeRuns(std::vector<BenchRun> runs) {
  BenchEvidence merged;
  if (runs.empty()) {
    return merged;
  }
  std::vector<double> round_trips_ns;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    BenchEvidence& bench = runs[i].bench;
    const int run = static_cast<int>(i);
    MergeSeries(std::move(bench.workloads), run, merged.workloads);
    MergeSeries(std::move(bench.controls), run, merged.controls);
    merged.round_trip_p99_ns = std::max(merged.round_trip_p99_ns, bench.round_trip_p99_ns);
    round_trips_ns.push_back(bench.round_trip_ns);
  }
  const auto middle =
      round_trips_ns.begin() + static_cast<std::ptrdiff_t>(round_trips_ns.size() / 2);
  std::ranges::nth_element(round_trips_ns, middle);
  merged.round_trip_ns = *middle;
  merged.runs.emplace();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const int run = static_cast<int>(i);
    merged.runs->push_back(
        {.after = runs[i].after,
         .blocks = CountBlocks(merged.workloads, run),
         .control_blocks = CountBlocks(merged.controls, run),
         .control_scatter = ControlScatter(merged, run),
         .bandwidth_bytes_per_second = runs[i].bench.bandwidth_bytes_per_second});
  }
  merged.bandwidth_bytes_per_second = MeanBandwidth(*merged.runs);
  SetEstimates(merged);
  return merged;
}

}  // namespace assay
