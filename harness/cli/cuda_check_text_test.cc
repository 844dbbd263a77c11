// SPDX-License-Identifier: Apache-2.0
#include "cli/cuda_check_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(CudaCheckText, SaysHowAProgramDiffers) {
  EXPECT_EQ(CudaCheckEventText(FoundGpu{"NVIDIA H100, 580.1"}), "NVIDIA H100, 580.1\n");
  EXPECT_EQ(CudaCheckEventText(ProgramOutcome{.name = "scan", .detail = {}}), "agrees scan\n");
  ProgramOutcome outcome{.name = "scan",
                         .verdict = ProgramVerdict::kFailed,
                         .exit_code = 7,
                         .detail = "line 1: \"a\" expected, \"b\" here\nlast \x1b[31mwords"};
  EXPECT_EQ(CudaCheckEventText(outcome),
            "DIFFERS scan (exit code 7)\n  line 1: \"a\" expected, \"b\" here\n"
            "  last ?[31mwords\n");
  outcome.verdict = ProgramVerdict::kTimedOut;
  EXPECT_THAT(CudaCheckEventText(outcome), HasSubstr("DIFFERS scan (did not end in time)"));
  outcome.verdict = ProgramVerdict::kOutputCut;
  EXPECT_THAT(CudaCheckEventText(outcome), HasSubstr("(printed more than is kept)"));
  outcome.verdict = ProgramVerdict::kMissing;
  EXPECT_THAT(CudaCheckEventText(outcome), HasSubstr("(does not start)"));
}

TEST(CudaCheckText, SaysWhichCountersDiffer) {
  EXPECT_EQ(CudaCheckEventText(CounterOutcome{.name = "scan"}), "");
  EXPECT_EQ(CudaCheckEventText(CounterOutcome{.name = "scan",
                                              .verdict = CounterVerdict::kNotCompared,
                                              .reason = "ptxas makes one load of two"}),
            "counters not compared: scan ptxas makes one load of two\n");
  EXPECT_EQ(CudaCheckEventText(CounterOutcome{.name = "scan",
                                              .verdict = CounterVerdict::kDiffer,
                                              .differences = {{.launch = 2,
                                                               .kernel = "Scan",
                                                               .counter = "global_load_sectors",
                                                               .measured = 12,
                                                               .emulated = 16}}}),
            "COUNTERS DIFFER scan\n"
            "  launch 2 Scan: global_load_sectors is 12, 16 on the emulator\n");
}

TEST(CudaCheckText, ShowsTheFirstTwentyCases) {
  HostOutcome outcome{.challenge = "kv_cache",
                      .host = "off_by_one",
                      .emulated = {.failed = 25, .total = 30},
                      .here = {.failed = 0, .total = 30}};
  for (int i = 0; i < 25; ++i) {
    outcome.differences.push_back({.name = "Cuda.Case" + std::to_string(i),
                                   .emulated = Verdict::kWrongAnswer,
                                   .here = Verdict::kAccepted});
  }
  const std::string text = CudaCheckEventText(outcome);
  EXPECT_THAT(text, HasSubstr("kv_cache off_by_one: 25 of 30 cases fail on the emulated GPU, "
                              "0 of 30 on this one\n"));
  EXPECT_THAT(text, HasSubstr("    Cuda.Case19: wrong_answer on the emulated GPU, accepted on "
                              "this one\n    and 5 more\n"));
  EXPECT_THAT(text, Not(HasSubstr("Case20")));
  EXPECT_THAT(text, Not(HasSubstr("FAILED")));
  outcome.failure = "a case ended with judge_error";
  EXPECT_THAT(CudaCheckEventText(outcome),
              HasSubstr("  FAILED:\n    a case ended with judge_error\n"));
}

GpuCheckReport OneOfEach() {
  GpuCheckReport report;
  report.gpu = "NVIDIA H100, 580.1";
  report.programs = {{.name = "scan", .detail = {}},
                     {.name = "sort", .verdict = ProgramVerdict::kDiffers, .detail = "line 1"}};
  report.counters = {{.name = "scan"},
                     {.name = "sort", .verdict = CounterVerdict::kNotCompared, .reason = "why"},
                     {.name = "sum", .verdict = CounterVerdict::kNotMeasured, .reason = "no"}};
  report.hosts = {{.challenge = "kv_cache", .host = "baseline"}};
  report.benches = {
      {.challenge = "kv_cache", .name = "b", .verdict = BenchVerdict::kFailed, .printed = "no\n"}};
  return report;
}

TEST(CudaCheckText, SummaryCountsWhatAgrees) {
  GpuCheckReport report = OneOfEach();
  EXPECT_EQ(CudaCheckSummary(report),
            "1 of 2 programs agree with the emulator\n"
            "1 of 2 programs have the emulator's counters\n"
            "1 of 1 baselines and mutants, 0 of 1 benches did not fail\n");
  report.no_counters = "no ncu here";
  report.no_challenges = "no toolkit";
  EXPECT_THAT(CudaCheckSummary(report),
              HasSubstr("counters were not compared: no ncu here\n"
                        "the CUDA challenges were not run: no toolkit\n"));
  EXPECT_EQ(CudaCheckEventText(report.benches[0]), "kv_cache b: FAILED\n  no\n");
}

TEST(CudaCheckText, JsonHasAllOfIt) {
  const nlohmann::json document = CudaCheckToJson(OneOfEach());
  EXPECT_EQ(document.at("gpu"), "NVIDIA H100, 580.1");
  EXPECT_EQ(document.at("agrees"), false);
  EXPECT_EQ(document.at("programs").at(1).at("verdict"), "differs");
  EXPECT_EQ(document.at("counters").at(2).at("verdict"), "not_measured");
  EXPECT_EQ(document.at("hosts").at(0).at("here").at("total"), 0);
  EXPECT_EQ(document.at("benches").at(0).at("failed"), true);
  EXPECT_EQ(document.at("no_counters"), "");
}

}  // namespace
}  // namespace assay
