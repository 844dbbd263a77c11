// SPDX-License-Identifier: Apache-2.0
#include "score/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "score/scorecard.h"
#include "score/synthetic.h"

namespace assay {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

struct ExplainTest : testing::Test {
  ChallengeView challenge = synthetic::LayerNormChallenge();
  std::vector<Evidence> cells = synthetic::LayerNormCells();

  [[nodiscard]] std::vector<EvidenceLine> LinesOf(const Evidence& cell,
                                                  std::string_view criterion) const {
    const CellExplanation explanation = Explain(challenge, cell, ScoreCell(challenge, cell));
    const auto found =
        std::find_if(explanation.criteria.begin(), explanation.criteria.end(),
                     [&](const auto& one) { return one.score.criterion == criterion; });
    return found == explanation.criteria.end() ? std::vector<EvidenceLine>{} : found->lines;
  }
};

TEST_F(ExplainTest, FailingCasesWithTheirDetail) {
  EXPECT_THAT(
      LinesOf(cells[0], "edge_cases"),
      ElementsAre(EvidenceLine{
          .thing = "case Edge.HugeOffset",
          .says = "wrong_answer: dx[3] is nan, expected 0.25 (error over bound 1.23e+03)"}));
}

TEST_F(ExplainTest, AFailingCaseSaysWhichKnownBugItIsLike) {
  challenge.signatures = synthetic::LayerNormSignatures();
  const auto lines = LinesOf(cells[0], "edge_cases");
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_THAT(lines[0].says, testing::EndsWith("1.23e+03); fails like naive_variance"));
}

TEST_F(ExplainTest, DistinctFailuresWithTheCasesForAndAgainst) {
  challenge.signatures = synthetic::LayerNormSignatures();
  challenge.rubric.criteria.push_back(
      synthetic::MakeCriterion("issues", "correctness", "distinct_failures"));
  EXPECT_THAT(LinesOf(cells[0], "issues"),
              ElementsAre(EvidenceLine{.thing = "fails like naive_variance",
                                       .says = "likely, 0.80: 1 case for, none against; for: "
                                               "Edge.HugeOffset; against: none"}));
  challenge.signatures->mutants.clear();
  EXPECT_THAT(
      LinesOf(cells[0], "issues"),
      ElementsAre(EvidenceLine{.thing = "fails like no known bug", .says = "Edge.HugeOffset"}));
}

TEST_F(ExplainTest, WhatIsRightNeedsNoLines) {
  EXPECT_THAT(LinesOf(cells[2], "edge_cases"), IsEmpty());
}

TEST_F(ExplainTest, MetricsByName) {
  EXPECT_THAT(LinesOf(cells[1], "tensors_saved"),
              ElementsAre(EvidenceLine{.thing = "metric tensors_saved", .says = "12"}));
}

TEST_F(ExplainTest, AnAbsentMetricNamesTheSkippedCases) {
  cells[0].suite.metrics.clear();
  EXPECT_THAT(LinesOf(cells[0], "tensors_saved"),
              ElementsAre(EvidenceLine{.thing = "metric tensors_saved", .says = "not written"},
                          EvidenceLine{.thing = "case Check.FindsWrong",
                                       .says = "skipped, not_offered: not implemented"}));
}

TEST_F(ExplainTest, WrongAnswersWithTheRightOne) {
  cells[0].answers[0] = {
      .question = "complexity_flops", .answered = "7", .expected = "8", .right = false};
  EXPECT_THAT(
      LinesOf(cells[0], "answers"),
      ElementsAre(
          EvidenceLine{.thing = "question complexity_flops", .says = "answered 7, right is 8"},
          EvidenceLine{.thing = "question complexity_bytes", .says = "not answered"}));
}

TEST_F(ExplainTest, SurvivingMutants) {
  EXPECT_THAT(LinesOf(cells[2], "own_tests"),
              Contains(EvidenceLine{.thing = "mutant drops_nan",
                                    .says = "survives the submission's own tests"}));
}

TEST_F(ExplainTest, MutantsByTheirHome) {
  challenge.homes = {{"drops_nan", "edge_cases"}, {"naive_variance", "edge_cases"}};
  EXPECT_THAT(LinesOf(cells[2], "own_tests"),
              Contains(EvidenceLine{.thing = "mutants of Edge cases",
                                    .says = "1 of 2 that apply are killed"}));
  challenge.homes["naive_variance"] = "gradient";
  challenge.rubric.criteria.push_back(synthetic::MakeCriterion(
      "own_edges", "tests_benchmarks", "own_tests(mutants_killed_share, edge_cases)"));
  const auto lines = LinesOf(cells[2], "own_edges");
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].thing, "own tests");
  EXPECT_EQ(lines[1].thing, "mutant drops_nan");
}

