// SPDX-License-Identifier: Apache-2.0
// Tests all of grading: every control, a whole submission, must get the verdict that its directory
// is named for. One ctest test for each control.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/temporary.h"
#include "base/text.h"
#include "build/build_host.h"
#include "chosen_cases.h"
#include "grade/grade_cell.h"
#include "grade/run_suite.h"
#include "kept_seeds.h"
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

/// Metrics that a control's run must have, where what it forges is not its verdict but a number
/// that a rubric scores: `vector_load_share 0`, one a line; `tensors_saved none` must not be there.
constexpr std::string_view kMetricsFile = "metrics";

/// Further cases, which the baseline passes when it is built with sanitizers.
constexpr std::string_view kSanitizedCasesFile = "sanitized_cases";

/// A submission sees no file but its own, so headers that controls share are copied beside their
/// sources: those of controls/ and, for a control that is made of it, the baseline's. What says
/// which cases it needs is no part of it.
void StageControl(const ReferenceUnderTest& reference, const fs::path& control,
                  const fs::path& staged) {
  fs::copy(control, staged, fs::copy_options::recursive);
  fs::remove(staged / kCasesFile);
  fs::remove(staged / kMetricsFile);
  fs::remove(staged / kSanitizedCasesFile);
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

struct GradeOptions {
  GradeDepth depth = GradeDepth::kVerdict;
  std::uint64_t seed = SeedUnderTest();
  std::vector<std::string> suite_arguments = {};
};

Result<Evidence> Grade(const ChallengeSpec& challenge, const fs::path& control,
                       const GradeOptions& options) {
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
                    .seed = options.seed,
                    .depth = options.depth,
                    .suite_arguments = options.suite_arguments,
                    .temporary_root = scratch.path()},
                   progress);
}

/// One control: `wrong_answer/zeros`.
struct Control {
  std::string verdict;
  std::string name;

  [[nodiscard]] fs::path Directory() const {
    return Reference().Directory() / "controls" / verdict / name;
  }
};

/// For the name of a test.
void PrintTo(const Control& control, std::ostream* out) {
  *out << control.verdict << '/' << control.name;
}

/// Where the right verdict is that of a time limit, limits are waited for: short ones then.
constexpr int kShortTimeLimit_ms = 3000;
constexpr int kShortBuildTimeLimit_ms = 5000;

bool IsAccepted(const Control& control) { return control.verdict == ToString(Verdict::kAccepted); }

bool RunsIntoTheTimeLimit(const Control& control) {
  return control.verdict == ToString(Verdict::kTimeLimit);
}

/// A compiler that does not end is a compile error too.
bool RunsIntoTheBuildTimeLimit(const Control& control) {
  return control.verdict == ToString(Verdict::kCompileError) && control.name.ends_with("_for_ever");
}

/// Otherwise with the limits of challenge.yaml.
ChallengeSpec ChallengeFor(const Control& control) {
  ChallengeSpec challenge = ChallengeUnderTest(Reference());
  if (RunsIntoTheTimeLimit(control)) {
    challenge.limits.case_time_limit_ms = kShortTimeLimit_ms;
  }
  if (RunsIntoTheBuildTimeLimit(control)) {
    challenge.limits.build_time_limit_ms = kShortBuildTimeLimit_ms;
  }
  return challenge;
}

/// Of a run of these cases; none: all.
std::vector<std::string> SuiteArguments(const Control& control,
                                        const std::vector<std::string>& cases) {
  std::vector<std::string> arguments = ArgumentsFor(cases);
  if (RunsIntoTheTimeLimit(control)) {
    arguments.push_back(fmt::format("--assay_start_limit_ms={}", kShortTimeLimit_ms));
  }
  return arguments;
}

