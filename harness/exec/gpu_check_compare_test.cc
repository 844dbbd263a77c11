// SPDX-License-Identifier: Apache-2.0
#include "exec/gpu_check_compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <set>
#include <string>
#include <vector>

#include "process/run.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

CommandResult Ended(int code, std::string output, std::string errors = "") {
  CommandResult run;
  run.exit.code_or_signal = code;
  run.output = std::move(output);
  run.errors = std::move(errors);
  return run;
}

std::unexpected<Error> DoesNotStart() {
  return std::unexpected(
      Error{.kind = ErrorKind::kJudge, .where = "", .cause = "bin/scan is missing", .remedy = ""});
}

const CheckedProgram kScan = {
    .name = "scan", .expected = "sum 6\nmax 3\n", .hardware_differs = {}, .launches = {}};

TEST(GpuCheckProgram, AgreesByExitCodeAndOutput) {
  const ProgramOutcome outcome = CompareProgram(kScan, Ended(0, "sum 6\nmax 3\n", "a remark\n"));
  EXPECT_EQ(outcome.verdict, ProgramVerdict::kAgrees);
  EXPECT_EQ(outcome.detail, "");
  EXPECT_TRUE(Agrees(outcome));
}

TEST(GpuCheckProgram, OtherOutputIsShownWhereItBegins) {
  const ProgramOutcome other = CompareProgram(kScan, Ended(0, "sum 6\nmax 4\n"));
  EXPECT_EQ(other.verdict, ProgramVerdict::kDiffers);
  EXPECT_EQ(other.detail, "line 2: \"max 3\" expected, \"max 4\" here");
  EXPECT_FALSE(Agrees(other));
  EXPECT_EQ(CompareProgram(kScan, Ended(0, "sum 6\n")).detail,
            "line 2: \"max 3\" expected, the end here");
  EXPECT_EQ(CompareProgram(kScan, Ended(0, "sum 6\nmax 3\nmin 1\n")).detail,
            "line 3: the end expected, \"min 1\" here");
  EXPECT_EQ(CompareProgram(kScan, Ended(0, "sum 6\nmax 3")).detail,
            "only the last line break differs");
}

TEST(GpuCheckProgram, AnotherExitCodeOrASignalFailsWhateverItPrinted) {
  const ProgramOutcome failed =
      CompareProgram(kScan, Ended(7, "sum 6\nmax 3\n", "one\ntwo\nthree\nfour\n"));
  EXPECT_EQ(failed.verdict, ProgramVerdict::kFailed);
  EXPECT_EQ(failed.exit_code, 7);
  EXPECT_EQ(failed.detail, "two\nthree\nfour");
  CommandResult killed = Ended(SIGSEGV, "sum 6\nmax 3\n");
  killed.exit.kind = ProcessExit::Kind::kSignaled;
  EXPECT_EQ(CompareProgram(kScan, killed).verdict, ProgramVerdict::kFailed);
  EXPECT_EQ(CompareProgram(kScan, killed).exit_code, 128 + SIGSEGV);
}

TEST(GpuCheckProgram, WhatIsNotWholeNeverAgrees) {
  CommandResult endless = Ended(0, "sum 6\nmax 3\n");
  endless.timed_out = true;
  EXPECT_EQ(CompareProgram(kScan, endless).verdict, ProgramVerdict::kTimedOut);
  CommandResult cut = Ended(0, "sum 6\nmax 3\n");
  cut.output_truncated = true;
  EXPECT_EQ(CompareProgram(kScan, cut).verdict, ProgramVerdict::kOutputCut);
  const ProgramOutcome missing = CompareProgram(kScan, DoesNotStart());
  EXPECT_EQ(missing.verdict, ProgramVerdict::kMissing);
  EXPECT_THAT(missing.detail, HasSubstr("bin/scan"));
}

// As ncu 2025.3 prints them, with what a program printed before.
constexpr const char* kNcuPrinted =
    "==PROF== Connected to process 1 (/f/bin/scan)\n"
    "sum 6\n"
    "\"ID\",\"Process ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
    "\"0\",\"1\",\"Scan(int *, int)\",\"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum\",\"\","
    "\"1,024\"\n"
    "\"0\",\"1\",\"Scan(int *, int)\",\"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum\",\"\","
    "\"3\"\n"
    "\"0\",\"1\",\"Scan(int *, int)\",\"l1tex__t_requests_pipe_lsu_mem_global_op_red.sum\",\"\","
    "\"4\"\n"
    "\"0\",\"1\",\"Scan(int *, int)\",\"gpu__time_duration.sum\",\"ns\",\"5\"\n"
    "\"1\",\"1\",\"Sum\",\"smsp__inst_executed.sum\",\"inst\",\"30\"\n";

