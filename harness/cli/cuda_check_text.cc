// SPDX-License-Identifier: Apache-2.0
#include "cli/cuda_check_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/text.h"
#include "report/plain_text.h"

namespace assay {
namespace {

// A mutant that is another on this GPU differs in hundreds of cases.
constexpr std::size_t kShownCaseDifferences = 20;

std::string Indented(std::string_view text, std::string_view by) {
  std::string indented;
  for (const std::string& line : SplitLines(PlainLines(text))) {
    indented += fmt::format("{}{}\n", by, line);
  }
  return indented;
}

std::string HowItEnded(const ProgramOutcome& outcome) {
  switch (outcome.verdict) {
    case ProgramVerdict::kTimedOut:
      return "did not end in time";
    case ProgramVerdict::kOutputCut:
      return "printed more than is kept";
    case ProgramVerdict::kMissing:
      return "does not start";
    case ProgramVerdict::kAgrees:
    case ProgramVerdict::kDiffers:
    case ProgramVerdict::kFailed:
      break;
  }
  return fmt::format("exit code {}", outcome.exit_code);
}

std::string TextOf(const FoundGpu& gpu) { return PlainLine(gpu.name) + "\n"; }

std::string TextOf(const ProgramOutcome& outcome) {
  if (Agrees(outcome)) {
    return fmt::format("agrees {}\n", outcome.name);
  }
  return fmt::format("DIFFERS {} ({})\n", outcome.name, HowItEnded(outcome)) +
         Indented(outcome.detail, "  ");
}

std::string TextOf(const CounterOutcome& outcome) {
  if (outcome.verdict == CounterVerdict::kAgree) {
    return "";
  }
  if (outcome.verdict == CounterVerdict::kNotCompared) {
    return fmt::format("counters not compared: {} {}\n", outcome.name, PlainLine(outcome.reason));
  }
  std::string text = fmt::format("COUNTERS DIFFER {}\n", outcome.name);
  text += Indented(outcome.reason, "  ");
  for (const CounterDifference& one : outcome.differences) {
    text += fmt::format("  launch {} {}: {} is {}, {} on the emulator\n", one.launch,
                        PlainLine(one.kernel), one.counter, one.measured, one.emulated);
  }
  return text;
}

std::string TextOf(const HostOutcome& outcome) {
  std::string text =
      fmt::format("{} {}: {} of {} cases fail on the emulated GPU, {} of {} on this one\n",
                  outcome.challenge, outcome.host, outcome.emulated.failed, outcome.emulated.total,
                  outcome.here.failed, outcome.here.total);
  const std::size_t shown = std::min(outcome.differences.size(), kShownCaseDifferences);
  for (const CaseDifference& one : std::span(outcome.differences).first(shown)) {
    text += fmt::format("    {}: {} on the emulated GPU, {} on this one\n", PlainLine(one.name),
                        ToString(one.emulated), ToString(one.here));
  }
  if (shown < outcome.differences.size()) {
    text += fmt::format("    and {} more\n", outcome.differences.size() - shown);
  }
  if (!outcome.failure.empty()) {
    text += "  FAILED:\n" + Indented(outcome.failure, "    ");
  }
  return text;
}

std::string TextOf(const BenchOutcome& outcome) {
  return fmt::format("{} {}{}\n", outcome.challenge, outcome.name,
                     Agrees(outcome) ? "" : ": FAILED") +
         Indented(outcome.printed, "  ");
}

template <class Outcome>
std::size_t CountAgreeing(const std::vector<Outcome>& outcomes) {
  return static_cast<std::size_t>(
      std::ranges::count_if(outcomes, [](const Outcome& outcome) { return Agrees(outcome); }));
}

std::string CountersSummary(const GpuCheckReport& report) {
  if (!report.no_counters.empty()) {
    return fmt::format("counters were not compared: {}\n", PlainLine(report.no_counters));
  }
  std::vector<CounterOutcome> compared = report.counters;
  std::erase_if(compared, [](const CounterOutcome& outcome) {
    return outcome.verdict == CounterVerdict::kNotCompared;
  });
  return fmt::format("{} of {} programs have the emulator's counters\n", CountAgreeing(compared),
                     compared.size());
}

std::string ChallengesSummary(const GpuCheckReport& report) {
  if (!report.no_challenges.empty()) {
    return fmt::format("the CUDA challenges were not run: {}\n", PlainLine(report.no_challenges));
  }
  if (report.hosts.empty() && report.benches.empty()) {
    return "";  // Programs were named.
  }
  return fmt::format("{} of {} baselines and mutants, {} of {} benches did not fail\n",
                     CountAgreeing(report.hosts), report.hosts.size(),
                     CountAgreeing(report.benches), report.benches.size());
}

nlohmann::json ToJson(const ProgramOutcome& outcome) {
  return {{"name", outcome.name},
          {"verdict", ToString(outcome.verdict)},
          {"exit_code", outcome.exit_code},
          {"detail", outcome.detail}};
}

nlohmann::json ToJson(const CounterOutcome& outcome) {
  nlohmann::json differences = nlohmann::json::array();
  for (const CounterDifference& one : outcome.differences) {
    differences.push_back({{"launch", one.launch},
                           {"kernel", one.kernel},
                           {"counter", one.counter},
                           {"measured", one.measured},
                           {"emulated", one.emulated}});
  }
  return {{"name", outcome.name},
          {"verdict", ToString(outcome.verdict)},
          {"reason", outcome.reason},
          {"differences", std::move(differences)}};
}

nlohmann::json ToJson(const CaseCount& count) {
  return {{"failed", count.failed}, {"total", count.total}};
}

nlohmann::json ToJson(const HostOutcome& outcome) {
  nlohmann::json differences = nlohmann::json::array();
  for (const CaseDifference& one : outcome.differences) {
    differences.push_back(
        {{"case", one.name}, {"emulated", ToString(one.emulated)}, {"here", ToString(one.here)}});
  }
  return {{"challenge", outcome.challenge},        {"host", outcome.host},
          {"emulated", ToJson(outcome.emulated)},  {"here", ToJson(outcome.here)},
          {"differences", std::move(differences)}, {"failure", outcome.failure}};
}

nlohmann::json ToJson(const BenchOutcome& outcome) {
  return {{"challenge", outcome.challenge},
          {"name", outcome.name},
          {"failed", !Agrees(outcome)},
          {"printed", outcome.printed}};
}

template <class Outcome>
nlohmann::json ToJsonArray(const std::vector<Outcome>& outcomes) {
  nlohmann::json array = nlohmann::json::array();
  for (const Outcome& outcome : outcomes) {
    array.push_back(ToJson(outcome));
  }
  return array;
}

}  // namespace

std::string CudaCheckEventText(const GpuCheckEvent& event) {
  return std::visit([](const auto& outcome) { return TextOf(outcome); }, event);
}

std::string CudaCheckSummary(const GpuCheckReport& report) {
  return fmt::format("{} of {} programs agree with the emulator\n", CountAgreeing(report.programs),
                     report.programs.size()) +
         CountersSummary(report) + ChallengesSummary(report);
}

nlohmann::json CudaCheckToJson(const GpuCheckReport& report) {
  return {{"gpu", report.gpu},
          {"agrees", Agrees(report)},
          {"programs", ToJsonArray(report.programs)},
          {"counters", ToJsonArray(report.counters)},
          {"no_counters", report.no_counters},
          {"hosts", ToJsonArray(report.hosts)},
          {"benches", ToJsonArray(report.benches)},
          {"no_challenges", report.no_challenges}};
}

}  // namespace assay
