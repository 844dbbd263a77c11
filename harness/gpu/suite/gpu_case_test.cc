// SPDX-License-Identifier: Apache-2.0
// A suite with CUDA operations as a process of its own, as a grader runs it, against a host that
// gets wrong what each case tells it to.
#include "gpu/suite/gpu_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "client/main_test_support.h"
#include "sandbox/capabilities.h"

namespace assay::gpu {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

constexpr char kHost[] = ASSAY_TESTHOSTS "/scale_host";

ProgramRun RunScale(const std::string& filter, std::vector<std::string> arguments = {}) {
  arguments.push_back("--assay_host=" + std::string(kHost));
  arguments.push_back("--gtest_filter=" + filter);
  arguments.emplace_back("--assay_device_instructions=20000000");
  arguments.push_back(std::string("--assay_level=") +
                      std::string(ToString(DetectCapabilities().level)));
  return RunProgram("scale_suite", std::move(arguments));
}

struct Expectation {
  std::string name;
  Verdict verdict;
  std::string detail;
  DeviceFinding finding = {};  ///< Checker and part of the one that the run keeps; empty: none.
};

std::string NameOf(const testing::TestParamInfo<Expectation>& info) { return info.param.name; }

class GpuCase : public testing::TestWithParam<Expectation> {};

TEST_P(GpuCase, EndsAsItMust) {
  const Expectation& wanted = GetParam();
  const ProgramRun run = RunScale("Scale." + wanted.name);
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  const CaseEvidence found = run.Case("Scale." + wanted.name);
  EXPECT_EQ(ToString(found.verdict), ToString(wanted.verdict)) << found.detail;
  EXPECT_THAT(found.detail, HasSubstr(wanted.detail));
  if (wanted.finding == DeviceFinding{}) {
    EXPECT_THAT(run.results.suite.device_findings, IsEmpty());
  } else {
    EXPECT_THAT(run.results.suite.device_findings,
                Contains(AllOf(Field(&DeviceFinding::checker, wanted.finding.checker),
                               Field(&DeviceFinding::text, HasSubstr(wanted.finding.text)))));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Modes, GpuCase,
    testing::Values(
        Expectation{"Right", Verdict::kAccepted, ""},
        Expectation{"Scalars", Verdict::kAccepted, ""},
        Expectation{"NoRows", Verdict::kAccepted, ""},
        Expectation{"RefusesAndWritesNothing", Verdict::kAccepted, ""},
        Expectation{"RefusesWhatItMustNot", Verdict::kWrongAnswer,
                    "scale_rows returned 2 instead of 0"},
        Expectation{"Wrong", Verdict::kWrongAnswer, "y: 185 of 185 outside their bound"},
        Expectation{"LeavesLast", Verdict::kWrongAnswer, "y: element 36 was never written"},
        Expectation{"SideStream", Verdict::kWrongAnswer, "y: element 0 was never written"},
        Expectation{"JoinedSideStream", Verdict::kAccepted, ""},
        Expectation{"AsksStream", Verdict::kAccepted, ""},
        Expectation{"LateInputs", Verdict::kAccepted, ""},
        Expectation{"LateInputsOfJoinedSideStream",
                    Verdict::kRuntimeError,
                    "initcheck: Uninitialized __global__ memory read of size 4 bytes",
                    {"initcheck", "uninitialized of 4 bytes"}},
        Expectation{"LateInputsOnAStreamThatIsAsked", Verdict::kWrongAnswer,
                    "scale_rows returned 4 instead of 0"},
        Expectation{"WritesInput", Verdict::kWrongAnswer,
                    "input of scale_rows was written: argument 2, row 0, byte "},
        Expectation{"WritesGap", Verdict::kWrongAnswer, "wrote beside argument 2 of scale_rows"},
        Expectation{"Race",
                    Verdict::kRuntimeError,
                    "racecheck: Error: Race reported between",
                    {"racecheck", "read after write of 4 bytes of shared memory at scale.cu:"}},
        Expectation{"ReadsPastEnd",
                    Verdict::kRuntimeError,
                    "memcheck: Invalid __global__ read of size 4 bytes at",
                    {"memcheck", "out of bounds of 4 bytes of global memory at scale.cu:"}},
        Expectation{"ReadsGap",
                    Verdict::kRuntimeError,
                    "initcheck: Uninitialized __global__ memory read of size 4 bytes",
                    {"initcheck", "uninitialized of 4 bytes"}},
        Expectation{"ReadsOutput",
                    Verdict::kRuntimeError,
                    "initcheck: Uninitialized __global__ memory read of size 4 bytes",
                    {"initcheck", "uninitialized of 4 bytes"}},
        Expectation{"ReadsWorkspace",
                    Verdict::kRuntimeError,
                    "initcheck: Uninitialized __global__ memory read of size 4 bytes",
                    {"initcheck", "uninitialized of 4 bytes"}},
        Expectation{
            "Traps", Verdict::kRuntimeError, "Trap instruction executed", {"memcheck", "trap"}},
        Expectation{"FreesInput",
                    Verdict::kRuntimeError,
                    "Program hit an invalid free",
                    {"memcheck", "invalid free"}},
        Expectation{"Dereferences", Verdict::kRuntimeError, "killed by SIGSEGV"},
        Expectation{"Endless", Verdict::kTimeLimit,
                    "did not end within the limit of instructions (20000000 of threads)"},
        Expectation{"OutOfMemory", Verdict::kMemoryLimit,
                    "the device's memory is full in scale_rows, which returned 4"}),
    NameOf);

TEST(GpuSuite, EverySecondCaseHasAHostAsGoodAsNew) {
  const ProgramRun run = RunScale("Scale.Right:Scale.Traps:Scale.OutOfMemory:Scale.Dereferences",
                                  {"--gtest_repeat=2"});
  std::vector<std::string> verdicts;
  for (const CaseEvidence& one : run.results.suite.cases) {
    verdicts.emplace_back(ToString(one.verdict));
  }
  EXPECT_THAT(verdicts, SizeIs(8));
  EXPECT_THAT(verdicts, Not(Contains("judge_error"))) << run.errors;
  EXPECT_EQ(run.Case("Scale.Right").verdict, Verdict::kAccepted);
  EXPECT_EQ(verdicts.at(4), "accepted");
}

TEST(GpuSuite, WhatAKernelNeedsAndWeLackIsSkippedAndMarked) {
  const ProgramRun run = RunScale("Scale.Unsupported:Scale.Right");
  EXPECT_EQ(run.Case("Scale.Unsupported").verdict, Verdict::kSkipped);
  EXPECT_EQ(run.Case("Scale.Unsupported").skip_cause, SkipCause::kDeviceLacks);
  EXPECT_THAT(run.Case("Scale.Unsupported").detail,
              AllOf(StartsWith("the emulated GPU lacks what it needs: "), HasSubstr("tex.1d")));
  EXPECT_THAT(run.results.suite.device_lacks, ElementsAre(HasSubstr("tex.1d")));
  EXPECT_THAT(run.results.suite.device_findings, IsEmpty());
  EXPECT_EQ(run.Case("Scale.Right").verdict, Verdict::kAccepted);
}

TEST(GpuSuite, WhatTheRuntimeLacksIsSkippedAndMarked) {
  const ProgramRun run = RunScale("Scale.Texture");
  EXPECT_EQ(run.Case("Scale.Texture").verdict, Verdict::kSkipped);
  EXPECT_EQ(run.Case("Scale.Texture").skip_cause, SkipCause::kDeviceLacks);
  EXPECT_THAT(run.results.suite.device_lacks, ElementsAre(HasSubstr("cudaCreateTextureObject")));
}

TEST(GpuSuite, LaunchesAreCountedAndKept) {
  const ProgramRun run = RunScale("Scale.Counters");
  EXPECT_EQ(run.results.suite.metrics.at("launches"), 2);
  EXPECT_EQ(run.results.suite.metrics.at("load_bytes"), 2 * 5 * 37 * 4);
  ASSERT_THAT(run.results.suite.launches, SizeIs(2));
  const LaunchEvidence& launch = run.results.suite.launches[0];
  EXPECT_EQ(launch.operation, "scale_rows");
  EXPECT_EQ(launch.label, "scale_rows 5x37");
  EXPECT_THAT(launch.kernel, HasSubstr("Scale("));
  EXPECT_EQ(launch.gpu, "NVIDIA A100-SXM4-80GB");
  EXPECT_EQ(launch.values.at("smsp__sass_data_bytes_mem_global_op_ld.sum"), 5 * 37 * 4);
}

TEST(GpuSuite, WhatAHostKeepsOfItsDeviceIsSeen) {
  const ProgramRun run = RunScale("Scale.Keeps");
  EXPECT_EQ(run.results.suite.metrics.at("kept_bytes_of_a_right_call"), 0);
  EXPECT_EQ(run.results.suite.metrics.at("kept_bytes_of_two_calls"), 2 * 4096);
}

TEST(GpuSuite, WhatBringsLateInputsIsNotTheSubmissions) {
  const ProgramRun run = RunScale("Scale.LateInputs");
  EXPECT_EQ(run.results.suite.metrics.at("bytes_copied_beside_late_inputs"), 0);
  EXPECT_EQ(run.results.suite.metrics.at("kept_bytes_of_late_calls"), 0);
  EXPECT_THAT(run.Case("Scale.LateInputs").answered, ElementsAre("scale_rows"));
}

TEST(GpuSuite, RightCasesInWhichItsKernelsRanAreCounted) {
  const ProgramRun run = RunScale(
      "Scale.Right:Scale.Counters:Scale.Wrong:Scale.Race:Scale.RefusesAndWritesNothing:"
      "Scale.Unsupported");
  EXPECT_EQ(run.results.suite.metrics.at("device_cases_right"), 2);
  const ProgramRun wrong = RunScale("Scale.Wrong:Scale.Race:Scale.RefusesAndWritesNothing");
  EXPECT_FALSE(wrong.results.suite.metrics.contains("device_cases_right"));
}

TEST(GpuSuite, BaselineHasItsOwnHostAndItsFaultsAreOurs) {
  const std::string baseline = "--assay_baseline=" + std::string(kHost);
  EXPECT_EQ(RunScale("Scale.BaselineHasItsOwnHost", {baseline})
                .Case("Scale.BaselineHasItsOwnHost")
                .verdict,
            Verdict::kAccepted);
  const ProgramRun wrong = RunScale("Scale.BaselineThatIsWrong", {baseline});
  EXPECT_EQ(wrong.exit_code, 3);
  EXPECT_THAT(wrong.results.judge_error, HasSubstr("the baseline: memcheck: Invalid"));
  EXPECT_THAT(wrong.results.suite.device_findings, IsEmpty());
  const ProgramRun none = RunScale("Scale.BaselineThatIsWrong");
  EXPECT_THAT(none.results.judge_error, HasSubstr("give its host as --assay_baseline"));
}

TEST(GpuSuite, RoleWithoutADeviceIsAFaultOfTheSuite) {
  const ProgramRun run = RunScale("Scale.RoleWithoutDevice");
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.results.judge_error, HasSubstr("the role forward has no device"));
}

TEST(GpuSuite, RowsMayLieGigabytesApart) {
  const ProgramRun run = RunScale("Scale.RowsFarApart");
  EXPECT_EQ(run.Case("Scale.RowsFarApart").verdict, Verdict::kAccepted)
      << run.Case("Scale.RowsFarApart").detail;
}

TEST(GpuSuite, SameSeedSameFindings) {
  const ProgramRun first = RunScale("Scale.ReadsPastEnd");
  const ProgramRun second = RunScale("Scale.ReadsPastEnd");
  EXPECT_EQ(first.Case("Scale.ReadsPastEnd").detail, second.Case("Scale.ReadsPastEnd").detail);
}

}  // namespace
}  // namespace assay::gpu
