// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GRADE_BENCH_RUNS_H_
#define ASSAY_GRADE_BENCH_RUNS_H_

#include <span>
#include <string>
#include <vector>

#include "evidence/bench_moment.h"
#include "evidence/evidence.h"

namespace assay {

/// In how many separate runs a cell is timed. Three: with the workloads and controls of a
/// challenge, 6 to 12, that is 12 to 24 degrees of freedom for what differs between runs, and a run
/// has a fixed cost of about two seconds. More runs of fewer blocks would find a workload that
/// alone differs from run to run more surely.
inline constexpr int kLeastBenchRuns = 3;
/// As many where the machine is noisy: a cell without times says less than one that took longer.
inline constexpr int kMostBenchRuns = 5;

/// What one run of the bench gave, and which step of grading it came after.
struct BenchRun {
  BenchMoment after = BenchMoment::kSuite;
  BenchEvidence bench;
};

/// Whether there is a further run: of kLeastBenchRuns always, and up to kMostBenchRuns while noise
/// speaks against the times of all runs so far (IsNoisy). Their controls alone decide that, so that
/// no run is repeated for what it said of a submission. None after a run that timed no workload: it
/// would add no time.
[[nodiscard]] bool IsWorthAnotherRun(std::span<const BenchRun> before);

/// Options of the bench for the run after these: a share of the time and of the blocks, inputs of
/// its own, and without workloads that failed in a run before, which would cost their limits again.
[[nodiscard]] std::vector<std::string> ArgumentsOfNextRun(std::span<const BenchRun> before);

/// The runs as one: blocks with the index of their run, in its order; estimates over all of them
/// (SetEstimates). A workload is accepted where it was in every run; else it is as in the run in
/// which it failed gravest, and has no times. The bandwidth is the geometric mean over runs, each
/// of which keeps its own; the round trip is the median, its 99th percentile the largest. No runs:
/// nothing measured.
[[nodiscard]] BenchEvidence MergeRuns(std::vector<BenchRun> runs);

}  // namespace assay

#endif  // ASSAY_GRADE_BENCH_RUNS_H_
