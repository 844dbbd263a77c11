// SPDX-License-Identifier: Apache-2.0
#include "grade/grade_cell.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/temporary.h"
#include "base/text.h"
#include "build/build_host.h"
#include "build/cuda_toolkit.h"
#include "evidence/cell_verdict.h"
#include "evidence/derived.h"
#include "grade/bench_runs.h"
#include "grade/documents.h"
#include "grade/own_tests.h"
#include "grade/run_suite.h"
#include "grade/statements.h"
#include "grade/static_analysis.h"
#include "grade/suite_processes.h"
#include "machine/machine.h"
#include "process/interrupt.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> RequiredEntryPoints(const ChallengeSpec& challenge) {
  std::vector<std::string> names;
  for (const EntryPoint& entry_point : challenge.entry_points) {
    if (entry_point.required) {
      names.push_back(entry_point.name);
    }
  }
  return names;
}

// Grades one cell step by step. Each step fills its part of the evidence; the first Error of our
// own ends it.
class CellGrader {
 public:
  CellGrader(const CellRequest& request, fs::path scratch, ProgressSink& progress)
      : request_(request), scratch_(std::move(scratch)), progress_(progress) {
    evidence_.challenge = request.challenge.id;
    evidence_.model = request.submission.model;
    evidence_.model_name = request.model.name;
    evidence_.reconstruction = request.model.reconstruction;
    evidence_.digests = request.digests;
  }

  Result<Evidence> Grade() {
    ASSAY_ASSIGN_OR_RETURN(Environment environment,
                           DescribeEnvironment(request_.level, request_.seed));
    evidence_.environment = EnvironmentFor(request_.submission, std::move(environment));
    ASSAY_RETURN_IF_ERROR(Build());
    if (release_.verdict == Verdict::kAccepted) {
      ASSAY_RETURN_IF_ERROR(TestRelease());
      is_timed_ = request_.depth != GradeDepth::kVerdict && IsWorthTiming();
    }
    ASSAY_RETURN_IF_ERROR(Time(BenchMoment::kSuite));
    if (request_.depth == GradeDepth::kFull) {
      ASSAY_RETURN_IF_ERROR(MeasureQuality());
    }
    while (IsTimedAgain()) {
      ASSAY_RETURN_IF_ERROR(Time(bench_runs_.back().after));
    }
    evidence_.bench = MergeRuns(std::move(bench_runs_));
    const CellVerdict verdict = DecideVerdict(evidence_);
    evidence_.verdict = verdict.verdict;
    evidence_.verdict_detail = verdict.detail;
    return std::move(evidence_);
  }

 private:
  [[nodiscard]] ToolSettings Tools() const {
    return {.level = request_.level,
            .time_limit = std::chrono::milliseconds(request_.challenge.limits.build_time_limit_ms)};
  }

  [[nodiscard]] BuildInputs Inputs() const {
    return {.submission = request_.submission,
            .challenge_directory = request_.challenge.directory,
            .harness_directory = request_.installation.HarnessInclude(),
            .host_library = request_.installation.HostLibrary(),
            .cuda_host_library = request_.installation.CudaHostLibrary(),
            .output_directory = scratch_,
            .tools = Tools(),
            .required_entry_points = RequiredEntryPoints(request_.challenge)};
  }

  Status Enter(GradePhase phase) {
    ASSAY_RETURN_IF_ERROR(CheckInterrupt());
    progress_.PhaseStarted(phase);
    return {};
  }

  Status Build() {
    ASSAY_RETURN_IF_ERROR(Enter(GradePhase::kBuild));
    ASSAY_ASSIGN_OR_RETURN(release_, BuildHost(Inputs(), BuildFlavor::kRelease));
    evidence_.release = ToEvidence(release_);
    evidence_.repair = release_.repair;
    return {};
  }

