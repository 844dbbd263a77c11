// SPDX-License-Identifier: Apache-2.0
#include "gpu/programs/annotations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace assay::gpu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Finding Race(std::uint32_t line, std::uint32_t other_line) {
  Finding finding;
  finding.checker = Checker::kRacecheck;
  finding.kind = FindingKind::kReadAfterWrite;
  finding.site.file = "/somewhere/program.cu";
  finding.site.line = line;
  finding.other.emplace();
  finding.other->file = "program.cu";
  finding.other->line = other_line;
  return finding;
}

TEST(AnnotationsTest, TakesWhatCommentsSay) {
  const auto annotations = ParseAnnotations("program.cu",
                                            "// COUNTERS: vary\n"
                                            "x[i] = 1;  // BUG: racecheck "
                                            "write_after_write|read_after_write\n"
                                            "cudaFree(x);  // BUG: memcheck invalid_free host\n"
                                            "// COUNT: Copy global_load.sectors 128\n"
                                            "// COUNT: Copy branches 2 from CUDA 13\n"
                                            "// LIMIT: 1000\n"
                                            "// REPORTED: 2\n"
                                            "y = *x;  // WARNING: racecheck atomic_mix\n"
                                            "*x = 1;  // INFO: racecheck write_after_write\n"
                                            "// FINDINGS: any");
  ASSERT_TRUE(annotations.has_value());
  ASSERT_EQ(annotations->findings.size(), 4U);
  EXPECT_EQ(annotations->findings[0].severity, std::nullopt);
  EXPECT_EQ(annotations->findings[2].severity, Severity::kWarning);
  EXPECT_EQ(annotations->findings[3].severity, Severity::kInfo);
  EXPECT_EQ(annotations->reported, 2U);
  EXPECT_EQ(annotations->findings[0].line, 2U);
  EXPECT_EQ(annotations->findings[0].checker, Checker::kRacecheck);
  EXPECT_THAT(annotations->findings[0].kinds,
              ElementsAre(FindingKind::kWriteAfterWrite, FindingKind::kReadAfterWrite));
  EXPECT_TRUE(annotations->findings[1].on_host);
  ASSERT_EQ(annotations->counts.size(), 2U);
  EXPECT_EQ(annotations->counts[0].kernel, "Copy");
  EXPECT_EQ(annotations->counts[0].value, 128U);
  EXPECT_EQ(annotations->counts[0].from_cuda, 0);
  EXPECT_EQ(annotations->counts[1].value, 2U);
  EXPECT_EQ(annotations->counts[1].from_cuda, 13);
  EXPECT_EQ(annotations->instruction_limit, 1000U);
  EXPECT_TRUE(annotations->any_findings);
  EXPECT_EQ(annotations->any_findings_before_cuda, 0);
  EXPECT_EQ(
      ParseAnnotations("program.cu", "// FINDINGS: any before CUDA 12\n")->any_findings_before_cuda,
      12);
  EXPECT_TRUE(annotations->counters_vary);
}

TEST(AnnotationsTest, AWrongWordIsAnErrorWithItsLine) {
  for (const char* text : {"\nx;  // BUG: memcheck no_such_kind", "\nx;  // BUG: nocheck leak",
                           "\n// FINDINGS: any before CUDA", "\n// FINDINGS: any before CUDA x",
                           "\n// COUNT: Copy global_load.no_such_counter 1", "\n// LIMIT: many",
                           "\n// COUNT: Copy branches 2 from CUDA x", "\n// REPORTED: some",
                           "\nx;  // INFO: no_such_kind"}) {
    const auto annotations = ParseAnnotations("program.cu", text);
    ASSERT_FALSE(annotations.has_value()) << text;
    EXPECT_EQ(annotations.error().where, "program.cu:2");
  }
}

TEST(AnnotationsTest, ARaceIsFoundAtEitherOfItsSites) {
  const std::vector<ExpectedFinding> expected = {
      {.line = 7, .checker = Checker::kRacecheck, .kinds = {FindingKind::kReadAfterWrite}}};
  EXPECT_THAT(Differences(expected, std::vector{Race(7, 9)}, "program.cu"), IsEmpty());
  EXPECT_THAT(Differences(expected, std::vector{Race(9, 7)}, "program.cu"), IsEmpty());
  EXPECT_THAT(Differences(expected, std::vector{Race(7, 9)}, "other.cu"), HasSubstr("missing"));
  EXPECT_THAT(Differences(expected, std::vector{Race(8, 9)}, "program.cu"),
              HasSubstr("not expected"));
  EXPECT_THAT(Differences(expected, std::vector<Finding>{}, "program.cu"), HasSubstr("line 7"));
}

TEST(AnnotationsTest, AWarningIsNoError) {
  const std::vector<ExpectedFinding> expected = {{.line = 7,
                                                  .checker = Checker::kRacecheck,
                                                  .kinds = {FindingKind::kReadAfterWrite},
                                                  .severity = Severity::kWarning}};
  Finding race = Race(7, 9);
  EXPECT_THAT(Differences(expected, std::vector{race}, "program.cu"),
              HasSubstr("not expected: error"));
  race.severity = Severity::kWarning;
  EXPECT_THAT(Differences(expected, std::vector{race}, "program.cu"), IsEmpty());
}

TEST(AnnotationsTest, FindsCountersByName) {
  LaunchCounters counters;
  counters.barriers = 3;
  counters.shared_load.wavefronts = 9;
  EXPECT_EQ(FindCounter(counters, "barriers"), 3U);
  EXPECT_EQ(FindCounter(counters, "shared_load.wavefronts"), 9U);
  EXPECT_EQ(FindCounter(counters, "shared_load.nothing"), std::nullopt);
  EXPECT_EQ(FindCounter(counters, "nothing"), std::nullopt);
}

}  // namespace
}  // namespace assay::gpu
