// SPDX-License-Identifier: Apache-2.0
#include "cli/try_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "build/entry_points.h"
#include "cli/telling_cases.h"
#include "exec/list_cases.h"
#include "process/interrupt.h"
#include "spec/nearest.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// Cases are chosen and run in rounds: a failure is shown before the rest has run, and those that
/// are skipped, because the submission lacks their operation, make room for others.
constexpr int kMostRounds = 8;
constexpr std::size_t kCasesInARound = 7;
/// An endless kernel is over sooner; the longest of a right submission's telling cases takes a
/// fraction of it.
constexpr std::uint64_t kTryDeviceInstructions = 2'000'000'000;

std::vector<std::string> RequiredEntryPoints(const ChallengeSpec& challenge) {
  std::vector<std::string> names;
  for (const EntryPoint& entry_point : challenge.entry_points) {
    if (entry_point.required) {
      names.push_back(entry_point.name);
    }
  }
  return names;
}

class Trial {
 public:
  Trial(const TryRequest& request, const TryServices& services)
      : request_(request), services_(services) {}

  Result<TryOutcome> Run() {
    outcome_.challenge = request_.challenge.id;
    const fs::path suite = request_.installation.Suite(request_.challenge.id);
    ASSAY_ASSIGN_OR_RETURN(cases_, services_.list_cases(suite));
    outcome_.cases_in_suite = cases_.size();
    if (request_.case_pattern) {
      ASSAY_RETURN_IF_ERROR(Select(*request_.case_pattern));
    }
    ASSAY_RETURN_IF_ERROR(Build());
    if (outcome_.build == Verdict::kAccepted) {
      const auto start = Clock::now();
      ASSAY_RETURN_IF_ERROR(request_.case_pattern ? RunCases(RunOf(selected_)) : RunTellingCases());
      outcome_.suite_seconds = std::chrono::duration<double>(Clock::now() - start).count();
    }
    return std::move(outcome_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  Status Select(const std::string& pattern) {
    selected_ = CasesMatching(cases_, pattern);
    if (!selected_.empty()) {
      return {};
    }
    const auto near = Nearest(pattern, cases_);
    return std::unexpected(
        Error{.kind = ErrorKind::kConfiguration,
              .where = "--case",
              .cause = fmt::format("{} has no case \"{}\"", request_.challenge.id, pattern),
              .remedy = near ? fmt::format("did you mean \"{}\"?", *near)
                             : fmt::format("a name or one with * is wanted, such as '{}.*'",
                                           GroupOf(cases_.empty() ? "" : cases_.front()))});
  }

  Status Build() {
    ASSAY_RETURN_IF_ERROR(CheckInterrupt());
    const Installation& installation = request_.installation;
    ASSAY_ASSIGN_OR_RETURN(
        BuildOutcome built,
        services_.build({.submission = request_.submission,
                         .challenge_directory = request_.challenge.directory,
                         .harness_directory = installation.HarnessInclude(),
                         .host_library = installation.HostLibrary(),
                         .cuda_host_library = installation.CudaHostLibrary(),
                         .output_directory = request_.scratch,
                         .tools = {.level = request_.level,
                                   .time_limit = std::chrono::milliseconds(
                                       request_.challenge.limits.build_time_limit_ms)},
                         .required_entry_points = RequiredEntryPoints(request_.challenge)}));
    outcome_.build = built.verdict;
    outcome_.repaired_by = built.repair ? built.repair->patch : "";
    outcome_.warnings = built.warnings;
    outcome_.build_seconds = built.seconds;
    ASSAY_RETURN_IF_ERROR(LookAtSymbols(built));
    // The advice says more than the builder's one line about the same names.
    const bool is_said = !outcome_.symbol_advice.empty() && built.failed_step == "linking";
    if (built.verdict != Verdict::kAccepted && !is_said) {
      outcome_.diagnostics = std::move(built.diagnostics);
    }
    host_ = built.host_executable;
    return {};
  }

  Status LookAtSymbols(const BuildOutcome& built) {
    if (built.verdict != Verdict::kAccepted && built.failed_step != "linking") {
      return {};
    }
    std::vector<SourceSymbols> sources;
    for (const ObjectFile& object : built.objects) {
      ASSAY_ASSIGN_OR_RETURN(SourceSymbols symbols, services_.read_symbols(object));
      sources.push_back(std::move(symbols));
    }
    outcome_.symbol_advice = AdviseOnSymbols(request_.challenge, sources);
    return {};
  }

  Status RunTellingCases() {
    if (LacksRequired(outcome_)) {
      return {};
    }
    const auto end = Clock::now() + std::chrono::milliseconds(kTryRunLimit_ms);
    for (int round = 0; round < kMostRounds; ++round) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
      const std::vector<std::string> next = NextCases();
      if (next.empty() || left.count() <= 0) {
        return {};
      }
      SuiteRun run = RunOf(next);
      run.limits.case_time_limit_ms = std::min(run.limits.case_time_limit_ms, kTryCallLimit_ms);
      run.arguments.push_back(fmt::format("--assay_start_limit_ms={}", kTryCallLimit_ms));
      run.arguments.push_back(fmt::format("--assay_run_limit_ms={}", left.count()));
      run.arguments.push_back(
          fmt::format("--assay_device_instructions={}", kTryDeviceInstructions));
      ASSAY_RETURN_IF_ERROR(RunCases(run));
    }
    return {};
  }

  // None when enough have run, or there is a failure to show.
  std::vector<std::string> NextCases() {
    if (std::ranges::any_of(outcome_.cases, &HasFailed)) {
      return {};
    }
    if (waiting_.empty()) {
      const auto ran = static_cast<std::size_t>(std::ranges::count_if(
          outcome_.cases, [](const auto& one) { return one.verdict != Verdict::kSkipped; }));
      waiting_ = ChooseTellingCases(cases_, request_.signatures, outcome_.cases,
                                    kTellingCases - std::min(ran, kTellingCases));
    }
    const auto end =
        waiting_.begin() + static_cast<std::ptrdiff_t>(std::min(waiting_.size(), kCasesInARound));
    std::vector<std::string> next(waiting_.begin(), end);
    waiting_.erase(waiting_.begin(), end);
    return next;
  }

  [[nodiscard]] SuiteRun RunOf(const std::vector<std::string>& names) const {
    return {.program = request_.installation.Suite(request_.challenge.id),
            .host = host_,
            .baseline = request_.installation.BaselineHost(request_.challenge.id),
            .limits = request_.challenge.limits,
            .level = request_.level,
            .flavor = BuildFlavor::kRelease,
            .seed = request_.seed,
            .arguments = {"--gtest_filter=" + Join(names, ":")}};
  }

  Status RunCases(const SuiteRun& run) {
    ASSAY_RETURN_IF_ERROR(CheckInterrupt());
    ASSAY_ASSIGN_OR_RETURN(RunResults results, services_.run_suite(run, request_.scratch));
    std::ranges::move(results.suite.cases, std::back_inserter(outcome_.cases));
    std::ranges::move(results.suite.device_lacks, std::back_inserter(outcome_.device_lacks));
    return {};
  }

  const TryRequest& request_;
  const TryServices& services_;
  std::vector<std::string> cases_;
  std::vector<std::string> selected_;
  std::vector<std::string> waiting_;  // Chosen, and not yet run.
  fs::path host_;
  TryOutcome outcome_;
};

Result<SourceSymbols> ReadSymbols(const ObjectFile& object) {
  constexpr std::size_t kLargestObject_bytes = std::size_t{1} << 30;
  ASSAY_ASSIGN_OR_RETURN(const std::string elf, ReadFile(object.path, kLargestObject_bytes));
  return SourceSymbols{.source = object.source, .defined = DefinedSymbols(elf)};
}

Status CheckTryBuilt(const Installation& installation, const SubmissionSpec& submission) {
  ASSAY_RETURN_IF_ERROR(CheckBuilt(installation, submission.challenge));
  return NeedsNvcc(submission) ? CheckCudaBuilt(installation) : Status();
}

}  // namespace

