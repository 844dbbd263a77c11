// SPDX-License-Identifier: Apache-2.0
#include "gpu/suite/device_verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace assay::gpu {
namespace {

using remote::Call;
using remote::DeviceRecord;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Site WriteAt(std::uint32_t line) {
  Site site;
  site.file = "/a/b/softmax.cu";
  site.line = line;
  site.access = AccessKind::kWrite;
  return site;
}

Finding Race(std::uint64_t address) {
  return {.checker = Checker::kRacecheck,
          .kind = FindingKind::kWriteAfterWrite,
          .kernel = "Merge(float*)",
          .site = WriteAt(71),
          .space = MemorySpace::kShared,
          .address = address,
          .size_bytes = 4,
          .other = WriteAt(70)};
}

DeviceRecord RecordOf(LaunchReport report) {
  DeviceRecord record;
  record.reports.push_back(std::move(report));
  return record;
}

LaunchReport Launch(int error = 0, std::string detail = "") {
  LaunchReport report{.kernel = "Merge(float*)"};
  report.error = error;
  report.error_detail = std::move(detail);
  return report;
}

TEST(JudgeRecord, NothingSaidIsNothingFailed) {
  const DeviceVerdict verdict = JudgeRecord(RecordOf(Launch()));
  EXPECT_FALSE(verdict.failure.has_value());
  EXPECT_TRUE(verdict.had_memory);
  EXPECT_FALSE(verdict.is_broken);
}

TEST(JudgeRecord, FirstFindingIsTheFailureAndEachPlaceIsListedOnce) {
  LaunchReport report = Launch();
  report.findings = {Race(0x100), Race(0x200)};
  const DeviceVerdict verdict = JudgeRecord(RecordOf(report));
  ASSERT_TRUE(verdict.failure.has_value());
  EXPECT_EQ(verdict.failure->verdict, Verdict::kRuntimeError);
  EXPECT_THAT(verdict.failure->detail, HasSubstr("__shared__ address 0x100"));
  EXPECT_THAT(verdict.findings,
              ElementsAre(DeviceFinding{
                  .checker = "racecheck",
                  .text = "write after write of 4 bytes of shared memory at softmax.cu:71 in "
                          "Merge(float*), after an access at softmax.cu:70"}));
}

TEST(JudgeRecord, WarningsAreNoFailures) {
  LaunchReport report = Launch();
  report.findings = {Race(0x100)};
  report.findings[0].severity = Severity::kWarning;
  const DeviceVerdict verdict = JudgeRecord(RecordOf(report));
  EXPECT_FALSE(verdict.failure.has_value());
  EXPECT_THAT(verdict.findings, IsEmpty());
}

TEST(JudgeRecord, FindingsOfCallsFromTheHostCount) {
  LaunchReport report;
  report.findings = {{.kind = FindingKind::kInvalidFree, .address = 0x10}};
  EXPECT_EQ(JudgeRecord(RecordOf(report)).failure.value().verdict, Verdict::kRuntimeError);
}

TEST(JudgeRecord, WatchdogIsATimeLimitAndAFaultIsNot) {
  LaunchReport endless = Launch(702, "the kernel did not end");
  endless.findings = {{.kind = FindingKind::kWatchdog}};
  const DeviceVerdict late = JudgeRecord(RecordOf(endless));
  EXPECT_EQ(late.failure.value().verdict, Verdict::kTimeLimit);
  EXPECT_THAT(late.failure->detail, HasSubstr("Merge(float*): CUDA error 702: the kernel did"));
  EXPECT_THAT(late.findings, IsEmpty());
  EXPECT_TRUE(late.is_broken);
  EXPECT_EQ(JudgeRecord(RecordOf(Launch(700, "illegal"))).failure.value().verdict,
            Verdict::kRuntimeError);
}

TEST(JudgeRecord, UnsupportedKernelIsALackAndSkipped) {
  LaunchReport report = Launch(801, "tex.1d is not supported");
  report.findings = {{.kind = FindingKind::kUnsupported, .note = "tex.1d is not supported"}};
  DeviceRecord record = RecordOf(report);
  record.refusals = {{Call::kLaunch, 801, "tex.1d is not supported"}};
  const DeviceVerdict verdict = JudgeRecord(record);
  EXPECT_EQ(verdict.failure.value().verdict, Verdict::kSkipped);
  EXPECT_THAT(verdict.lacks, ElementsAre(HasSubstr("tex.1d is not supported")));
  EXPECT_THAT(verdict.findings, IsEmpty());
}

TEST(JudgeRecord, FindingsAreGraverThanLacks) {
  LaunchReport report = Launch(801, "tex.1d is not supported");
  report.findings = {Race(0x100)};
  const DeviceVerdict verdict = JudgeRecord(RecordOf(report));
  EXPECT_EQ(verdict.failure.value().verdict, Verdict::kRuntimeError);
  EXPECT_THAT(verdict.lacks, ElementsAre("Merge(float*): CUDA error 801: tex.1d is not supported"));
}

TEST(JudgeRecord, ModuleThatWeCannotReadIsALack) {
  for (const int error : {218, 801}) {
    DeviceRecord record;
    record.refusals = {{Call::kLoadModule, error, "line 7: wgmma"}};
    EXPECT_THAT(JudgeRecord(record).lacks, ElementsAre("module: line 7: wgmma")) << error;
  }
}

TEST(JudgeRecord, RefusedLaunchThatWeLackIsALack) {
  DeviceRecord record;
  record.refusals = {{Call::kLaunch, 801, "grids of less than 2^32 blocks"}};
  EXPECT_EQ(JudgeRecord(record).failure.value().verdict, Verdict::kSkipped);
}

TEST(JudgeRecord, WhatTheHostSaysItLacksEndsNothing) {
  DeviceRecord record;
  record.refusals = {{Call::kModel, 801, "cudaMallocArray is not supported"}};
  const DeviceVerdict verdict = JudgeRecord(record);
  EXPECT_FALSE(verdict.failure.has_value());
  EXPECT_THAT(verdict.lacks, IsEmpty());
  EXPECT_THAT(verdict.told_lacks, ElementsAre("cudaMallocArray is not supported"));
}

TEST(JudgeRecord, RefusalsSayWhy) {
  DeviceRecord record;
  record.refusals = {{Call::kAllocate, 2, "full"}, {Call::kLaunch, 9, "2000 threads in a block"}};
  const DeviceVerdict verdict = JudgeRecord(record);
  EXPECT_FALSE(verdict.had_memory);
  EXPECT_FALSE(verdict.failure.has_value());
  EXPECT_THAT(verdict.refusals, ElementsAre("allocation: full", "launch: 2000 threads in a block"));
}

TEST(JudgeRecord, LaunchesThatWereNotKeptCouldHideFindings) {
  DeviceRecord record = RecordOf(Launch());
  record.reports_left_out = 3;
  EXPECT_EQ(JudgeRecord(record).failure.value().verdict, Verdict::kOutputLimit);
}

TEST(FindingLine, HasNoBarsAndNoControlCharacters) {
  Finding finding = Race(0x100);
  finding.kernel = "Me\x1Brge\n=====(float*)";
  const std::string line = FindingLine(finding);
  EXPECT_THAT(line, testing::StartsWith("racecheck: Error: Race reported between Write access at"));
  EXPECT_EQ(line.find('\x1B'), std::string::npos);
  EXPECT_EQ(line.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace assay::gpu