void ExpectItsMetrics(const Control& control, const Evidence& evidence) {
  for (const std::string& line : LinesByHand(control.Directory() / kMetricsFile)) {
    const std::size_t blank = line.find(' ');
    const std::string name = line.substr(0, blank);
    const auto found = evidence.suite.metrics.find(name);
    if (line.substr(blank + 1) == "none") {
      EXPECT_EQ(found, evidence.suite.metrics.end()) << control.name << " has a metric " << name;
      continue;
    }
    ASSERT_NE(found, evidence.suite.metrics.end()) << control.name << " has no metric " << name;
    EXPECT_EQ(found->second, std::stod(line.substr(blank + 1))) << control.name << ": " << name;
  }
}

void ExpectItsVerdict(const Control& control, const std::vector<std::string>& cases,
                      std::uint64_t seed) {
  const Result<Evidence> evidence =
      Grade(ChallengeFor(control), control.Directory(),
            {.seed = seed, .suite_arguments = SuiteArguments(control, cases)});
  const std::string got(ToString(evidence ? evidence->verdict : Verdict::kJudgeError));
  const std::string why = evidence ? evidence->verdict_detail : ToString(evidence.error());
  fmt::print("{:<30} | {:<13} | {:<13} | {}\n", control.name, control.verdict, got,
             Column(why, 110));
  EXPECT_EQ(got, control.verdict) << control.name << ": " << why;
  EXPECT_EQ(why.contains(" took longer than the limit of "), RunsIntoTheBuildTimeLimit(control))
      << control.name << ": " << why;
  EXPECT_EQ(evidence && evidence->repair, fs::exists(control.Directory() / "patches"))
      << control.name;
  if (evidence) {
    ExpectItsMetrics(control, *evidence);
  }
}

void ExpectNoneInVain(const std::vector<std::string>& cases, const std::string& place) {
  if (cases.empty()) {
    return;
  }
  const ReferenceUnderTest reference = Reference();
  const std::vector<std::string> suite = CasesOfSuite(reference.installation, reference.challenge);
  for (const std::string& fault : NamedInVain(cases, suite, place)) {
    ADD_FAILURE() << fault;
  }
}

/// The suite's `cases` against the control, built with sanitizers.
Result<RunResults> RunSanitized(const Control& control, const std::vector<std::string>& cases) {
  const ReferenceUnderTest reference = Reference();
  const ChallengeSpec challenge = ChallengeFor(control);
  ASSAY_ASSIGN_OR_RETURN(const TemporaryDirectory scratch,
                         TemporaryDirectory::Create(reference.TemporaryRoot(), control.name));
  const fs::path staged = scratch.path() / "submission";
  StageControl(reference, control.Directory(), staged);
  const auto submission = ReadSubmission(staged, challenge, control.name);
  if (!submission) {
    return std::unexpected(submission.error().front());
  }
  const Installation& installation = reference.installation;
  const std::chrono::milliseconds time_limit(challenge.limits.build_time_limit_ms);
  ASSAY_ASSIGN_OR_RETURN(const BuildOutcome built,
                         BuildHost({.submission = *submission,
                                    .challenge_directory = challenge.directory,
                                    .harness_directory = installation.HarnessInclude(),
                                    .host_library = installation.HostLibrary(),
                                    .cuda_host_library = installation.CudaHostLibrary(),
                                    .output_directory = scratch.path(),
                                    .tools = {.level = LevelUnderTest(), .time_limit = time_limit}},
                                   BuildFlavor::kSanitized));
  EXPECT_EQ(built.verdict, Verdict::kAccepted) << built.diagnostics;
  NoProgress progress;
  return RunSuite({.program = installation.Suite(challenge.id),
                   .host = built.host_executable,
                   .baseline = installation.BaselineHost(challenge.id),
                   .limits = challenge.limits,
                   .level = LevelUnderTest(),
                   .flavor = BuildFlavor::kSanitized,
                   .seed = SeedUnderTest(),
                   .arguments = ArgumentsFor(cases)},
                  scratch.path(), progress);
}