  [[nodiscard]] SuiteRun Run(const fs::path& program, const fs::path& host, BuildFlavor flavor,
                             std::vector<std::string> arguments) const {
    return {.program = program,
            .host = host,
            .baseline = request_.installation.BaselineHost(request_.challenge.id),
            .limits = request_.challenge.limits,
            .level = request_.level,
            .flavor = flavor,
            .seed = request_.seed,
            .arguments = std::move(arguments)};
  }

  Result<RunResults> TestHost(const fs::path& host, BuildFlavor flavor) {
    const SuiteRun run = Run(request_.installation.Suite(request_.challenge.id), host, flavor,
                             request_.suite_arguments);
    const bool has_all_cases = request_.suite_arguments.empty();
    return RunSuiteInProcesses(
        run, has_all_cases ? request_.challenge.second_process : std::vector<std::string>(),
        scratch_, progress_);
  }

  Status TestRelease() {
    ASSAY_RETURN_IF_ERROR(Enter(GradePhase::kSuite));
    ASSAY_ASSIGN_OR_RETURN(RunResults results,
                           TestHost(release_.host_executable, BuildFlavor::kRelease));
    evidence_.suite = std::move(results.suite);
    evidence_.entry_points = std::move(results.entry_points);
    ASSAY_ASSIGN_OR_RETURN(evidence_.answers, CheckAnswers(request_.challenge, request_.submission,
                                                           results.questions));
    evidence_.claims =
        CheckClaims(request_.challenge, request_.submission, evidence_.suite.metrics);
    return {};
  }

  // What died in a case or two may be right where it is timed: each workload is checked. What the
  // suite gave up would take its limits here too, and what cheats has no times to show.
  [[nodiscard]] bool IsWorthTiming() const {
    return DecideVerdict(evidence_).verdict < Verdict::kRejected &&
           std::ranges::none_of(evidence_.suite.cases, &WasGivenUp);
  }

  [[nodiscard]] bool IsTimedAgain() const { return is_timed_ && IsWorthAnotherRun(bench_runs_); }

  // One run of the bench: they are spread over the grading, so that a slow minute of the machine is
  // the fate of one of them.
  Status Time(BenchMoment after) {
    if (!IsTimedAgain()) {
      return {};
    }
    constexpr std::array<GradePhase, kLeastBenchRuns> kPhases = {
        GradePhase::kBench, GradePhase::kSecondBench, GradePhase::kThirdBench};
    const std::size_t run = bench_runs_.size();
    ASSAY_RETURN_IF_ERROR(
        Enter(run < kPhases.size() ? kPhases.at(run) : GradePhase::kFurtherBench));
    const Installation& installation = request_.installation;
    ASSAY_ASSIGN_OR_RETURN(
        RunResults results,
        RunSuite(Run(installation.Bench(request_.challenge.id), release_.host_executable,
                     BuildFlavor::kRelease, ArgumentsOfNextRun(bench_runs_)),
                 scratch_, progress_));
    bench_runs_.push_back({.after = after, .bench = std::move(results.bench)});
    return {};
  }

  // What does not enter the verdict: sanitizers, own tests, the sources themselves.
  Status MeasureQuality() {
    if (release_.verdict == Verdict::kAccepted) {
      ASSAY_RETURN_IF_ERROR(TestSanitized());
      ASSAY_RETURN_IF_ERROR(Time(BenchMoment::kSanitizedSuite));
      ASSAY_RETURN_IF_ERROR(RunTheirTests());
      while (IsTimedAgain()) {
        ASSAY_RETURN_IF_ERROR(Time(BenchMoment::kOwnTests));
      }
    }
    ASSAY_RETURN_IF_ERROR(Enter(GradePhase::kStatics));
    ASSAY_ASSIGN_OR_RETURN(evidence_.statics,
                           AnalyseSources(release_.built, request_.challenge.directory,
                                          evidence_.release.warnings, scratch_, Tools()));
    return MeasureDocuments(request_.submission, scratch_, evidence_.statics);
  }

