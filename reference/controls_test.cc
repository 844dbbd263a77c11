// SPDX-License-Identifier: Apache-2.0
// Tests all of grading: every control, a whole submission, must get the verdict that its directory
// is named for. One ctest test for each verdict.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "base/temporary.h"
#include "grade/grade_cell.h"
#include "reference_test_support.h"
#include "spec/submission_spec.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// A submission sees no file but its own, so headers that controls share are copied beside their
/// sources: those of controls/ and, for a control that is made of it, the baseline's.
void StageControl(const ReferenceUnderTest& reference, const fs::path& control,
                  const fs::path& staged) {
  fs::copy(control, staged, fs::copy_options::recursive);
  for (const fs::directory_entry& entry :
       fs::directory_iterator(control.parent_path().parent_path())) {
    if (entry.path().extension() == ".h") {
      fs::copy(entry.path(), staged);
    }
  }
  fs::copy(reference.Directory() / "baseline.h", staged);
}

Result<Evidence> Grade(const fs::path& control, GradeDepth depth) {
  const ReferenceUnderTest reference = Reference();
  const ChallengeSpec challenge = ChallengeUnderTest(reference);
  ASSAY_ASSIGN_OR_RETURN(const TemporaryDirectory scratch,
                         TemporaryDirectory::Create(reference.TemporaryRoot(), control.filename()));
  const fs::path staged = scratch.path() / "submission";
  StageControl(reference, control, staged);
  Checked<SubmissionSpec> submission = ReadSubmission(staged, challenge, control.filename());
  if (!submission) {
    return std::unexpected(submission.error().front());
  }
  NoProgress progress;
  return GradeCell({.challenge = challenge,
                    .submission = *std::move(submission),
                    .model = {.directory = {},
                              .id = control.filename(),
                              .name = control.filename(),
                              .source = {}},
                    .digests = {},
                    .installation = reference.installation,
                    .level = LevelUnderTest(),
                    .seed = SeedUnderTest(),
                    .depth = depth,
                    .temporary_root = scratch.path()},
                   progress);
}

class Controls : public testing::TestWithParam<std::string> {};

TEST_P(Controls, GetTheVerdictOfTheirDirectory) {
  const std::string& expected = GetParam();
  const fs::path group = Reference().Directory() / "controls" / expected;
  fmt::print("seed {}, sandbox {}\n", SeedUnderTest(), ToString(LevelUnderTest()));
  fmt::print("{:<30} | {:<13} | {:<13} | {}\n", "control", "expected", "got", "why");
  for (const std::string& name : NamesIn(group)) {
    const Result<Evidence> evidence = Grade(group / name, GradeDepth::kVerdict);
    const std::string got(ToString(evidence ? evidence->verdict : Verdict::kJudgeError));
    const std::string why = evidence ? evidence->verdict_detail : ToString(evidence.error());
    fmt::print("{:<30} | {:<13} | {:<13} | {}\n", name, expected, got, Column(why, 110));
    std::fflush(stdout);
    EXPECT_EQ(got, expected) << name << ": " << why;
    EXPECT_EQ(evidence && evidence->repair, fs::exists(group / name / "patches")) << name;
  }
}

std::vector<std::string> Verdicts() {
  std::vector<std::string> verdicts;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(Reference().Directory() / "controls")) {
    if (entry.is_directory()) {
      verdicts.push_back(entry.path().filename());
    }
  }
  std::ranges::sort(verdicts);
  return verdicts;
}

INSTANTIATE_TEST_SUITE_P(Reference, Controls, testing::ValuesIn(Verdicts()),
                         [](const auto& group) { return group.param; });

/// The one test of a time: of a ratio of two, within limits wide enough for a machine that others
/// use too. It catches submission and baseline in each other's place, and a clock that the work
/// does not move.
TEST(Timing, TwiceTheWorkTakesNearTwiceTheTime) {
  const fs::path control = Reference().Directory() / "controls/accepted/twice_as_slow";
  const Result<Evidence> evidence = Grade(control, GradeDepth::kTimed);
  ASSERT_TRUE(evidence) << ToString(evidence.error());
  EXPECT_EQ(evidence->verdict, Verdict::kAccepted) << evidence->verdict_detail;
  ASSERT_FALSE(evidence->bench.workloads.empty());
  double log_sum = 0;
  for (const WorkloadEvidence& workload : evidence->bench.workloads) {
    fmt::print("{:<30} | ratio {:.2f} [{:.2f}, {:.2f}]\n", workload.name, workload.ratio,
               workload.ratio_low, workload.ratio_high);
    log_sum += std::log(workload.ratio);
  }
  const double ratio = std::exp(log_sum / static_cast<double>(evidence->bench.workloads.size()));
  EXPECT_GT(ratio, 1.4);
  EXPECT_LT(ratio, 3.5);
}

}  // namespace
}  // namespace assay