TryServices RealTryServices() {
  return {
      .detect_capabilities = &DetectCapabilities,
      .check_built = &CheckTryBuilt,
      .build = [](const BuildInputs& inputs) { return BuildHost(inputs, BuildFlavor::kRelease); },
      .read_symbols = &ReadSymbols,
      .list_cases = &ListCases,
      .run_suite =
          [](const SuiteRun& run, const fs::path& scratch) {
            NoProgress nobody;
            return RunSuite(run, scratch, nobody);
          }};
}

Result<TryOutcome> TrySubmission(const TryRequest& request, const TryServices& services) {
  return Trial(request, services).Run();
}

bool HasFailed(const CaseEvidence& one) {
  return one.verdict != Verdict::kAccepted && one.verdict != Verdict::kSkipped &&
         !IsUnfinished(one);
}

bool IsUnfinished(const CaseEvidence& one) { return one.given_up == GiveUpCause::kRunLimit; }

bool LacksRequired(const TryOutcome& outcome) {
  return std::ranges::any_of(outcome.symbol_advice,
                             [](const auto& advice) { return advice.entry_point.required; });
}

bool IsRight(const CaseEvidence& one) { return one.verdict == Verdict::kAccepted; }

bool IsFine(const TryOutcome& outcome) {
  return outcome.build == Verdict::kAccepted && outcome.symbol_advice.empty() &&
         outcome.device_lacks.empty() && std::ranges::none_of(outcome.cases, &HasFailed) &&
         std::ranges::any_of(outcome.cases, &IsRight);
}

}  // namespace assay