  Status TestSanitized() {
    ASSAY_RETURN_IF_ERROR(Enter(GradePhase::kSanitizedSuite));
    ASSAY_ASSIGN_OR_RETURN(const BuildOutcome sanitized,
                           BuildHost(Inputs(), BuildFlavor::kSanitized));
    evidence_.sanitized = ToEvidence(sanitized);
    if (sanitized.verdict != Verdict::kAccepted) {
      return {};
    }
    ASSAY_ASSIGN_OR_RETURN(RunResults results,
                           TestHost(sanitized.host_executable, BuildFlavor::kSanitized));
    evidence_.sanitized_suite = std::move(results.suite);
    evidence_.sanitizer_findings = std::move(results.sanitizer_findings);
    return {};
  }

  Status RunTheirTests() {
    ASSAY_RETURN_IF_ERROR(Enter(GradePhase::kOwnTests));
    const Installation& installation = request_.installation;
    ASSAY_ASSIGN_OR_RETURN(auto mutants, MutantLibraries(installation, request_.challenge.id));
    std::vector<std::string> functions;
    functions.reserve(request_.challenge.entry_points.size());
    for (const EntryPoint& function : request_.challenge.entry_points) {
      functions.push_back(function.name);
    }
    ASSAY_ASSIGN_OR_RETURN(
        evidence_.own_tests,
        RunOwnTests({.build = release_,
                     .challenge_directory = request_.challenge.directory,
                     .functions = std::move(functions),
                     .baseline_library = installation.BaselineLibrary(request_.challenge.id),
                     .mutant_libraries = std::move(mutants),
                     .cuda_runtime = installation.CudaRuntimeLibrary(),
                     .output_directory = scratch_,
                     .tools = Tools()},
                    progress_));
    return {};
  }

  const CellRequest& request_;
  fs::path scratch_;
  ProgressSink& progress_;
  BuildOutcome release_;
  bool is_timed_ = false;
  std::vector<BenchRun> bench_runs_;
  Evidence evidence_;
};

}  // namespace

Result<Environment> DescribeEnvironment(SandboxLevel level, std::uint64_t seed) {
  Environment environment;
  ASSAY_ASSIGN_OR_RETURN(environment.compiler, CompilerVersion());
  environment.machine = DescribeMachine();
  environment.release_flags = Join(CompilerFlags(BuildFlavor::kRelease), " ");
  environment.sanitized_flags = Join(CompilerFlags(BuildFlavor::kSanitized), " ");
  environment.sandbox_level = ToString(level);
  environment.seed = seed;
  environment.assay_version = ASSAY_VERSION;
  return environment;
}

Environment EnvironmentFor(const SubmissionSpec& submission, Environment environment) {
  if (NeedsNvcc(submission)) {
    environment.compiler += "; " + NvccVersion().value_or("no nvcc");
    environment.release_flags += "; nvcc " + Join(NvccFlags(BuildFlavor::kRelease), " ");
    environment.sanitized_flags += "; nvcc " + Join(NvccFlags(BuildFlavor::kSanitized), " ");
  }
  return environment;
}

Result<Evidence> GradeCell(const CellRequest& request, ProgressSink& progress) {
  if (NeedsNvcc(request.submission)) {
    ASSAY_RETURN_IF_ERROR(RequireCuda(InstalledCuda()));
    ASSAY_RETURN_IF_ERROR(CheckCudaBuilt(request.installation));
  }
  ASSAY_RETURN_IF_ERROR(CheckBuilt(request.installation, request.challenge.id));
  ASSAY_ASSIGN_OR_RETURN(
      const TemporaryDirectory scratch,
      TemporaryDirectory::Create(request.temporary_root,
                                 request.submission.model + "-" + request.challenge.id));
  return CellGrader(request, scratch.path(), progress).Grade();
}

}  // namespace assay