CheckedProgram ScanWithCounters() {
  CheckedProgram program = kScan;
  program.launches = {{.launch = 0,
                       .kernel = "Scan",
                       .counters = {{"global_load_requests", 1024}, {"global_atomic_requests", 7}}},
                      {.launch = 1, .kernel = "Sum", .counters = {{"warp_instructions", 10}}}};
  return program;
}

TEST(NcuCsv, SumsTheMetricsOfACounter) {
  EXPECT_THAT(ReadNcuCsv(kNcuPrinted),
              ElementsAre(Pair(0, ElementsAre(Pair("global_atomic_requests", 7),
                                              Pair("global_load_requests", 1024))),
                          Pair(1, ElementsAre(Pair("warp_instructions", 30)))));
  EXPECT_THAT(ReadNcuCsv("sum 6\n==ERROR== no permission\n"), IsEmpty());
}

TEST(NcuCsv, LinesThatAreCutOffAreNoCounters) {
  const std::string printed = kNcuPrinted;
  EXPECT_THAT(ReadNcuCsv(printed.substr(0, printed.find("\"1,024\"") - 1)), IsEmpty());
  EXPECT_THAT(ReadNcuCsv("\"0\",\"1\",\"Scan\"\n"), IsEmpty());
}

TEST(GpuCheckCounters, AgreeWithinTolerances) {
  const CheckedProgram program = ScanWithCounters();
  const CounterOutcome outcome = CompareCounters(program, Ended(0, kNcuPrinted));
  EXPECT_EQ(outcome.verdict, CounterVerdict::kAgree) << outcome.reason;
  EXPECT_TRUE(Agrees(outcome));
}

TEST(GpuCheckCounters, DifferBeyondThem) {
  CheckedProgram program = ScanWithCounters();
  program.launches[0].counters["global_load_requests"] = 1013;  // 1 % is 10.13 of 11.
  program.launches[1].counters["warp_instructions"] = 9;        // 200 % is 18 of 21.
  const CounterOutcome outcome = CompareCounters(program, Ended(0, kNcuPrinted));
  EXPECT_EQ(outcome.verdict, CounterVerdict::kDiffer);
  EXPECT_FALSE(Agrees(outcome));
  EXPECT_THAT(outcome.differences, ElementsAre(CounterDifference{.launch = 0,
                                                                 .kernel = "Scan",
                                                                 .counter = "global_load_requests",
                                                                 .measured = 1024,
                                                                 .emulated = 1013},
                                               CounterDifference{.launch = 1,
                                                                 .kernel = "Sum",
                                                                 .counter = "warp_instructions",
                                                                 .measured = 30,
                                                                 .emulated = 9}));
}

TEST(GpuCheckCounters, OfALaunchThatTheEmulatorDidNotHaveAreComparedWithNone) {
  CheckedProgram program = ScanWithCounters();
  program.launches.pop_back();
  EXPECT_THAT(CompareCounters(program, Ended(0, kNcuPrinted)).differences,
              ElementsAre(CounterDifference{.launch = 1,
                                            .kernel = "",
                                            .counter = "warp_instructions",
                                            .measured = 30,
                                            .emulated = 0}));
}

TEST(GpuCheckCounters, NothingMeasuredIsNoAgreement) {
  const CheckedProgram program = ScanWithCounters();
  const CounterOutcome refused =
      CompareCounters(program, Ended(1, "", "==ERROR== ERR_NVGPUCTRPERM\n"));
  EXPECT_EQ(refused.verdict, CounterVerdict::kNotMeasured);
  EXPECT_THAT(refused.reason, HasSubstr("administrator"));
  EXPECT_THAT(refused.reason, HasSubstr("ERR_NVGPUCTRPERM"));
  EXPECT_FALSE(Agrees(refused));
  CommandResult endless = Ended(0, kNcuPrinted);
  endless.timed_out = true;
  EXPECT_EQ(CompareCounters(program, endless).verdict, CounterVerdict::kNotMeasured);
  CommandResult cut = Ended(0, kNcuPrinted);
  cut.output_truncated = true;
  EXPECT_EQ(CompareCounters(program, cut).verdict, CounterVerdict::kNotMeasured);
  EXPECT_EQ(CompareCounters(program, DoesNotStart()).verdict, CounterVerdict::kNotMeasured);
}

CaseEvidence CaseThat(const std::string& name, Verdict verdict) {
  CaseEvidence one;
  one.name = name;
  one.verdict = verdict;
  return one;
}

SuiteEvidence SuiteOf(std::vector<CaseEvidence> cases) {
  SuiteEvidence suite;
  suite.cases = std::move(cases);
  return suite;
}

CheckedHost HostNamed(const std::string& name) {
  return {.name = name,
          .emulated = {{"Cuda.One", Verdict::kAccepted},
                       {"Cuda.Two", Verdict::kWrongAnswer},
                       {"Cuda.Three", Verdict::kSkipped}}};
}

