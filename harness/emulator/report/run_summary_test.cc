// SPDX-License-Identifier: Apache-2.0
#include "emulator/report/run_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "emulator/report/test_reports.h"

namespace assay::gpu {
namespace {

using ::testing::SizeIs;

TEST(RunSummary, LaunchesOfOneKernelAreOne) {
  RunSummary run;
  run.Add(SampleReport());
  LaunchReport second = SampleReport();
  second.launch = 1;
  second.grid = {8, 1, 1};
  second.modelled_time_ns = 5000;
  second.modelled_limiter = "issue";
  run.Add(second);
  LaunchReport other = SampleReport();
  other.kernel = "other()";
  run.Add(other);
  ASSERT_THAT(run.kernels(), SizeIs(2));
  const KernelSummary& kernel = run.kernels()[0];
  EXPECT_EQ(kernel.launches, 2U);
  EXPECT_TRUE(kernel.shapes_differ);
  EXPECT_FALSE(run.kernels()[1].shapes_differ);
  EXPECT_EQ(kernel.counters.warp_instructions, 2000U);
  EXPECT_EQ(kernel.modelled_time_ns, 7104.25);
  EXPECT_EQ(kernel.modelled_limiter, "issue");
  ASSERT_THAT(kernel.lines, SizeIs(1));
  EXPECT_EQ(kernel.lines.begin()->second.memory.bytes, 8008U);
  EXPECT_EQ(kernel.lines.begin()->second.divergent_branches, 4U);
  EXPECT_EQ(run.launches(), 3U);
}

TEST(RunSummary, OneFaultInManyLaunchesIsOneFinding) {
  RunSummary run;
  for (std::uint64_t launch = 0; launch < 3; ++launch) {
    LaunchReport report = SampleReport();
    report.launch = launch;
    report.findings[0].address += launch;
    run.Add(report);
  }
  ASSERT_THAT(run.findings(), SizeIs(2));
  EXPECT_EQ(run.findings()[0].count, 3U);
  EXPECT_EQ(run.findings()[0].address, OutOfBoundsFinding().address);
  EXPECT_EQ(run.findings()[1].count, 3U * 96);
  ASSERT_THAT(run.errors(), SizeIs(1));
  EXPECT_EQ(run.errors()[0].count, 3U);
  EXPECT_EQ(run.finding_counts().errors, 2U);
}

TEST(RunSummary, OtherPlacesAreOtherFindings) {
  LaunchReport report;
  Finding finding = OutOfBoundsFinding();
  report.findings.push_back(finding);
  finding.site.line = 13;
  report.findings.push_back(finding);
  finding.severity = Severity::kWarning;
  report.findings.push_back(finding);
  finding.kind = FindingKind::kMisaligned;
  finding.severity = Severity::kInfo;
  report.findings.push_back(finding);
  RunSummary run;
  run.Add(report);
  EXPECT_THAT(run.findings(), SizeIs(4));
  EXPECT_EQ(run.finding_counts().errors, 2U);
  EXPECT_EQ(run.finding_counts().warnings, 1U);
  EXPECT_EQ(run.finding_counts().infos, 1U);
  EXPECT_EQ(run.launches(), 0U);  // A report without a kernel is of the host.
}

TEST(RunSummary, ARaceIsOneInEitherOrder) {
  LaunchReport report;
  Finding race = RaceFinding();
  race.kind = FindingKind::kReadAfterWrite;
  report.findings.push_back(race);
  std::swap(race.site, *race.other);
  race.kind = FindingKind::kWriteAfterRead;
  report.findings.push_back(race);
  race.kind = FindingKind::kWriteAfterWrite;
  report.findings.push_back(race);
  RunSummary run;
  run.Add(report);
  EXPECT_THAT(run.findings(), SizeIs(2));
}

TEST(RunSummary, WhatWasRefusedCounts) {
  LaunchReport refused;  // Of a call.
  refused.error = 801;
  refused.error_detail = "cudaMallocArray is not supported by the emulated GPU";
  RunSummary run;
  run.Add(refused);
  run.Add(refused);
  EXPECT_EQ(run.finding_counts().errors, 1U);
  LaunchReport faulted = SampleReport();  // Whose finding says why.
  ASSERT_NE(faulted.error, 0);
  run.Add(faulted);
  EXPECT_EQ(run.finding_counts().errors, 1U + 2U);
}

TEST(RunSummary, LeaksOfSeveralAllocationsStayApart) {
  LaunchReport report;
  Finding leak;
  leak.kind = FindingKind::kLeak;
  leak.address = 0x1000;
  report.findings.push_back(leak);
  leak.address = 0x2000;
  report.findings.push_back(leak);
  RunSummary run;
  run.Add(report);
  EXPECT_THAT(run.findings(), SizeIs(2));
}

}  // namespace
}  // namespace assay::gpu
