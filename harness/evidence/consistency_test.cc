// SPDX-License-Identifier: Apache-2.0
#include "evidence/consistency.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "evidence/cell_verdict.h"
#include "evidence/statistics.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

CaseEvidence Case(const std::string& name, Verdict verdict, const std::string& detail = "") {
  return {.name = name,
          .tags = {"sum"},
          .verdict = verdict,
          .gates = true,
          .detail = detail,
          .error_over_bound = verdict == Verdict::kAccepted ? 0.5 : 7,
          .seconds = 0};
}

WorkloadEvidence Timed(const std::string& name) {
  WorkloadEvidence workload{
      .name = name, .verdict = Verdict::kAccepted, .detail = "", .blocks = {}};
  for (int i = 0; i < 9; ++i) {
    workload.blocks.push_back({.pairs = {{.submission_ns = 2000 + i, .baseline_ns = 1000}}});
  }
  const RatioEstimate estimate = MedianRatio(workload.blocks);
  workload.ratio = estimate.ratio;
  workload.ratio_low = estimate.low;
  workload.ratio_high = estimate.high;
  workload.least_bytes = 4000;
  workload.share_of_bandwidth = ShareOfBandwidth(workload.blocks, 4000, 1e10);
  return workload;
}

/// Times of two runs, each of as many blocks.
void SplitIntoRuns(BenchEvidence& bench) {
  for (auto* series : {&bench.workloads, &bench.controls}) {
    for (WorkloadEvidence& one : *series) {
      one.blocks.resize(8);
      for (std::size_t i = 0; i < one.blocks.size(); ++i) {
        one.blocks[i].run = i < 4 ? 0 : 1;
      }
    }
  }
  bench.runs = std::vector<BenchRunEvidence>(2);
  for (int run = 0; run < 2; ++run) {
    bench.runs->at(static_cast<std::size_t>(run)) = {
        .after = BenchMoment::kSuite,
        .blocks = CountBlocks(bench.workloads, run),
        .control_blocks = CountBlocks(bench.controls, run),
        .control_scatter = ControlScatter(bench, run)};
  }
  SetEstimates(bench);
}

/// As grading gives it: one case fails.
Evidence Graded() {
  Evidence evidence;
  evidence.model = "a";
  evidence.digests = {.submission = "s", .challenge = "c", .reference = "r", .harness = "h"};
  evidence.release = {.verdict = Verdict::kAccepted, .diagnostics = "", .warnings = 3};
  evidence.sanitized.verdict = Verdict::kAccepted;
  evidence.suite.cases = {Case("Sum.Small", Verdict::kAccepted),
                          Case("Sum.Large", Verdict::kWrongAnswer, "y[0] is off"),
                          Case("Sum.Other", Verdict::kSkipped, "not implemented")};
  evidence.suite.metrics = {{"reads", 3}};
  evidence.sanitized_suite.cases = evidence.suite.cases;
  evidence.bench.bandwidth_bytes_per_second = 1e10;
  evidence.bench.workloads = {Timed("sum/100")};
  evidence.bench.controls = {Timed("sum/100/baseline_against_itself")};
  evidence.statics.code_lines = 800;
  evidence.statics.source_code_lines = 500;
  evidence.statics.warnings_per_1000_lines = 6;
  evidence.own_tests = {.shipped = 1,
                        .passing_on_itself = 1,
                        .passing_on_baseline = 1,
                        .mutants_killed = {"off_by_one"},
                        .mutants_survived = {"no_sum"},
                        .detail = ""};
  evidence.answers = {
      {.question = "bytes", .answered = "100", .expected = "101", .right = true},
      {.question = "bound", .answered = "Memory ", .expected = "memory", .right = true},
      {.question = "flops", .answered = "", .expected = "7", .right = false}};
  evidence.claims = {{.claim = "reads", .claimed = 1, .measured = 3, .holds = false}};
  const CellVerdict verdict = DecideVerdict(evidence);
  evidence.verdict = verdict.verdict;
  evidence.verdict_detail = verdict.detail;
  return evidence;
}

TEST(Consistency, WhatGradingGivesAgrees) {
  const auto found = FindContradiction(Graded());
  EXPECT_FALSE(found) << ToString(*found);
}