TEST(GpuCheckHost, AMutantMayPassOnHardwareAndIsShown) {
  const HostOutcome outcome = CompareHost(
      "kv_cache", HostNamed("off_by_one"),
      SuiteOf({CaseThat("Cuda.One", Verdict::kAccepted), CaseThat("Cuda.Two", Verdict::kAccepted),
               CaseThat("Cuda.Three", Verdict::kAccepted)}));
  EXPECT_EQ(outcome.emulated, (CaseCount{.failed = 1, .total = 3}));
  EXPECT_EQ(outcome.here, (CaseCount{.failed = 0, .total = 3}));
  EXPECT_THAT(outcome.differences, ElementsAre(CaseDifference{.name = "Cuda.Two",
                                                              .emulated = Verdict::kWrongAnswer,
                                                              .here = Verdict::kAccepted}));
  EXPECT_TRUE(Agrees(outcome));
}

TEST(GpuCheckHost, TwoWaysOfFailingAreNoDifference) {
  const HostOutcome outcome = CompareHost("kv_cache", HostNamed("off_by_one"),
                                          SuiteOf({CaseThat("Cuda.One", Verdict::kSkipped),
                                                   CaseThat("Cuda.Two", Verdict::kRuntimeError)}));
  EXPECT_THAT(outcome.differences, IsEmpty());
  EXPECT_EQ(outcome.here, (CaseCount{.failed = 1, .total = 2}));
}

TEST(GpuCheckHost, ABaselineMustBeRight) {
  SuiteEvidence wrong = SuiteOf({CaseThat("Cuda.One", Verdict::kTimeLimit)});
  wrong.cases[0].detail = "no answer in 10 s";
  EXPECT_EQ(CompareHost("kv_cache", HostNamed("baseline"), wrong).failure,
            "the baseline is not accepted: Cuda.One: no answer in 10 s");
  EXPECT_EQ(CompareHost("kv_cache", HostNamed("a_mutant"), wrong).failure, "");
}

TEST(GpuCheckHost, ABrokenSuiteFailsWhoeverItsHost) {
  EXPECT_EQ(CompareHost("kv_cache", HostNamed("a_mutant"), SuiteOf({})).failure,
            "the suite ran no case");
  EXPECT_EQ(CompareHost("kv_cache", HostNamed("a_mutant"),
                        SuiteOf({CaseThat("Cuda.One", Verdict::kJudgeError)}))
                .failure,
            "Cuda.One ended with judge_error: ");
  const HostOutcome died = CompareHost("kv_cache", HostNamed("a_mutant"), DoesNotStart());
  EXPECT_THAT(died.failure, HasSubstr("is missing"));
  EXPECT_FALSE(Agrees(died));
}

TEST(GpuCheckBench, FailsWithItsProgram) {
  EXPECT_EQ(JudgeBench("c", "n", Ended(0, "3 us\n")),
            (BenchOutcome{.challenge = "c", .name = "n", .printed = "3 us\n"}));
  EXPECT_EQ(JudgeBench("c", "n", Ended(3, "", "no device\n")),
            (BenchOutcome{.challenge = "c",
                          .name = "n",
                          .verdict = BenchVerdict::kFailed,
                          .printed = "no device\n"}));
  EXPECT_FALSE(Agrees(JudgeBench("c", "n", DoesNotStart())));
}

TEST(GpuCheckReport, OneThatDoesNotAgreeIsEnough) {
  GpuCheckReport report;
  report.programs = {{.name = "scan", .detail = {}}};
  report.counters = {{.name = "scan", .verdict = CounterVerdict::kNotCompared}};
  report.hosts = {{.challenge = "kv_cache", .host = "baseline"}};
  report.benches = {{.challenge = "kv_cache", .name = "b"}};
  EXPECT_TRUE(Agrees(report));
  GpuCheckReport program = report;
  program.programs[0].verdict = ProgramVerdict::kTimedOut;
  GpuCheckReport counter = report;
  counter.counters[0].verdict = CounterVerdict::kNotMeasured;
  GpuCheckReport host = report;
  host.hosts[0].failure = "it broke";
  GpuCheckReport bench = report;
  bench.benches[0].verdict = BenchVerdict::kFailed;
  for (const GpuCheckReport* other : {&program, &counter, &host, &bench}) {
    EXPECT_FALSE(Agrees(*other));
  }
}

TEST(ComparedCounters, EachMetricIsOfOneCounter) {
  std::vector<std::string_view> metrics;
  for (const ComparedCounter& counter : ComparedCounters()) {
    metrics.insert(metrics.end(), counter.metrics.begin(), counter.metrics.end());
  }
  EXPECT_THAT(metrics, testing::Each(testing::EndsWith(".sum")));
  const std::set<std::string_view> different(metrics.begin(), metrics.end());
  EXPECT_EQ(different.size(), metrics.size());
}

}  // namespace
}  // namespace assay
