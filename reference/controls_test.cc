// SPDX-License-Identifier: Apache-2.0
// Tests all of grading: every control, a whole submission, must get the verdict that its directory
// is named for. One ctest test for each verdict.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "base/temporary.h"
#include "grade/grade_cell.h"
#include "reference_test_support.h"
#include "score/scorecard.h"
#include "spec/rubric.h"
#include "spec/submission_spec.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

bool IsHeader(const fs::path& file) {
  return file.extension() == ".h" || file.extension() == ".cuh";
}

/// baseline.h, baseline_cuda.cuh, what it includes, and what makes functions of it; never the
/// oracle.
bool IsOfBaseline(const fs::path& file) {
  return IsHeader(file) &&
         (file.stem() == "export" || file.stem().string().starts_with("baseline"));
}

/// A submission sees no file but its own, so headers that controls share are copied beside their
/// sources: those of controls/ and, for a control that is made of it, the baseline's.
void StageControl(const ReferenceUnderTest& reference, const fs::path& control,
                  const fs::path& staged) {
  fs::copy(control, staged, fs::copy_options::recursive);
  for (const fs::directory_entry& entry :
       fs::directory_iterator(control.parent_path().parent_path())) {
    if (IsHeader(entry.path())) {
      fs::copy(entry.path(), staged);
    }
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(reference.Directory())) {
    if (IsOfBaseline(entry.path())) {
      fs::copy(entry.path(), staged);
    }
  }
}

Result<Evidence> Grade(const ChallengeSpec& challenge, const fs::path& control, GradeDepth depth) {
  const ReferenceUnderTest reference = Reference();
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

/// With the limits of challenge.yaml; only where each control meets that of time is it shorter,
/// since it is waited for.
ChallengeSpec ChallengeForControls(const std::string& expected) {
  constexpr int kShortTimeLimit_ms = 3000;
  ChallengeSpec challenge = ChallengeUnderTest(Reference());
  if (expected == ToString(Verdict::kTimeLimit)) {
    challenge.limits.case_time_limit_ms = kShortTimeLimit_ms;
  }
  return challenge;
}

class Controls : public testing::TestWithParam<std::string> {};

TEST_P(Controls, GetTheVerdictOfTheirDirectory) {
  const std::string& expected = GetParam();
  const fs::path group = Reference().Directory() / "controls" / expected;
  const ChallengeSpec challenge = ChallengeForControls(expected);
  fmt::print("seed {}, sandbox {}\n", SeedUnderTest(), ToString(LevelUnderTest()));
  fmt::print("{:<30} | {:<13} | {:<13} | {}\n", "control", "expected", "got", "why");
  for (const std::string& name : NamesIn(group)) {
    const Result<Evidence> evidence = Grade(challenge, group / name, GradeDepth::kVerdict);
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

/// Geometric mean over the workloads that were timed, of the time in units of the baseline's;
/// prints each, and why another was not.
double MeanRatio(const Evidence& evidence) {
  double log_sum = 0;
  int timed = 0;
  for (const WorkloadEvidence& workload : evidence.bench.workloads) {
    fmt::print("{:<30} | {:<30} | ", evidence.model, workload.name);
    if (workload.verdict != Verdict::kAccepted) {
      fmt::print("{}: {}\n", ToString(workload.verdict), Column(workload.detail, 100));
      continue;
    }
    fmt::print("ratio {:.2f} [{:.2f}, {:.2f}]\n", workload.ratio, workload.ratio_low,
               workload.ratio_high);
    log_sum += std::log(workload.ratio);
    ++timed;
  }
  return timed == 0 ? 0 : std::exp(log_sum / timed);
}

/// How many of its workloads ended so.
std::ptrdiff_t CountWorkloads(Verdict verdict, const Evidence& evidence) {
  return std::ranges::count(evidence.bench.workloads, verdict, &WorkloadEvidence::verdict);
}

/// The one test of a time: of ratios, within limits wide enough for a machine that others use too.
/// It catches submission and baseline in each other's place, a clock that the work does not move,
/// and a rubric to which speed is nothing.
TEST(Timing, TwiceTheWorkTakesNearTwiceTheTimeAndRanksBelow) {
  const fs::path accepted = Reference().Directory() / "controls/accepted";
  const ChallengeSpec spec = ChallengeUnderTest(Reference());
  const Checked<Rubric> rubric = ReadRubric(spec);
  ASSERT_TRUE(rubric) << ToString(rubric.error().front());
  const ChallengeView challenge{.spec = spec, .rubric = *rubric};
  const Result<Evidence> once = Grade(spec, accepted / "the_baseline", GradeDepth::kTimed);
  const Result<Evidence> twice = Grade(spec, accepted / "twice_as_slow", GradeDepth::kTimed);
  for (const Result<Evidence>* evidence : {&once, &twice}) {
    ASSERT_TRUE(*evidence) << ToString(evidence->error());
    ASSERT_EQ((*evidence)->verdict, Verdict::kAccepted) << (*evidence)->verdict_detail;
    ASSERT_FALSE((*evidence)->bench.workloads.empty());
    EXPECT_EQ(CountWorkloads(Verdict::kAccepted, **evidence),
              std::ssize((*evidence)->bench.workloads));
  }
  const double of_once = MeanRatio(*once);
  const double of_twice = MeanRatio(*twice);
  EXPECT_GT(of_once, 0.7);
  EXPECT_LT(of_once, 1.4);
  EXPECT_GT(of_twice, 1.4);
  EXPECT_LT(of_twice, 3.5);
  EXPECT_LT(ScoreCell(challenge, *twice).overall, ScoreCell(challenge, *once).overall);
}

/// Controls that are right and do without what makes an implementation fast.
class TimingOfControls : public testing::TestWithParam<std::string> {};

TEST_P(TimingOfControls, WhoseWorkIsDoneAgainAreSlow) {
  const Result<Evidence> evidence =
      Grade(ChallengeUnderTest(Reference()),
            Reference().Directory() / "controls/accepted" / GetParam(), GradeDepth::kTimed);
  ASSERT_TRUE(evidence) << ToString(evidence.error());
  EXPECT_EQ(evidence->verdict, Verdict::kAccepted) << evidence->verdict_detail;
  EXPECT_GT(MeanRatio(*evidence), 4);
  EXPECT_EQ(CountWorkloads(Verdict::kWrongAnswer, *evidence), 0);
}

std::vector<std::string> ControlsThatRecompute() {
  std::vector<std::string> names = NamesIn(Reference().Directory() / "controls/accepted");
  std::erase_if(names, [](const std::string& name) { return !name.starts_with("recomputes_"); });
  return names;
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(TimingOfControls);
INSTANTIATE_TEST_SUITE_P(Reference, TimingOfControls, testing::ValuesIn(ControlsThatRecompute()),
                         [](const auto& name) { return name.param; });

}  // namespace
}  // namespace assay