TEST(Consistency, TimesOfSeveralRunsAgree) {
  Evidence evidence = Graded();
  SplitIntoRuns(evidence.bench);
  const auto found = FindContradiction(evidence);
  EXPECT_FALSE(found) << ToString(*found);
}

TEST(Consistency, ItSaysTheFieldWhatItSaysAndWhatFollows) {
  Evidence evidence = Graded();
  evidence.verdict = Verdict::kAccepted;
  evidence.verdict_detail = "";
  EXPECT_EQ(ToString(*FindContradiction(evidence)),
            "verdict says accepted; what follows is wrong_answer, from Sum.Large: y[0] is off");
}

struct Edit {
  std::string field;
  std::function<void(Evidence&)> make;
};

class EditedEvidence : public ::testing::TestWithParam<Edit> {};

TEST_P(EditedEvidence, IsSeen) {
  Evidence evidence = Graded();
  GetParam().make(evidence);
  const auto found = FindContradiction(evidence);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->field, GetParam().field) << ToString(*found);
}

INSTANTIATE_TEST_SUITE_P(
    Consistency, EditedEvidence,
    ::testing::Values(
        Edit{"suite.cases[1].verdict",
             [](Evidence& e) {
               e.suite.cases[1].verdict = Verdict::kAccepted;
               e.verdict = Verdict::kAccepted;
               e.verdict_detail = "";
             }},
        Edit{"suite.cases[1].verdict",
             [](Evidence& e) {
               e.suite.cases[1].verdict = Verdict::kAccepted;
               e.suite.cases[1].detail = "";  // Its error is left.
             }},
        Edit{"suite.cases[0].verdict",
             [](Evidence& e) { e.suite.cases[0].verdict = Verdict::kSkipped; }},
        Edit{"suite.cases[0].verdict",
             [](Evidence& e) { e.suite.cases[0].given_up = GiveUpCause::kRunLimit; }},
        Edit{"suite.cases[0].verdict",
             [](Evidence& e) { e.suite.cases[0].failing_operation = "f"; }},
        Edit{"suite.cases[0].verdict", [](Evidence& e) { e.suite.cases[0].failing_output = "y"; }},
        Edit{"suite.cases[0].skip_cause",
             [](Evidence& e) { e.suite.cases[0].skip_cause = SkipCause::kRefused; }},
        Edit{"sanitized_suite.cases[1].verdict",
             [](Evidence& e) { e.sanitized_suite.cases[1].verdict = Verdict::kAccepted; }},
        Edit{"suite.cases[2].name", [](Evidence& e) { e.suite.cases[2] = e.suite.cases[0]; }},
        Edit{"verdict", [](Evidence& e) { e.suite.cases.erase(e.suite.cases.begin() + 1); }},
        Edit{"verdict_detail", [](Evidence& e) { e.verdict_detail = "a trifle"; }},
        Edit{"suite.cases[0].answered",
             [](Evidence& e) { e.suite.cases[0].answered = {"no_such_function"}; }},
        Edit{"bench.workloads[0].refused",
             [](Evidence& e) {
               WorkloadEvidence& workload = e.bench.workloads[0];
               workload.blocks.clear();
               workload.verdict = Verdict::kSkipped;
               workload.detail = "no time";
             }},
        Edit{"bench.workloads[0].skip_cause",
             [](Evidence& e) { e.bench.workloads[0].skip_cause = SkipCause::kRefused; }},
        Edit{"bench.workloads[0].ratio", [](Evidence& e) { e.bench.workloads[0].ratio = 0.5; }},
        Edit{"bench.workloads[0].ratio",
             [](Evidence& e) {
               for (TimeBlock& block : e.bench.workloads[0].blocks) {
                 block.pairs[0].submission_ns = 500;
               }
             }},
        Edit{"bench.workloads[0].ratio_low",
             [](Evidence& e) { e.bench.workloads[0].ratio_low = 0.5; }},
        Edit{"bench.controls[0].ratio_high",
             [](Evidence& e) { e.bench.controls[0].ratio_high = 0.5; }},
        Edit{"bench.workloads[0].blocks",
             [](Evidence& e) { e.bench.workloads[0].blocks[0].run = 0; }},
        Edit{"bench.workloads[0].blocks",
             [](Evidence& e) {
               SplitIntoRuns(e.bench);
               e.bench.workloads[0].blocks.push_back({.pairs = {{1, 1}}, .run = 2});
             }},
        Edit{"bench.workloads[0].ratio_high",
             [](Evidence& e) {
               SplitIntoRuns(e.bench);
               e.bench.workloads[0].ratio_high = 2.0001;
             }},
        Edit{"bench.workloads[0].share_low",
             [](Evidence& e) {
               SplitIntoRuns(e.bench);
               e.bench.workloads[0].share_low = 0;
             }},
        Edit{"bench.runs[1].blocks",
             [](Evidence& e) {
               SplitIntoRuns(e.bench);
               e.bench.runs->at(1).blocks = 3;
             }},
        Edit{"bench.runs[0].control_scatter",
             [](Evidence& e) {
               SplitIntoRuns(e.bench);
               e.bench.runs->at(0).control_scatter = 0;
             }},
        Edit{"bench.bandwidth_bytes_per_second",
             [](Evidence& e) {
               SplitIntoRuns(e.bench);
               e.bench.runs->at(0).bandwidth_bytes_per_second = 1e10;
               e.bench.runs->at(1).bandwidth_bytes_per_second = 4e10;
             }},
        Edit{"bench.workloads[0].share_of_bandwidth",
             [](Evidence& e) { e.bench.workloads[0].share_of_bandwidth = 1; }},
        Edit{"bench.workloads[0].verdict",
             [](Evidence& e) { e.bench.workloads[0].verdict = Verdict::kSkipped; }},
        Edit{"release.verdict", [](Evidence& e) { e.release.verdict = Verdict::kCompileError; }},
        Edit{"sanitized.verdict", [](Evidence& e) { e.sanitized.verdict = Verdict::kSkipped; }},
        Edit{"statics.warnings_per_1000_lines", [](Evidence& e) { e.release.warnings = 0; }},
        Edit{"own_tests.passing_on_baseline",
             [](Evidence& e) { e.own_tests.passing_on_baseline = 2; }},
        Edit{"own_tests.mutants_killed", [](Evidence& e) { e.own_tests.passing_on_baseline = 0; }},
        Edit{"own_tests.mutants_killed",
             [](Evidence& e) { e.own_tests.mutants_killed.emplace_back("no_sum"); }},
        Edit{"answers[2].right", [](Evidence& e) { e.answers[2].right = true; }},
        Edit{"answers[1].right", [](Evidence& e) { e.answers[1].answered = "compute"; }},
        Edit{"claims[0].holds", [](Evidence& e) { e.claims[0].holds = true; }},
        Edit{"claims[0].measured", [](Evidence& e) {
               e.claims[0].measured = 1;
               e.claims[0].holds = true;
             }}));

TEST(Consistency, AJudgesFailureNeedsNoGround) {
  Evidence evidence;
  evidence.verdict = Verdict::kJudgeError;
  evidence.verdict_detail = "the disk is full";
  EXPECT_FALSE(FindContradiction(evidence));
}

TEST(Consistency, CellsOfOneJudgeHaveTheSameCases) {
  Evidence other = Graded();
  other.model = "b";
  EXPECT_FALSE(FindContradiction(Graded(), other));
  Evidence edited = Graded();
  edited.suite.cases[1].gates = false;
  EXPECT_EQ(FindContradiction(edited, other)->field, "suite.cases[1].gates");
  edited = Graded();
  edited.suite.cases[1].tags = {"stretch"};
  EXPECT_THAT(
      ToString(*FindContradiction(edited, other)),
      HasSubstr("suite.cases[1].tags says stretch; what follows is sum, from Sum.Large in b"));
  edited = Graded();
  edited.suite.cases.erase(edited.suite.cases.begin() + 1);
  EXPECT_EQ(FindContradiction(edited, other)->field, "suite.cases");
  edited.digests.harness = "of another day";
  EXPECT_FALSE(FindContradiction(edited, other));
}

}  // namespace
}  // namespace assay
