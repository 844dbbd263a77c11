// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/text.h"
#include "build/cuda_toolkit.h"
#include "cli/commands.h"
#include "cli/doctor_report.h"
#include "cli/exit_code.h"
#include "cli/json_output.h"
#include "cli/machine_check.h"
#include "cli/select_cells.h"
#include "client/host.h"
#include "exec/repository_lock.h"
#include "machine/machine.h"
#include "process/executable.h"
#include "process/interrupt.h"
#include "process/processors.h"
#include "process/run.h"
#include "spec/repository.h"

namespace assay {
namespace {

using Nanoseconds = std::chrono::duration<double, std::nano>;

std::string VersionOf(const std::string& tool) {
  if (!FindExecutable(tool)) {
    return "";
  }
  Command command;
  command.argv = {tool, "--version"};
  command.time_limit = std::chrono::seconds(10);
  const auto result = RunToCompletion(command);
  if (!result) {
    return "";
  }
  for (const std::string& line : SplitLines(result->output)) {
    if (std::ranges::any_of(line, [](char c) { return c >= '0' && c <= '9'; })) {
      return line.substr(line.find_first_not_of(' '));
    }
  }
  return "a version that it does not tell";
}

std::vector<ToolFact> FindTools() {
  std::vector<ToolFact> tools = {
      {.name = "g++", .version = {}, .need = Need::kRequired, .remedy = "apt-get install g++"},
      {.name = "cloc",
       .version = {},
       .need = Need::kForCodeQuality,
       .remedy = "apt-get install cloc"},
      {.name = "clang-tidy-19",
       .version = {},
       .need = Need::kForCodeQuality,
       .remedy = "apt-get install clang-tidy-19"}};
  for (ToolFact& tool : tools) {
    tool.version = VersionOf(tool.name);
  }
  // The one that Assay was built with compiles submissions, whatever is in PATH.
  tools.insert(tools.begin() + 1, {.name = "nvcc",
                                   .version = NvccVersion().value_or(""),
                                   .need = Need::kForCuda,
                                   .remedy = std::string(HowToGetNvcc())});
  return tools;
}

std::vector<RateFact> MeasureRates(int cores) {
  std::vector<RateFact> rates;
  for (const int threads : std::set<int>{1, std::max(cores, 1)}) {
    if (InterruptSignal() != 0) {
      break;
    }
    rates.push_back({.threads = threads,
                     .bandwidth_bytes_per_second = MeasureBandwidth(threads),
                     .fma_flops_per_second = MeasureFma(threads)});
  }
  return rates;
}

ClockFact MeasureClock() {
  constexpr int kReadings = 100'000;
  using Clock = std::chrono::steady_clock;
  auto smallest = Clock::duration::max();
  const auto start = Clock::now();
  auto last = start;
  for (int i = 0; i < kReadings; ++i) {
    const auto now = Clock::now();
    if (now > last) {
      smallest = std::min(smallest, now - last);
    }
    last = now;
  }
  return {.resolution_ns = Nanoseconds(smallest).count(),
          .reading_ns = Nanoseconds(last - start).count() / kReadings};
}

// Into the baseline's host of any challenge: the trip is the same for all.
RoundTripFact MeasureTrip(const Installation& installation, SandboxLevel level) {
  constexpr int kSamples = 20'000;
  const LoadedRepository loaded = LoadRepository(installation.sources);
  if (loaded.repository.challenges.empty()) {
    return {.problem = "there is no challenge"};
  }
  const auto executable = installation.BaselineHost(loaded.repository.challenges.front().id);
  std::error_code ignored;
  if (!std::filesystem::exists(executable, ignored)) {
    return {.problem = fmt::format("{} is not built", executable.string())};
  }
  // The host has a processor of its own, as it has when it is timed.
  const std::vector<int> processors = UsableProcessors();
  auto host =
      Host::Start({.executable = executable, .level = level, .processors = {processors.back()}});
  if (!host) {
    return {.problem = host.error().detail};
  }
  const auto trip = host->MeasureRoundTrip(kSamples);
  if (!trip) {
    return {.problem = trip.error().detail};
  }
  return {.median_ns = Nanoseconds(trip->median).count(),
          .p99_ns = Nanoseconds(trip->p99).count(),
          .problem = {}};
}

// As `grade` checks them before it grades, for all the submissions that there are.
std::vector<BaselineFact> ExamineBaselines(const Workplace& place, SandboxLevel level,
                                           const BaselineCheckStarted& started) {
  const Installation& installation = place.installation;
  const LoadedRepository loaded = LoadRepository(place.root, installation.sources);
  const Repository& repository = loaded.repository;
  std::vector<const SubmissionSpec*> submissions;
  submissions.reserve(repository.submissions.size());
  for (const SubmissionSpec& submission : repository.submissions) {
    submissions.push_back(&submission);
  }
  std::vector<BaselineFact> facts = FactsOfFaults(ChallengeFaults(loaded));
  std::vector<BaselineToCheck> built;
  for (BaselineToCheck& baseline : BaselinesFor(repository, submissions)) {
    const Status there = CheckBuilt(installation, baseline.challenge.id);
    facts.push_back({.challenge = baseline.challenge.id, .check = {}});
    if (there) {
      built.push_back(std::move(baseline));
    } else {
      facts.back().check = std::unexpected(there.error());
    }
  }
  auto checks = CheckBaselines({.root = place.root, .installation = installation, .level = level},
                               built, started);
  auto next = checks.begin();
  for (BaselineFact& fact : facts) {
    if (fact.check) {
      fact.check = std::move(*next++);
    }
  }
  return facts;
}

DoctorReport Examine(const Workplace& place, const BaselineCheckStarted& started) {
  DoctorReport report;
  report.tools = FindTools();
  report.sandbox = DetectCapabilities();
  if (!place.root.empty()) {
    report.baselines = ExamineBaselines(place, report.sandbox.level, started);
  }
  report.machine = DescribeMachine();
  report.clock = MeasureClock();
  report.rates = MeasureRates(report.machine.cores);
  report.round_trip = MeasureTrip(place.installation, report.sandbox.level);
  return report;
}

// A machine can be examined before there is a repository: without baselines then, since what was
// found of them is kept in one.
Result<Workplace> PlaceToExamine(const CommonOptions& options) {
  auto place = WorkplaceOf(options);
  if (place || !options.root.empty()) {
    return place;
  }
  ASSAY_ASSIGN_OR_RETURN(Installation installation, ThisInstallation());
  return Workplace{.root = {}, .installation = std::move(installation)};
}

}  // namespace

int RunDoctor(const DoctorOptions& options, Console& console) {
  const OutputFormat format = options.common.format;
  const auto place = PlaceToExamine(options.common);
  if (!place) {
    return Fail(console, format, {}, {place.error()});
  }
  if (!place->root.empty()) {
    // What is found of baselines is kept below it.
    if (const Status own = CheckNoLinks(place->root); !own) {
      return Fail(console, format, place->root, {own.error()});
    }
  }
  const DoctorReport report = Examine(*place, [&](const std::string& challenge) {
    if (format == OutputFormat::kText) {
      fmt::print(console.err, "checking this machine: compiling the baseline of {}\n", challenge);
    }
  });
  if (const auto stopped = CheckInterrupt(); !stopped) {
    return ExitCodeAfterInterrupt(Fail(console, format, {}, {stopped.error()}));
  }
  console.out << (format == OutputFormat::kJson ? Dump(DoctorToJson(report))
                                                : FormatDoctor(report));
  if (LacksRequiredTool(report)) {
    return static_cast<int>(ExitCode::kConfiguration);
  }
  if (options.required_sandbox && report.sandbox.level < *options.required_sandbox) {
    return static_cast<int>(ExitCode::kSandbox);
  }
  return static_cast<int>(FailsAtABaseline(report) ? ExitCode::kJudgeError : ExitCode::kDone);
}

}  // namespace assay
