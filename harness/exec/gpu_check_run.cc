// SPDX-License-Identifier: Apache-2.0
#include "exec/gpu_check_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/temporary.h"
#include "base/text.h"
#include "grade/run_suite.h"
#include "process/executable.h"
#include "process/interrupt.h"
#include "process/run.h"
#include "spec/nearest.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// What real_bench is asked of a challenge's baseline.
struct BenchCall {
  std::string_view challenge;
  std::string_view name;
  std::uint64_t bytes = 0;  ///< That have to move.
  std::array<std::string_view, 11> words;
};

constexpr std::array<BenchCall, 2> kBenchCalls = {{
    {.challenge = "fused_softmax_topk",
     .name = "256x32000",
     .bytes = 32'784'384,
     .words = {"softmax_topk_f32", "u64=256", "u64=32000", "u64=8", "in=f32:8192000", "u64=32000",
               "out=f32:2048", "out=i32:2048", "scratch=softmax_topk_workspace_bytes(256,32000,8)",
               "u64=scratch", "stream=1"}},
    {.challenge = "fused_softmax_topk",
     .name = "1x128256",
     .bytes = 513'088,
     .words = {"softmax_topk_f32", "u64=1", "u64=128256", "u64=8", "in=f32:128256", "u64=128256",
               "out=f32:8", "out=i32:8", "scratch=softmax_topk_workspace_bytes(1,128256,8)",
               "u64=scratch", "stream=1"}},
}};

// A driver has memory of its own, and compiles PTX at the first call.
constexpr ChallengeLimits kLimitsOnHardware = {.case_time_limit_ms = 120'000,
                                               .memory_limit_bytes = std::int64_t{32} << 30,
                                               .output_limit_bytes = std::int64_t{1} << 20};

/// What it prints; nothing where it is missing or fails.
std::optional<std::string> AskNvidiaSmi(const std::string& nvidia_smi,
                                        std::vector<std::string> words) {
  Command command;
  command.argv = std::move(words);
  command.argv.insert(command.argv.begin(), nvidia_smi);
  command.time_limit = std::chrono::minutes(1);
  auto asked = RunToCompletion(command);
  return asked && asked->Succeeded() ? std::optional(std::move(asked->output)) : std::nullopt;
}

class GpuChecker {
 public:
  GpuChecker(const GpuCheckRun& run, fs::path folder, GpuCheckPlan plan,
             const GpuCheckListener& heard)
      : run_(run), folder_{std::move(folder)}, plan_(std::move(plan)), heard_(heard) {}

  Result<GpuCheckReport> Run(std::string gpu) {
    report_.gpu = std::move(gpu);
    heard_(FoundGpu{report_.gpu});
    ASSAY_ASSIGN_OR_RETURN(const std::vector<CheckedProgram> programs, Chosen());
    ASSAY_RETURN_IF_ERROR(RunPrograms(programs));
    ASSAY_RETURN_IF_ERROR(RunCounters(programs));
    if (run_.programs.empty()) {
      report_.no_challenges = plan_.no_challenges;
      ASSAY_RETURN_IF_ERROR(RunChallenges());
      ASSAY_RETURN_IF_ERROR(RunBenches());
    }
    return std::move(report_);
  }

 private:
  [[nodiscard]] Result<std::vector<CheckedProgram>> Chosen() const {
    if (run_.programs.empty()) {
      return plan_.programs;
    }
    std::vector<CheckedProgram> chosen;
    for (const std::string& name : run_.programs) {
      const auto found = std::ranges::find(plan_.programs, name, &CheckedProgram::name);
      if (found == plan_.programs.end()) {
        return std::unexpected(
            Error{.kind = ErrorKind::kConfiguration,
                  .where = folder_.root.string(),
                  .cause = fmt::format("no program \"{}\" was built there", name),
                  .remedy = SuggestOneOf(name, NamesOf(plan_.programs, &CheckedProgram::name))});
      }
      chosen.push_back(*found);
    }
    return chosen;
  }

  template <class Outcome>
  Status Keep(std::vector<Outcome>& outcomes, Outcome outcome) {
    ASSAY_RETURN_IF_ERROR(CheckInterrupt());  // What was cut off is no outcome.
    heard_(outcome);
    outcomes.push_back(std::move(outcome));
    return {};
  }

  Status RunPrograms(const std::vector<CheckedProgram>& programs) {
    for (const CheckedProgram& program : programs) {
      Command command;
      command.argv = {folder_.Program(program.name).string()};
      command.time_limit = run_.program_limit;
      command.output_limit_bytes = run_.output_limit_bytes;
      ASSAY_RETURN_IF_ERROR(
          Keep(report_.programs, CompareProgram(program, RunToCompletion(command))));
    }
    return {};
  }

  [[nodiscard]] std::string WhyNoCounters(const std::vector<CheckedProgram>& programs) const {
    if (!plan_.no_counters.empty()) {
      return plan_.no_counters;
    }
    if (std::ranges::all_of(programs,
                            [](const CheckedProgram& one) { return one.launches.empty(); })) {
      return "none of the programs has counters that are the same each time";
    }
    return FindExecutable(run_.ncu) ? "" : "no ncu here";
  }