/// Which of a challenge's controls share the cases of its suite, in order.
std::vector<std::string> Sharers() {
  const fs::path accepted = Reference().Directory() / "controls" / ToString(Verdict::kAccepted);
  std::vector<std::string> names = FoldersIn(accepted);
  std::erase_if(names,
                [&](const std::string& name) { return !CasesOfControl(accepted / name).share; });
  return names;
}

/// The cases that it runs where not all are run; none: all.
std::vector<std::string> ChosenFor(const Control& control, const CasesNeeded& needed) {
  if (!IsAccepted(control) || (!needed.All() && !needed.share)) {
    return needed.named;
  }
  const ReferenceUnderTest reference = Reference();
  std::vector<std::string> of_each_type =
      OneOfEachType(CasesOfSuite(reference.installation, reference.challenge));
  if (needed.All()) {
    return of_each_type;
  }
  const std::vector<std::string> sharers = Sharers();
  const auto place = std::ranges::find(sharers, control.name) - sharers.begin();
  std::vector<std::string> cases =
      ShareOf(of_each_type, static_cast<std::size_t>(place), sharers.size());
  cases.insert(cases.end(), needed.named.begin(), needed.named.end());
  return cases;
}

class Controls : public testing::TestWithParam<Control> {};

TEST_P(Controls, GetTheVerdictOfTheirDirectory) {
  const Control& control = GetParam();
  const CasesNeeded needed = CasesOfControl(control.Directory());
  ExpectNoneInVain(needed.named, (control.Directory() / kCasesFile).string());
  // What a submission is rejected for shows in cases that can be named.
  ASSERT_TRUE(!needed.share || IsAccepted(control)) << control.name << " shares the cases";
  const std::vector<std::string> cases =
      ExtentUnderTest() == Extent::kAll ? std::vector<std::string>() : ChosenFor(control, needed);
  fmt::print("seed {}, sandbox {}, {}\n", SeedUnderTest(), ToString(LevelUnderTest()),
             ToString(ExtentUnderTest()));
  ExpectItsVerdict(control, cases, SeedUnderTest());
}

std::vector<Control> AllControls() {
  const fs::path folder = Reference().Directory() / "controls";
  std::vector<Control> controls;
  for (const std::string& verdict : FoldersIn(folder)) {
    for (const std::string& name : FoldersIn(folder / verdict)) {
      controls.push_back({.verdict = verdict, .name = name});
    }
  }
  return controls;
}

INSTANTIATE_TEST_SUITE_P(Reference, Controls, testing::ValuesIn(AllControls()),
                         [](const auto& control) {
                           return control.param.verdict + "__" + control.param.name;
                         });

/// Sanitizers are no part of a verdict, so a baseline that is wrong by them alone is accepted: KV
/// cache's read bytes with loads of whole vectors from addresses that were not aligned.
TEST(Sanitizers, FindNothingInTheBaseline) {
  const ReferenceUnderTest reference = Reference();
  const Control control{.verdict = std::string(ToString(Verdict::kAccepted)),
                        .name = "the_baseline"};
  std::vector<std::string> cases = CasesOfControl(control.Directory()).named;
  const std::vector<std::string> further = LinesByHand(control.Directory() / kSanitizedCasesFile);
  ExpectNoneInVain(further, (control.Directory() / kSanitizedCasesFile).string());
  cases.insert(cases.end(), further.begin(), further.end());
  const auto results = RunSanitized(control, cases);
  ASSERT_TRUE(results.has_value()) << ToString(results.error());
  EXPECT_GE(results->suite.cases.size(), cases.size());
  EXPECT_EQ(Join(results->sanitizer_findings, "; "), "");
}

/// What fresh seeds found once: a control that got another verdict.
TEST(KeptSeedsOfControls, GiveTheVerdictOfTheirDirectory) {
  for (const KeptSeed& kept : KeptSeedsIn(Reference().Directory())) {
    if (!IsOfControl(kept)) {
      continue;
    }
    const std::size_t slash = kept.subject.find('/');
    const Control control{.verdict = kept.subject.substr(0, slash),
                          .name = kept.subject.substr(slash + 1)};
    ASSERT_TRUE(fs::exists(control.Directory())) << PlaceOf(kept) << " is no control";
    ExpectNoneInVain(kept.cases, PlaceOf(kept));
    ExpectItsVerdict(control, kept.cases, kept.seed);
  }
}

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

