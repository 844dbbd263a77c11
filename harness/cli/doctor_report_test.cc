// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace assay {
namespace {

using ::testing::HasSubstr;

DoctorReport Report() {
  return {
      .tools = {{.name = "g++", .version = "g++ 12.2.0", .remedy = "apt-get install g++"},
                {.name = "nvcc",
                 .version = "",
                 .need = Need::kForCuda,
                 .remedy = "scripts/setup --cuda"},
                {.name = "cloc",
                 .version = "",
                 .need = Need::kForCodeQuality,
                 .remedy = "apt-get install cloc"}},
      .sandbox = {.capabilities = {{.name = "bubblewrap",
                                    .available = false,
                                    .detail = "not installed",
                                    .remedy = "apt-get install bubblewrap"}},
                  .level = SandboxLevel::kReduced,
                  .obstacle = Obstacle::kNoBubblewrap,
                  .next_level = "install bubblewrap"},
      .baselines = {{.challenge = "adder",
                     .check = BaselineCheck{.date = "2026-11-22", .seconds = 6.08}},
                    {.challenge = "taker",
                     .check = BaselineCheck{.source = BaselineCheck::Source::kKept,
                                            .date = "2026-11-21",
                                            .seconds = 5}}},
      .machine = {.cpu_model = "A CPU", .cores = 2, .memory_bytes = 8'000'000'000, .kernel = "6.1"},
      .rates = {{.threads = 1,
                 .bandwidth_bytes_per_second = 12.34e9,
                 .fma_flops_per_second = std::numeric_limits<double>::quiet_NaN()}},
      .clock = {.resolution_ns = 1, .reading_ns = 21},
      .round_trip = {.median_ns = 612, .p99_ns = 1204, .problem = {}}};
}

TEST(FormatDoctor, ShowsWhatIsThereAndHowToGetTheRest) {
  EXPECT_EQ(FormatDoctor(Report()),
            "Tools\n"
            "  g++   yes  g++ 12.2.0\n"
            "  nvcc  NO   nothing in CUDA can be graded; scripts/setup --cuda\n"
            "  cloc  NO   code quality is not measured; apt-get install cloc\n"
            "\n"
            "Sandbox: level reduced\n"
            "  bubblewrap  NO  not installed; apt-get install bubblewrap\n"
            "  To reach the next level: install bubblewrap\n"
            "\n"
            "Challenges\n"
            "  adder: compiles its baseline: yes (measured now, 6.1 s)\n"
            "  taker: compiles its baseline: yes (kept from 2026-11-21)\n"
            "\n"
            "Machine\n"
            "  processor            A CPU, 2 usable\n"
            "  memory               8.0 GB\n"
            "  kernel               6.1\n"
            "  bandwidth, 1 thread  12.3 GB/s\n"
            "  FMA, 1 thread        not measured\n"
            "  clock                steps of 1 ns, 21 ns a reading\n"
            "  round trip           median 612 ns, 99th percentile 1204 ns\n");
}

TEST(FormatDoctor, SaysWhyThereIsNoRoundTrip) {
  DoctorReport report = Report();
  report.round_trip = {.problem = "the baseline is not built"};
  EXPECT_THAT(FormatDoctor(report), HasSubstr("not measured: the baseline is not built"));
}

TEST(FormatDoctor, SaysWhyNoBaselineWasCompiled) {
  DoctorReport report = Report();
  report.baselines.clear();
  EXPECT_THAT(FormatDoctor(report), HasSubstr("Challenges\n  not checked: there is no repository"));
}

TEST(FormatDoctor, ShowsTheCompilersWordsWhereABaselineDoesNotCompile) {
  DoctorReport report = Report();
  EXPECT_FALSE(FailsAtABaseline(report));
  report.baselines[0].check =
      std::unexpected(Error{.kind = ErrorKind::kJudge,
                            .where = "reference/adder",
                            .cause = "compiling fails:\nmath.h: No such file\x1b[2J\n",
                            .remedy = "install g++ again"});
  EXPECT_TRUE(FailsAtABaseline(report));
  EXPECT_THAT(FormatDoctor(report), HasSubstr("Challenges\n"
                                              "  adder: compiles its baseline: NO\n"
                                              "    reference/adder: compiling fails:\n"
                                              "    math.h: No such file?[2J\n"
                                              "    ; install g++ again\n"));
  const nlohmann::json json = DoctorToJson(report)["baselines"];
  EXPECT_EQ(json[0]["compiles"], false);
  EXPECT_THAT(json[0]["problem"].get<std::string>(), HasSubstr("math.h: No such file"));
  EXPECT_EQ(json[1], nlohmann::json({{"challenge", "taker"},
                                     {"compiles", true},
                                     {"kept", true},
                                     {"date", "2026-11-21"},
                                     {"seconds", 5.0}}));
}

TEST(FormatDoctor, WhatIsNotInstalledIsNoFailureOfTheMachine) {
  DoctorReport report = Report();
  report.baselines[0].check = std::unexpected(Error{
      .kind = ErrorKind::kConfiguration, .where = "nvcc", .cause = "there is none", .remedy = {}});
  EXPECT_FALSE(FailsAtABaseline(report));
  EXPECT_THAT(FormatDoctor(report), HasSubstr("  adder: compiles its baseline: not checked\n"
                                              "    nvcc: there is none\n"));
}

TEST(FormatDoctor, NamesAChallengeAtFaultAndWhatIsWrongWithIt) {
  DoctorReport report = Report();
  report.baselines = FactsOfFaults({{.kind = ErrorKind::kConfiguration,
                                     .where = "challenges/adder/challenge.yaml:1",
                                     .cause = "id is missing",
                                     .remedy = {}}});
  EXPECT_FALSE(FailsAtABaseline(report));
  EXPECT_THAT(FormatDoctor(report),
              HasSubstr("  adder: compiles its baseline: not checked\n"
                        "    challenges/adder/challenge.yaml:1: id is missing\n"));
}

TEST(DoctorToJson, NamesTheObstacleInOneWord) {
  EXPECT_EQ(DoctorToJson(Report())["sandbox"]["obstacle"], "no_bubblewrap");
}

TEST(DoctorToJson, HasNullForWhatWasNotMeasured) {
  const nlohmann::json json = DoctorToJson(Report());
  EXPECT_EQ(json["sandbox"]["level"], "reduced");
  EXPECT_TRUE(json["rates"][0]["fma_flops_per_second"].is_null());
  EXPECT_EQ(json["round_trip"]["p99_ns"], 1204);
}

TEST(LacksRequiredTool, OnlyRequiredOnesCount) {
  DoctorReport report = Report();
  EXPECT_FALSE(LacksRequiredTool(report));
  report.tools[0].version.clear();
  EXPECT_TRUE(LacksRequiredTool(report));
  EXPECT_THAT(FormatDoctor(report), HasSubstr("NO  nothing can be graded; apt-get install g++"));
}

}  // namespace
}  // namespace assay
