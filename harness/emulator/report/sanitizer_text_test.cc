// SPDX-License-Identifier: Apache-2.0
#include "emulator/report/sanitizer_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "emulator/report/test_reports.h"

namespace assay::gpu {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(SanitizerText, OutOfBounds) {
  EXPECT_EQ(SanitizerText(OutOfBoundsFinding()),
            "========= Invalid __global__ read of size 4 bytes\n"
            "=========     at scale(float*, float, int) in scale.cu:12 (ld.global.f32)\n"
            "=========     by thread (232,0,0) in block (3,0,0)\n"
            "=========     Address 0x7f0000001fa0 is out of bounds\n"
            "=========     and is 1 bytes after the nearest allocation at 0x7f0000001000 of size "
            "4,000 bytes\n");
}

TEST(SanitizerText, DistanceBeforeAndInside) {
  Finding finding = OutOfBoundsFinding();
  finding.nearest->distance_bytes = -1200;
  finding.nearest->name = "table";
  EXPECT_THAT(SanitizerText(finding),
              HasSubstr("and is 1,200 bytes before the nearest allocation at 0x7f0000001000 of "
                        "size 4,000 bytes (table)\n"));
  finding.nearest->distance_bytes = 0;
  finding.kind = FindingKind::kMisaligned;
  EXPECT_THAT(SanitizerText(finding), HasSubstr("is misaligned\n=========     and is inside the "));
  finding.nearest->distance_bytes = std::numeric_limits<std::int64_t>::min();
  EXPECT_THAT(SanitizerText(finding), HasSubstr("9,223,372,036,854,775,808 bytes before"));
}

TEST(SanitizerText, ALongNameIsCutAndGivenOnce) {
  Finding finding = RaceFinding();
  finding.kernel = "void scan<" + std::string(1000, 'x') + ">(int*)";
  const std::string text = SanitizerText(finding);
  EXPECT_THAT(text, HasSubstr(finding.kernel.substr(0, 117) + "... in "));
  EXPECT_THAT(text, HasSubstr("access at the same in "));
  EXPECT_LT(text.size(), 700U);
}

TEST(SanitizerText, ARaceWithOneOfManyNamesOneSide) {
  Finding finding = RaceFinding();
  finding.other.reset();
  EXPECT_THAT(SanitizerText(finding),
              StartsWith("========= Error: Race reported with one of many blocks and "));
}

TEST(SanitizerText, RaceHasBothSites) {
  EXPECT_EQ(SanitizerText(RaceFinding()),
            "========= Error: Race reported between Write access at scale(float*, float, int) in "
            "scale.cu:14 (st.shared.f32)\n"
            "=========     by thread (32,0,0) in block (3,0,0)\n"
            "=========     and Read access at scale(float*, float, int) in scale.cu:15 "
            "(ld.shared.f32) [96 hazards]\n"
            "=========     by thread (0,0,0) in block (3,0,0)\n"
            "=========     on __shared__ address 0x80, 4 bytes\n");
  Finding finding = RaceFinding();
  finding.severity = Severity::kWarning;
  finding.count = 1;
  EXPECT_THAT(SanitizerText(finding), StartsWith("========= Warning: Race reported"));
  EXPECT_THAT(SanitizerText(finding), HasSubstr("[1 hazard]\n"));
}

TEST(SanitizerText, OtherKinds) {
  Finding finding = OutOfBoundsFinding();
  finding.kind = FindingKind::kUninitialized;
  finding.checker = Checker::kInitcheck;
  finding.count = 512;
  EXPECT_THAT(SanitizerText(finding),
              StartsWith("========= Uninitialized __global__ memory read of size 4 bytes\n"));
  EXPECT_THAT(SanitizerText(finding), HasSubstr("512 times in all; the first is shown\n"));
  finding.kind = FindingKind::kDivergentBarrier;
  finding.note = "warp 0 waits at line 12\nwarp 1 has exited";
  EXPECT_THAT(SanitizerText(finding),
              StartsWith("========= Barrier error detected. Divergent thread(s) in block\n"));
  EXPECT_THAT(SanitizerText(finding), HasSubstr("=========     warp 0 waits at line 12\n"
                                                "=========     warp 1 has exited\n"));
  EXPECT_THAT(SanitizerText(finding), Not(HasSubstr("Address")));
  Finding leak;
  leak.kind = FindingKind::kLeak;
  leak.address = 0x7f0000001000;
  leak.nearest = NearestAllocation{
      .address = 0x7f0000001000, .size_bytes = 1024, .distance_bytes = 0, .name = ""};
  EXPECT_EQ(SanitizerText(leak), "========= Leaked 1,024 bytes at 0x7f0000001000\n");
  for (int kind = 0; kind <= static_cast<int>(FindingKind::kHardware); ++kind) {
    finding.kind = static_cast<FindingKind>(kind);
    EXPECT_THAT(SanitizerText(finding), StartsWith("========= ")) << kind;
  }
}

TEST(SanitizerText, WithoutLineinfoThePlaceIsALineOfPtx) {
  Finding finding = OutOfBoundsFinding();
  finding.site.file = "";
  EXPECT_THAT(SanitizerText(finding),
              HasSubstr("at scale(float*, float, int) in PTX line 36 (ld.global.f32)\n"));
}

TEST(SanitizerText, EscapeSequencesDoNotReachTheTerminal) {
  Finding finding = OutOfBoundsFinding();
  finding.kernel = "k\x1b[2J\n";
  finding.note = "a\x1b]0;b";
  EXPECT_THAT(SanitizerText(finding), HasSubstr("at k?[2J? in "));
  EXPECT_THAT(SanitizerText(finding), HasSubstr("a?]0;b\n"));
}

TEST(SanitizerText, LeaksAreSummedAndOnlyTheFirstHundredFindingsAreShown) {
  LaunchReport report;
  for (std::uint64_t i = 0; i < 103; ++i) {
    Finding leak;
    leak.kind = FindingKind::kLeak;
    leak.address = 0x1000 * i;
    leak.nearest = NearestAllocation{
        .address = leak.address, .size_bytes = 5'000'000'000, .distance_bytes = 0, .name = ""};
    report.findings.push_back(leak);
  }
  RunSummary run;
  run.Add(report);
  const std::string text = SanitizerText(run);
  EXPECT_THAT(text, HasSubstr("Leaked 5,000,000,000 bytes at 0x63000\n"));
  EXPECT_THAT(text, Not(HasSubstr("at 0x64000\n")));
  EXPECT_TRUE(
      text.ends_with("========= 3 more are not shown; JSON has all\n"
                     "========= LEAK SUMMARY: 515,000,000,000 bytes leaked in 103 "
                     "allocations\n"
                     "========= ERROR SUMMARY: 103 errors\n"))
      << text.substr(text.size() - 300);
}

TEST(SanitizerText, ARunEndsWithItsSummary) {
  RunSummary run;
  EXPECT_EQ(SanitizerText(run), "========= ERROR SUMMARY: 0 errors\n");
  run.Add(SampleReport());
  const std::string text = SanitizerText(run);
  EXPECT_THAT(text, HasSubstr("\n=========\n========= Error: Race reported"));
  EXPECT_THAT(text, HasSubstr("========= Program hit error 700 in launch 0 of "
                              "scale(float*, float, int)\n"
                              "=========     an illegal memory access was encountered\n"));
  EXPECT_TRUE(text.ends_with("========= ERROR SUMMARY: 2 errors\n")) << text;
  LaunchReport warning;
  warning.findings = {RaceFinding()};
  warning.findings[0].severity = Severity::kWarning;
  run.Add(warning);
  EXPECT_TRUE(SanitizerText(run).ends_with("ERROR SUMMARY: 2 errors, 1 warning\n"));
}

}  // namespace
}  // namespace assay::gpu
