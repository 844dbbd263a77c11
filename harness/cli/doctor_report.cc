// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "cli/table.h"
#include "report/plain_text.h"

namespace assay {
namespace {

constexpr double kGiga = 1e9;

std::string Rate(double per_second, std::string_view unit) {
  return std::isfinite(per_second) ? fmt::format("{:.1f} {}", per_second / kGiga, unit)
                                   : std::string("not measured");
}

nlohmann::json NumberOrNull(double number) {
  return std::isfinite(number) ? nlohmann::json(number) : nlohmann::json(nullptr);
}

std::string_view LossWithout(Need need) {
  switch (need) {
    case Need::kRequired:
      return "nothing can be graded";
    case Need::kForCuda:
      return "nothing in CUDA can be graded";
    case Need::kForCodeQuality:
      break;
  }
  return "code quality is not measured";
}

std::string FormatTools(const DoctorReport& report) {
  std::vector<std::vector<std::string>> rows;
  for (const ToolFact& tool : report.tools) {
    if (!tool.version.empty()) {
      rows.push_back({"  " + tool.name, "yes", tool.version});
    } else {
      rows.push_back(
          {"  " + tool.name, "NO", fmt::format("{}; {}", LossWithout(tool.need), tool.remedy)});
    }
  }
  return "Tools\n" + FormatTable(rows);
}

std::string FormatSandbox(const SandboxCapabilities& sandbox) {
  std::vector<std::vector<std::string>> rows;
  for (const Capability& capability : sandbox.capabilities) {
    const std::string remedy = capability.remedy.empty() ? "" : "; " + capability.remedy;
    rows.push_back(
        {"  " + capability.name, capability.available ? "yes" : "NO", capability.detail + remedy});
  }
  std::string text =
      fmt::format("Sandbox: level {}\n", ToString(sandbox.level)) + FormatTable(rows);
  if (!sandbox.next_level.empty()) {
    text += "  To reach the next level: " + PlainLine(sandbox.next_level) + "\n";
  }
  return text;
}

std::string FormatBaseline(const BaselineFact& fact) {
  const std::string asked = fmt::format("  {}: compiles its baseline: ", fact.challenge);
  if (!fact.check) {
    // What is not built, or no compiler, says nothing of whether it would compile.
    std::string text =
        asked + (fact.check.error().kind == ErrorKind::kJudge ? "NO\n" : "not checked\n");
    for (const std::string& line : SplitLines(ToString(fact.check.error()))) {
      text += "    " + PlainLine(line) + "\n";
    }
    return text;
  }
  return asked + (fact.check->source == BaselineCheck::Source::kKept
                      ? fmt::format("yes (kept from {})\n", fact.check->date)
                      : fmt::format("yes (measured now, {:.1f} s)\n", fact.check->seconds));
}

std::string FormatBaselines(const std::vector<BaselineFact>& baselines) {
  std::string text = "Challenges\n";
  if (baselines.empty()) {
    text += "  not checked: there is no repository of submissions here; assay init makes one\n";
  }
  for (const BaselineFact& fact : baselines) {
    text += FormatBaseline(fact);
  }
  return text;
}

std::string FormatMachine(const DoctorReport& report) {
  std::vector<std::vector<std::string>> rows = {
      {"  processor", fmt::format("{}, {} usable", report.machine.cpu_model, report.machine.cores)},
      {"  memory",
       fmt::format("{:.1f} GB", static_cast<double>(report.machine.memory_bytes) / kGiga)},
      {"  kernel", report.machine.kernel}};
  for (const RateFact& rate : report.rates) {
    const std::string threads =
        fmt::format("{} thread{}", rate.threads, rate.threads == 1 ? "" : "s");
    rows.push_back({"  bandwidth, " + threads, Rate(rate.bandwidth_bytes_per_second, "GB/s")});
    rows.push_back({"  FMA, " + threads, Rate(rate.fma_flops_per_second, "GFLOP/s")});
  }
  rows.push_back({"  clock", fmt::format("steps of {:.0f} ns, {:.0f} ns a reading",
                                         report.clock.resolution_ns, report.clock.reading_ns)});
  const RoundTripFact& trip = report.round_trip;
  rows.push_back({"  round trip", trip.problem.empty()
                                      ? fmt::format("median {:.0f} ns, 99th percentile {:.0f} ns",
                                                    trip.median_ns, trip.p99_ns)
                                      : "not measured: " + trip.problem});
  return "Machine\n" + FormatTable(rows);
}

nlohmann::json SandboxToJson(const SandboxCapabilities& sandbox) {
  nlohmann::json json = {{"level", ToString(sandbox.level)},
                         {"obstacle", ToString(sandbox.obstacle)},
                         {"next_level", sandbox.next_level},
                         {"capabilities", nlohmann::json::array()}};
  for (const Capability& capability : sandbox.capabilities) {
    json["capabilities"].push_back({{"name", capability.name},
                                    {"available", capability.available},
                                    {"obstacle", ToString(capability.obstacle)},
                                    {"detail", capability.detail},
                                    {"remedy", capability.remedy}});
  }
  return json;
}

nlohmann::json BaselineToJson(const BaselineFact& fact) {
  nlohmann::json json = {{"challenge", fact.challenge}, {"compiles", fact.check.has_value()}};
  if (!fact.check) {
    json["problem"] = ToString(fact.check.error());
    return json;
  }
  json["kept"] = fact.check->source == BaselineCheck::Source::kKept;
  json["date"] = fact.check->date;
  json["seconds"] = fact.check->seconds;
  return json;
}

}  // namespace

std::vector<BaselineFact> FactsOfFaults(const Errors& faults) {
  constexpr std::string_view kFolder = "challenges/";
  std::vector<BaselineFact> facts;
  for (const Error& fault : faults) {
    const std::string below = fault.where.substr(std::min(kFolder.size(), fault.where.size()));
    facts.push_back(
        {.challenge = below.substr(0, below.find('/')), .check = std::unexpected(fault)});
  }
  return facts;
}

bool FailsAtABaseline(const DoctorReport& report) {
  return std::ranges::any_of(report.baselines, [](const BaselineFact& fact) {
    return !fact.check && fact.check.error().kind == ErrorKind::kJudge;
  });
}

bool LacksRequiredTool(const DoctorReport& report) {
  return std::ranges::any_of(report.tools, [](const ToolFact& tool) {
    return tool.version.empty() && tool.need == Need::kRequired;
  });
}

std::string FormatDoctor(const DoctorReport& report) {
  return FormatTools(report) + "\n" + FormatSandbox(report.sandbox) + "\n" +
         FormatBaselines(report.baselines) + "\n" + FormatMachine(report);
}

nlohmann::json DoctorToJson(const DoctorReport& report) {
  nlohmann::json json = {
      {"tools", nlohmann::json::array()},
      {"sandbox", SandboxToJson(report.sandbox)},
      {"baselines", nlohmann::json::array()},
      {"machine",
       {{"cpu_model", report.machine.cpu_model},
        {"cores", report.machine.cores},
        {"memory_bytes", report.machine.memory_bytes},
        {"kernel", report.machine.kernel}}},
      {"rates", nlohmann::json::array()},
      {"clock",
       {{"resolution_ns", report.clock.resolution_ns}, {"reading_ns", report.clock.reading_ns}}}};
  for (const ToolFact& tool : report.tools) {
    json["tools"].push_back({{"name", tool.name},
                             {"version", tool.version},
                             {"required", tool.need == Need::kRequired},
                             {"remedy", tool.version.empty() ? tool.remedy : ""}});
  }
  for (const BaselineFact& fact : report.baselines) {
    json["baselines"].push_back(BaselineToJson(fact));
  }
  for (const RateFact& rate : report.rates) {
    json["rates"].push_back(
        {{"threads", rate.threads},
         {"bandwidth_bytes_per_second", NumberOrNull(rate.bandwidth_bytes_per_second)},
         {"fma_flops_per_second", NumberOrNull(rate.fma_flops_per_second)}});
  }
  const RoundTripFact& trip = report.round_trip;
  json["round_trip"] =
      trip.problem.empty()
          ? nlohmann::json({{"median_ns", trip.median_ns}, {"p99_ns", trip.p99_ns}})
          : nlohmann::json({{"problem", trip.problem}});
  return json;
}

}  // namespace assay