TEST_F(ExplainTest, PointsOfACurve) {
  challenge.rubric.criteria.push_back(
      synthetic::MakeCriterion("offsets", "correctness", "curve(error_by_offset, 3)"));
  EXPECT_THAT(LinesOf(cells[0], "offsets"),
              Contains(EvidenceLine{.thing = "curve error_by_offset at 1000000", .says = "1e-10"}));
}

TEST_F(ExplainTest, MissingEntryPointsAndFindings) {
  EXPECT_THAT(
      LinesOf(cells[0], "entry_points"),
      ElementsAre(EvidenceLine{.thing = "entry point ln_check_gradients", .says = "not offered"}));
  EXPECT_THAT(LinesOf(cells[1], "memory_safety"),
              ElementsAre(EvidenceLine{.thing = "sanitizer finding",
                                       .says = "heap-buffer-overflow layernorm.cc:40"}));
}

TEST_F(ExplainTest, AGpuRowLeadsToTheLaunchesOfItsOperation) {
  Criterion row = synthetic::MakeCriterion("reads", "gpu_fusion", "metric(reads)");
  row.kind = CriterionKind::kGpu;
  challenge.spec.languages = {"cuda"};
  challenge.rubric.criteria.push_back(row);
  cells[0].suite.metrics["reads"] = 1.5;
  cells[0].suite.launches = {synthetic::MakeLaunch("f_cuda 64x768", "F(float*)"),
                             synthetic::MakeLaunch("f_cuda_alternative 64x768", "G(float*)")};
  cells[0].suite.launches[0].operation = "f_cuda";
  cells[0].suite.launches[1].operation = "f_cuda_alternative";
  const EvidenceLine metric{.thing = "metric reads", .says = "1.5"};
  const EvidenceLine launch{
      .thing = "launch f_cuda 64x768",
      .says =
          "F(float*): 64 blocks of 256 threads, 40 registers, 8.2 kB shared, 0 B local, "
          "occupancy 75 %; asks for 589.8 kB and writes 196.6 kB, distinct 592.9 kB, DRAM "
          "592.9 kB; 4 sectors a load; modelled 2.35 µs on NVIDIA A100-SXM4-80GB"};
  EXPECT_EQ(LinesOf(cells[0], "reads").size(), 3U);
  challenge.rubric.criteria.back().needs = {"f_cuda"};
  cells[0].entry_points = {"f_cuda"};
  EXPECT_THAT(LinesOf(cells[0], "reads"), ElementsAre(metric, launch));
}

TEST_F(ExplainTest, DeviceFindingsOfTheCheckerThatTheRowIsOf) {
  challenge.rubric.criteria.push_back(
      synthetic::MakeCriterion("races", "gpu_fusion", "device_findings(racecheck)"));
  cells[1].suite.device_findings.push_back(
      {.checker = "memcheck", .text = "out of bounds at a.cu:3 in F"});
  EXPECT_THAT(LinesOf(cells[1], "races"),
              ElementsAre(EvidenceLine{
                  .thing = "device finding",
                  .says = "racecheck: read after write at layernorm.cu:71 in Backward(float*)"}));
}

TEST_F(ExplainTest, WorkloadsWithRatioAndInterval) {
  EXPECT_THAT(LinesOf(cells[0], "throughput"),
              Contains(EvidenceLine{.thing = "workload backward_f32/8192x768",
                                    .says = "1.500x the baseline's time [1.450, 1.560], 53.3 % of "
                                            "the bandwidth, 15 blocks of pairs"}));
}

TEST_F(ExplainTest, ACellThatDoesNotBuildLeadsToTheCompiler) {
  cells[0].verdict = cells[0].release.verdict = Verdict::kCompileError;
  cells[0].release.diagnostics = "a.cc:1: error: x\nmore";
  EXPECT_THAT(LinesOf(cells[0], "edge_cases"),
              ElementsAre(EvidenceLine{.thing = "release build",
                                       .says = "compile_error: a.cc:1: error: x"}));
}

}  // namespace
}  // namespace assay