  Status RunCounters(const std::vector<CheckedProgram>& programs) {
    report_.no_counters = WhyNoCounters(programs);
    if (!report_.no_counters.empty()) {
      return {};
    }
    for (const CheckedProgram& program : programs) {
      if (program.launches.empty()) {
        continue;
      }
      if (!program.hardware_differs.empty()) {
        ASSAY_RETURN_IF_ERROR(
            Keep(report_.counters, CounterOutcome{.name = program.name,
                                                  .verdict = CounterVerdict::kNotCompared,
                                                  .reason = program.hardware_differs}));
        continue;
      }
      ASSAY_RETURN_IF_ERROR(
          Keep(report_.counters, CompareCounters(program, RunToCompletion(NcuCommand(program)))));
    }
    return {};
  }

  [[nodiscard]] Command NcuCommand(const CheckedProgram& program) const {
    std::vector<std::string> metrics;
    for (const ComparedCounter& counter : ComparedCounters()) {
      metrics.insert(metrics.end(), counter.metrics.begin(), counter.metrics.end());
    }
    Command command;
    // Without its default clock control: the card's clocks are not ours to set.
    command.argv = {run_.ncu,
                    "--csv",
                    "--clock-control",
                    "none",
                    "--metrics",
                    Join(metrics, ","),
                    "--target-processes",
                    "all",
                    folder_.Program(program.name).string()};
    command.time_limit = run_.program_limit;
    command.output_limit_bytes = run_.output_limit_bytes;
    return command;
  }

  Status RunChallenges() {
    for (const CheckedChallenge& challenge : plan_.challenges) {
      for (const CheckedHost& host : challenge.hosts) {
        ASSAY_RETURN_IF_ERROR(Keep(
            report_.hosts, CompareHost(challenge.id, host, RunSuiteOver(challenge, host.name))));
      }
    }
    return {};
  }

  [[nodiscard]] Result<SuiteEvidence> RunSuiteOver(const CheckedChallenge& challenge,
                                                   const std::string& host) const {
    ASSAY_ASSIGN_OR_RETURN(const TemporaryDirectory scratch,
                           TemporaryDirectory::Create(folder_.Temporary(), host));
    NoProgress progress;
    ASSAY_ASSIGN_OR_RETURN(
        RunResults results,
        RunSuite({.program = folder_.Suite(challenge.id),
                  .host = folder_.Host(challenge.id, host),
                  .baseline = folder_.Host(challenge.id, "baseline"),
                  .limits = kLimitsOnHardware,
                  .level = SandboxLevel::kNone,
                  .seed = 1,
                  .arguments = {"--assay_device=cuda", "--gtest_filter=" + challenge.filter},
                  .time_limit = std::chrono::hours(1)},
                 scratch.path(), progress));
    return std::move(results.suite);
  }

  Status RunBenches() {
    for (const BenchCall& bench : kBenchCalls) {
      const std::string challenge(bench.challenge);
      if (std::ranges::find(plan_.challenges, challenge, &CheckedChallenge::id) ==
          plan_.challenges.end()) {
        continue;
      }
      Command command;
      command.argv = {folder_.RealBench().string(), "--host",
                      folder_.Host(challenge, "baseline").string(), "--bytes",
                      std::to_string(bench.bytes)};
      command.argv.insert(command.argv.end(), bench.words.begin(), bench.words.end());
      ASSAY_RETURN_IF_ERROR(Keep(report_.benches, JudgeBench(challenge, std::string(bench.name),
                                                             RunToCompletion(command))));
    }
    return {};
  }

  const GpuCheckRun& run_;
  GpuCheckFolder folder_;
  GpuCheckPlan plan_;
  const GpuCheckListener& heard_;
  GpuCheckReport report_;
};

}  // namespace

Result<std::string> FindGpu(const std::string& nvidia_smi) {
  // -L alone says whether there is one; the query of older drivers succeeds without any.
  if (!AskNvidiaSmi(nvidia_smi, {"-L"})) {
    ASSAY_RETURN_IF_ERROR(CheckInterrupt());
    return std::unexpected(
        Error{.kind = ErrorKind::kJudge,
              .where = {},
              .cause = "no GPU here (nvidia-smi -L fails)",
              .remedy = "--build-only DIR makes a folder to carry to a machine that has one"});
  }
  const auto described =
      AskNvidiaSmi(nvidia_smi, {"--query-gpu=name,driver_version", "--format=csv,noheader"});
  return described ? Join(SplitLines(*described), "; ") : std::string("a GPU without a name");
}

Result<GpuCheckReport> RunGpuCheck(const GpuCheckRun& run, const GpuCheckListener& heard) {
  ASSAY_ASSIGN_OR_RETURN(std::string gpu, FindGpu(run.nvidia_smi));
  std::error_code failure;
  const fs::path folder = fs::absolute(run.folder, failure);
  const fs::path file = GpuCheckFolder{folder}.Plan();
  const auto text = ReadFile(file, std::size_t{256} << 20);
  if (!text) {
    return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                 .where = folder.string(),
                                 .cause = "holds no plan.json, which --build-only makes",
                                 .remedy = "name a folder that --build-only made"});
  }
  ASSAY_ASSIGN_OR_RETURN(GpuCheckPlan plan, GpuCheckPlanFromJson(*text, file.string()));
  return GpuChecker(run, folder, std::move(plan), heard).Run(std::move(gpu));
}

}  // namespace assay
