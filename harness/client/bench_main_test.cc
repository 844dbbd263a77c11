// SPDX-License-Identifier: Apache-2.0
#include "client/bench_main.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "client/main_test_support.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::Ge;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Le;
using testing::SizeIs;

ProgramRun RunBench(const std::string& submission, const std::string& baseline,
                    std::vector<std::string> arguments = {}) {
  arguments.push_back("--assay_host=" + ScaleHost(submission));
  arguments.push_back("--assay_baseline=" + ScaleHost(baseline));
  arguments.emplace_back("--assay_bench_seconds=3");
  return RunProgram("scale_bench", std::move(arguments));
}

TEST(BenchMain, TwiceTheWorkHasARatioNearTwo) {
  const ProgramRun run = RunBench("TwiceTheWork", "Right");
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  for (const char* name : {"scale_f32/100", "scale_f32/1000"}) {
    const WorkloadEvidence workload = run.WorkloadNamed(name);
    EXPECT_EQ(workload.verdict, Verdict::kAccepted) << workload.detail;
    // The interval and not the ratio: beside other work it is wide, and the ratio anything.
    EXPECT_LE(workload.ratio_low, 2.6) << name;
    EXPECT_GE(workload.ratio_high, 1.5) << name;
    EXPECT_LE(workload.ratio_low, workload.ratio);
    EXPECT_GE(workload.ratio_high, workload.ratio);
    EXPECT_THAT(workload.blocks, SizeIs(AllOf(Ge(6U), Le(20U))));
    EXPECT_GT(workload.share_of_bandwidth, 0);
  }
}

// What the work takes where nothing else ran meanwhile: the least of the baseline's times, which
// other work on the machine can only lengthen.
double LeastBaseline_ns(const WorkloadEvidence& workload) {
  double least_ns = std::numeric_limits<double>::infinity();
  for (const TimeBlock& block : workload.blocks) {
    for (const TimePair& pair : block.pairs) {
      least_ns = std::min(least_ns, static_cast<double>(pair.baseline_ns));
    }
  }
  return least_ns;
}

double MedianSubmission_ns(const WorkloadEvidence& workload) {
  std::vector<double> times_ns;
  for (const TimeBlock& block : workload.blocks) {
    for (const TimePair& pair : block.pairs) {
      times_ns.push_back(static_cast<double>(pair.submission_ns));
    }
  }
  std::ranges::sort(times_ns);
  return times_ns.at(times_ns.size() / 2);
}

// Inputs are there before the clock runs: whoever worked on them in the empty calls between, or
// while they were written, was measured at a third of its time. The ratio says nothing on a busy
// machine, where a thread that keeps its processor awake is faster than one that has to wake.
TEST(BenchMain, WorkDoneBeforeTheClockRunsCounts) {
  const ProgramRun run = RunBench("WorksEarly", "Right", {"--benchmark_filter=scale_f32/.*"});
  for (const char* name : {"scale_f32/100", "scale_f32/1000"}) {
    const WorkloadEvidence workload = run.WorkloadNamed(name);
    EXPECT_THAT(workload.verdict, AnyOf(Verdict::kAccepted, Verdict::kRejected)) << workload.detail;
    if (workload.verdict == Verdict::kAccepted) {
      EXPECT_GT(MedianSubmission_ns(workload), 0.7 * LeastBaseline_ns(workload)) << name;
    }
  }
}

// A harness that mixes up its sides passes every test of the one before on a symmetrical pair.
TEST(BenchMain, ExchangedSidesGiveTheReciprocal) {
  const WorkloadEvidence workload =
      RunBench("Right", "TwiceTheWork", {"--benchmark_filter=scale_f32/1000"})
          .WorkloadNamed("scale_f32/1000");
  EXPECT_LE(workload.ratio_low, 0.67);
  EXPECT_GE(workload.ratio_high, 0.38);
}

TEST(BenchMain, MeasuresItsOwnConditions) {
  const ProgramRun run = RunBench("Right", "Right");
  EXPECT_GT(run.results.bench.bandwidth_bytes_per_second, 0);
  EXPECT_GT(run.results.bench.round_trip_ns, 0);
  EXPECT_GE(run.results.bench.round_trip_p99_ns, run.results.bench.round_trip_ns);
  EXPECT_THAT(run.results.bench.workloads, SizeIs(3));
  EXPECT_THAT(run.results.bench.controls, SizeIs(3));
  EXPECT_THAT(run.output, HasSubstr("@case 3 3 "));
}

TEST(BenchMain, WrongTimedOutputVoidsTheWorkload) {
  const ProgramRun run = RunBench("WrongOnThird", "Right");
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  const WorkloadEvidence workload = run.WorkloadNamed("scale_f32/100");
  EXPECT_EQ(workload.verdict, Verdict::kWrongAnswer);
  EXPECT_THAT(workload.detail, HasSubstr("first [99]"));
  EXPECT_THAT(workload.blocks, IsEmpty());
}

TEST(BenchMain, FasterThanMemoryIsRejected) {
  const WorkloadEvidence workload = RunBench("Right", "Right").WorkloadNamed("impossible/100");
  EXPECT_EQ(workload.verdict, Verdict::kRejected);
  EXPECT_THAT(workload.detail, HasSubstr("faster than memory"));
}

TEST(BenchMain, DeadHostIsItsOwnWorkloadsVerdict) {
  const ProgramRun run = RunBench("DiesOnThird", "Right");
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_EQ(run.WorkloadNamed("scale_f32/100").verdict, Verdict::kRuntimeError);
  EXPECT_EQ(run.WorkloadNamed("scale_f32/1000").verdict, Verdict::kRuntimeError);
}

// Its own time limit: grade's wait for the bench would end as a failure of ours.
TEST(BenchMain, HostsThatTakeAllTimeOfARunAreOverTheirLimit) {
  const ProgramRun run = RunBench("Right", "Right", {"--assay_run_limit_ms=1"});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  for (const WorkloadEvidence& workload : run.results.bench.workloads) {
    EXPECT_EQ(workload.verdict, Verdict::kTimeLimit) << workload.name << ": " << workload.detail;
  }
}

TEST(BenchMain, DeclinedWorkloadIsSkipped) {
  const ProgramRun run = RunBench("SaysUnsupported", "Right");
  const WorkloadEvidence workload = run.WorkloadNamed("scale_f32/100");
  EXPECT_EQ(workload.verdict, Verdict::kSkipped);
  EXPECT_TRUE(workload.refused);
  EXPECT_EQ(workload.skip_cause, SkipCause::kRefused);
  EXPECT_EQ(workload.operation, "scale_f32");
}

// It left two blocks of times, too few for an interval: nobody could beat it there.
TEST(BenchMain, WhoWaitsWhereNothingIsTimedIsOverItsTimeLimit) {
  const ProgramRun run = RunBench("SlowToStart", "Right", {"--benchmark_filter=scale_f32/1000"});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  const WorkloadEvidence workload = run.WorkloadNamed("scale_f32/1000");
  EXPECT_EQ(workload.verdict, Verdict::kTimeLimit);
  EXPECT_THAT(workload.detail, HasSubstr("that are not timed took"));
}

TEST(BenchMain, BaselineThatFailsIsAJudgeError) {
  const ProgramRun run = RunBench("Right", "SaysUnsupported");
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.results.judge_error, HasSubstr("baseline"));
}

TEST(BenchMain, BenchNeedsABaseline) {
  const ProgramRun run = RunProgram("scale_bench", {"--assay_host=" + ScaleHost("Right")});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.errors, HasSubstr("--assay_baseline"));
}

}  // namespace
}  // namespace assay
