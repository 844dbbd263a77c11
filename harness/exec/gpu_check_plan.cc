// SPDX-License-Identifier: Apache-2.0
#include "exec/gpu_check_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "base/text.h"

namespace assay {
namespace {

constexpr int kPlanSchemaVersion = 1;

nlohmann::json LaunchToJson(const EmulatedLaunch& launch) {
  return {{"launch", launch.launch}, {"kernel", launch.kernel}, {"counters", launch.counters}};
}

EmulatedLaunch LaunchFromJson(const nlohmann::json& document) {
  return {.launch = document.at("launch").get<std::uint64_t>(),
          .kernel = document.at("kernel").get<std::string>(),
          .counters = document.at("counters").get<std::map<std::string, std::uint64_t>>()};
}

nlohmann::json ProgramToJson(const CheckedProgram& program) {
  nlohmann::json launches = nlohmann::json::array();
  for (const EmulatedLaunch& launch : program.launches) {
    launches.push_back(LaunchToJson(launch));
  }
  return {{"name", program.name},
          {"expected", program.expected},
          {"hardware_differs", program.hardware_differs},
          {"launches", std::move(launches)}};
}

CheckedProgram ProgramFromJson(const nlohmann::json& document) {
  CheckedProgram program{.name = document.at("name").get<std::string>(),
                         .expected = document.at("expected").get<std::string>(),
                         .hardware_differs = document.at("hardware_differs").get<std::string>(),
                         .launches = {}};
  for (const nlohmann::json& launch : document.at("launches")) {
    program.launches.push_back(LaunchFromJson(launch));
  }
  return program;
}

nlohmann::json ChallengeToJson(const CheckedChallenge& challenge) {
  nlohmann::json hosts = nlohmann::json::array();
  for (const CheckedHost& host : challenge.hosts) {
    nlohmann::json cases = nlohmann::json::object();
    for (const auto& [name, verdict] : host.emulated) {
      cases[name] = std::string(ToString(verdict));
    }
    hosts.push_back({{"name", host.name}, {"emulated", std::move(cases)}});
  }
  return {{"id", challenge.id}, {"filter", challenge.filter}, {"hosts", std::move(hosts)}};
}

CheckedChallenge ChallengeFromJson(const nlohmann::json& document) {
  CheckedChallenge challenge{.id = document.at("id").get<std::string>(),
                             .filter = document.at("filter").get<std::string>(),
                             .hosts = {}};
  for (const nlohmann::json& entry : document.at("hosts")) {
    CheckedHost host{.name = entry.at("name").get<std::string>(), .emulated = {}};
    for (const auto& [name, word] : entry.at("emulated").items()) {
      const auto verdict = VerdictFromString(word.get<std::string>());
      if (!verdict) {
        throw nlohmann::json::other_error::create(501, fmt::format("{} is no verdict", word.dump()),
                                                  &entry);
      }
      host.emulated.emplace(name, *verdict);
    }
    challenge.hosts.push_back(std::move(host));
  }
  return challenge;
}

}  // namespace

std::string ToJson(const GpuCheckPlan& plan) {
  nlohmann::json programs = nlohmann::json::array();
  for (const CheckedProgram& program : plan.programs) {
    programs.push_back(ProgramToJson(program));
  }
  nlohmann::json challenges = nlohmann::json::array();
  for (const CheckedChallenge& challenge : plan.challenges) {
    challenges.push_back(ChallengeToJson(challenge));
  }
  const nlohmann::json document = {{"schema_version", kPlanSchemaVersion},
                                   {"programs", std::move(programs)},
                                   {"challenges", std::move(challenges)},
                                   {"no_counters", plan.no_counters},
                                   {"no_challenges", plan.no_challenges}};
  return document.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Result<GpuCheckPlan> GpuCheckPlanFromJson(std::string_view text, const std::string& file) {
  const auto broken = [&](std::string cause) {
    return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                 .where = file,
                                 .cause = std::move(cause),
                                 .remedy = "make the folder again with --build-only"});
  };
  try {
    const nlohmann::json document = nlohmann::json::parse(text);
    if (document.at("schema_version") != kPlanSchemaVersion) {
      return broken("was written by another version of Assay");
    }
    GpuCheckPlan plan{.programs = {},
                      .challenges = {},
                      .no_counters = document.at("no_counters").get<std::string>(),
                      .no_challenges = document.at("no_challenges").get<std::string>()};
    for (const nlohmann::json& program : document.at("programs")) {
      plan.programs.push_back(ProgramFromJson(program));
    }
    for (const nlohmann::json& challenge : document.at("challenges")) {
      plan.challenges.push_back(ChallengeFromJson(challenge));
    }
    return plan;
  } catch (const nlohmann::json::exception& exception) {
    return broken(exception.what());
  }
}

ProgramNotes ReadProgramNotes(std::string_view source) {
  constexpr std::string_view kFlags = "// FLAGS: ";
  constexpr std::string_view kHardware = "// HARDWARE: ";
  ProgramNotes notes;
  for (const std::string& line : SplitLines(source)) {
    if (line.starts_with(kFlags)) {
      std::istringstream words(line.substr(kFlags.size()));
      for (std::string word; words >> word;) {
        notes.flags.push_back(word);
      }
    } else if (line.starts_with(kHardware)) {
      notes.hardware_differs = line.substr(kHardware.size());
    } else if (line.starts_with("// COUNTERS: vary")) {
      notes.counters_vary = true;
    }
  }
  return notes;
}

Result<std::map<std::string, std::vector<EmulatedLaunch>>> ReadEmulatedCounters(
    std::string_view lines) {
  std::map<std::string, std::vector<EmulatedLaunch>> programs;
  try {
    for (const std::string& line : SplitLines(lines)) {
      const nlohmann::json document = nlohmann::json::parse(line);
      programs[document.at("program").get<std::string>()].push_back(LaunchFromJson(document));
    }
  } catch (const nlohmann::json::exception& exception) {
    return std::unexpected(
        Error{.kind = ErrorKind::kJudge,
              .where = "gpu_counters",
              .cause = fmt::format("printed what is no launch: {}", exception.what()),
              .remedy = "build it again; if that does not help, it is a bug of Assay"});
  }
  return programs;
}

std::string FilterOfCudaCases(const std::vector<std::string>& cases) {
  const bool named =
      std::ranges::any_of(cases, [](const std::string& name) { return name.contains("Cuda"); });
  return named ? "*Cuda*" : "*";
}

std::vector<std::filesystem::path> LibrariesToCarry(std::string_view ldd_output) {
  constexpr std::array<std::string_view, 8> kEverywhere = {
      "libc.so",       "libm.so",      "libdl.so",    "librt.so",
      "libpthread.so", "libstdc++.so", "libgcc_s.so", "ld-linux"};
  std::vector<std::filesystem::path> libraries;
  for (const std::string& line : SplitLines(ldd_output)) {
    // `\tlibfmt.so.9 => /lib/x86_64-linux-gnu/libfmt.so.9 (0x…)`; the kernel's and ones that are
    // not found have no path.
    std::istringstream words(line);
    std::string name;
    std::string arrow;
    std::string path;
    words >> name >> arrow >> path;
    const bool everywhere = std::ranges::any_of(
        kEverywhere, [&](std::string_view known) { return name.starts_with(known); });
    if (arrow == "=>" && path.starts_with('/') && !everywhere) {
      libraries.emplace_back(path);
    }
  }
  std::ranges::sort(libraries);
  const auto [first, last] = std::ranges::unique(libraries);
  libraries.erase(first, last);
  return libraries;
}

}  // namespace assay