/// What takes this much longer is slower on a machine that others use too, in one of a few tries:
/// both are timed against the baseline in turn, on the same inputs.
constexpr double kClearlySlower = 1.2;
constexpr int kTries = 3;

void ExpectTimed(const Result<Evidence>& evidence) {
  ASSERT_TRUE(evidence) << ToString(evidence.error());
  ASSERT_EQ(evidence->verdict, Verdict::kAccepted) << evidence->verdict_detail;
  ASSERT_FALSE(evidence->bench.workloads.empty());
  EXPECT_EQ(CountWorkloads(Verdict::kAccepted, *evidence), std::ssize(evidence->bench.workloads));
}

/// The one test of a time, and of their order alone. It catches submission and baseline in each
/// other's place, a clock that the work does not move, and a rubric to which speed is nothing.
TEST(Timing, TwiceTheWorkTakesLongerAndRanksBelow) {
  const fs::path accepted = Reference().Directory() / "controls/accepted";
  const ChallengeSpec spec = ChallengeUnderTest(Reference());
  const Checked<Rubric> rubric = ReadRubric(spec);
  ASSERT_TRUE(rubric) << ToString(rubric.error().front());
  const ChallengeView challenge{.spec = spec, .rubric = *rubric};
  bool slower = false;
  bool below = false;
  for (int i = 0; i < kTries && !(slower && below); ++i) {
    const auto once = Grade(spec, accepted / "the_baseline", {.depth = GradeDepth::kTimed});
    const auto twice = Grade(spec, accepted / "twice_as_slow", {.depth = GradeDepth::kTimed});
    ASSERT_NO_FATAL_FAILURE(ExpectTimed(once));
    ASSERT_NO_FATAL_FAILURE(ExpectTimed(twice));
    const double ratio_of_once = MeanRatio(*once);
    slower = MeanRatio(*twice) > kClearlySlower * ratio_of_once;
    below = ScoreCell(challenge, *twice).overall < ScoreCell(challenge, *once).overall;
  }
  EXPECT_TRUE(slower) << "twice_as_slow is no slower than the_baseline";
  EXPECT_TRUE(below) << "twice_as_slow scores as much as the_baseline";
}

/// Controls that are right and do without what makes an implementation fast.
class TimingOfControls : public testing::TestWithParam<std::string> {};

TEST_P(TimingOfControls, WhoseWorkIsDoneAgainAreSlow) {
  double ratio = 0;
  for (int i = 0; i < kTries && ratio < kClearlySlower; ++i) {
    const Result<Evidence> evidence = Grade(
        ChallengeUnderTest(Reference()), Reference().Directory() / "controls/accepted" / GetParam(),
        {.depth = GradeDepth::kTimed});
    ASSERT_TRUE(evidence) << ToString(evidence.error());
    EXPECT_EQ(evidence->verdict, Verdict::kAccepted) << evidence->verdict_detail;
    EXPECT_EQ(CountWorkloads(Verdict::kWrongAnswer, *evidence), 0);
    ratio = MeanRatio(*evidence);
  }
  EXPECT_GT(ratio, kClearlySlower);
}

std::vector<std::string> ControlsThatRecompute() {
  std::vector<std::string> names = FoldersIn(Reference().Directory() / "controls/accepted");
  std::erase_if(names, [](const std::string& name) { return !name.starts_with("recomputes_"); });
  return names;
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(TimingOfControls);
INSTANTIATE_TEST_SUITE_P(Reference, TimingOfControls, testing::ValuesIn(ControlsThatRecompute()),
                         [](const auto& name) { return name.param; });

}  // namespace
}  // namespace assay
