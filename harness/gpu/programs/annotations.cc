// SPDX-License-Identifier: Apache-2.0
#include "gpu/programs/annotations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>
#include <utility>

#include "emulator/report/words.h"

namespace assay::gpu {
namespace {

/// What follows `// <word>: ` in `line`.
std::optional<std::string> Argument(std::string_view line, std::string_view word) {
  const std::string marker = fmt::format("// {}: ", word);
  const std::size_t at = line.find(marker);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  return std::string(line.substr(at + marker.size()));
}

template <typename T>
std::optional<T> Parse(std::string_view text) {
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

std::optional<ExpectedFinding> ParseFinding(const std::string& argument) {
  std::istringstream words(argument);
  std::string checker;
  std::string kinds;
  std::string where;
  words >> checker >> kinds >> where;
  ExpectedFinding expected;
  const auto known_checker = FromWord<Checker>(checker);
  if (!known_checker || !(where.empty() || where == "host")) {
    return std::nullopt;
  }
  expected.checker = *known_checker;
  expected.on_host = where == "host";
  std::istringstream each(kinds);
  for (std::string kind; std::getline(each, kind, '|');) {
    const auto known_kind = FromWord<FindingKind>(kind);
    if (!known_kind) {
      return std::nullopt;
    }
    expected.kinds.push_back(*known_kind);
  }
  return expected.kinds.empty() ? std::nullopt : std::optional(expected);
}

std::optional<ExpectedCount> ParseCount(const std::string& argument) {
  constexpr std::string_view kFrom = " from CUDA ";
  ExpectedCount expected;
  const std::size_t from = argument.find(kFrom);
  if (from != std::string::npos) {
    const auto major = Parse<int>(std::string_view(argument).substr(from + kFrom.size()));
    if (!major) {
      return std::nullopt;
    }
    expected.from_cuda = *major;
  }
  std::istringstream words(argument.substr(0, from));
  std::string value;
  words >> expected.kernel >> expected.counter >> value;
  const auto number = Parse<std::uint64_t>(value);
  if (!number || !FindCounter(LaunchCounters{}, expected.counter)) {
    return std::nullopt;
  }
  expected.value = *number;
  return expected;
}

/// Takes what `line` says into `annotations`. False: it says something that makes no sense.
bool TakeLine(std::string_view line, std::uint32_t number, Annotations& annotations) {
  for (const auto& [word, severity] : {std::pair{"BUG", std::optional<Severity>()},
                                       std::pair{"WARNING", std::optional(Severity::kWarning)},
                                       std::pair{"INFO", std::optional(Severity::kInfo)}}) {
    const auto argument = Argument(line, word);
    if (!argument) {
      continue;
    }
    auto expected = ParseFinding(*argument);
    if (!expected) {
      return false;
    }
    expected->line = number;
    expected->severity = severity;
    annotations.findings.push_back(*std::move(expected));
  }
  if (const auto argument = Argument(line, "COUNT")) {
    auto expected = ParseCount(*argument);
    if (!expected) {
      return false;
    }
    expected->line = number;
    annotations.counts.push_back(*std::move(expected));
  }
  if (const auto argument = Argument(line, "LIMIT")) {
    annotations.instruction_limit = Parse<std::uint64_t>(*argument);
    return annotations.instruction_limit.has_value();
  }
  if (const auto argument = Argument(line, "REPORTED")) {
    annotations.reported = Parse<std::uint64_t>(*argument);
    return annotations.reported.has_value();
  }
  if (const auto argument = Argument(line, "FINDINGS")) {
    constexpr std::string_view kBefore = "any before CUDA ";
    if (argument->starts_with(kBefore)) {
      const auto major = Parse<int>(std::string_view(*argument).substr(kBefore.size()));
      annotations.any_findings_before_cuda = major.value_or(0);
      return major.has_value();
    }
    annotations.any_findings = *argument == "any";
    return annotations.any_findings;
  }
  if (const auto argument = Argument(line, "COUNTERS")) {
    annotations.counters_vary = *argument == "vary";
    return annotations.counters_vary;
  }
  return true;
}

bool IsAt(const Site& site, std::string_view file_name, std::uint32_t line) {
  return site.line == line && std::filesystem::path(site.file).filename() == file_name;
}

bool Answers(const Finding& finding, const ExpectedFinding& expected, std::string_view file_name) {
  const auto kind = std::ranges::find(expected.kinds, finding.kind);
  if (kind == expected.kinds.end() ||
      (kind == expected.kinds.begin() && finding.checker != expected.checker)) {
    return false;
  }
  if (expected.severity && finding.severity != *expected.severity) {
    return false;
  }
  return expected.on_host || IsAt(finding.site, file_name, expected.line) ||
         (finding.other && IsAt(*finding.other, file_name, expected.line));
}

}  // namespace

Result<Annotations> ParseAnnotations(const std::filesystem::path& file, std::string_view text) {
  Annotations annotations;
  std::uint32_t number = 0;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (!TakeLine(line, number, annotations)) {
      return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                   .where = fmt::format("{}:{}", file.string(), number),
                                   .cause = fmt::format("\"{}\" is no annotation", line),
                                   .remedy = "harness/gpu/programs/README.md lists them"});
    }
  }
  return annotations;
}

std::string Differences(std::span<const ExpectedFinding> expected,
                        std::span<const Finding> findings, std::string_view file_name) {
  std::string differences;
  for (const ExpectedFinding& want : expected) {
    if (std::ranges::none_of(findings,
                             [&](const Finding& f) { return Answers(f, want, file_name); })) {
      differences += fmt::format("missing: {} {} in line {}\n", ToString(want.checker),
                                 ToString(want.kinds.front()), want.line);
    }
  }
  for (const Finding& finding : findings) {
    if (std::ranges::none_of(expected, [&](const ExpectedFinding& want) {
          return Answers(finding, want, file_name);
        })) {
      differences +=
          fmt::format("not expected: {} {} {} at {}:{} ({}) in {}, other site {}:{}, {}\n",
                      ToString(finding.severity), ToString(finding.checker), ToString(finding.kind),
                      finding.site.file, finding.site.line, finding.site.instruction,
                      finding.kernel, finding.other ? finding.other->file : "-",
                      finding.other ? finding.other->line : 0, finding.note);
    }
  }
  return differences;
}

std::optional<std::uint64_t> FindCounter(const LaunchCounters& counters, std::string_view name) {
  using Counters = LaunchCounters;
  using Access = AccessCounters;
  static constexpr std::array<std::pair<std::string_view, std::uint64_t Counters::*>, 12> kWhole = {
      {{"warp_instructions", &Counters::warp_instructions},
       {"thread_instructions", &Counters::thread_instructions},
       {"branches", &Counters::branches},
       {"divergent_branches", &Counters::divergent_branches},
       {"barriers", &Counters::barriers},
       {"shuffles", &Counters::shuffles},
       {"compulsory_read_bytes", &Counters::compulsory_read_bytes},
       {"compulsory_write_bytes", &Counters::compulsory_write_bytes},
       {"dram_read_bytes", &Counters::dram_read_bytes},
       {"dram_write_bytes", &Counters::dram_write_bytes},
       {"l2_read_sectors", &Counters::l2_read_sectors},
       {"l2_write_sectors", &Counters::l2_write_sectors}}};
  static constexpr std::array<std::pair<std::string_view, Access Counters::*>, 9> kSpaces = {
      {{"global_load", &Counters::global_load},
       {"global_store", &Counters::global_store},
       {"global_atomic", &Counters::global_atomic},
       {"global_reduction", &Counters::global_reduction},
       {"local_load", &Counters::local_load},
       {"local_store", &Counters::local_store},
       {"shared_load", &Counters::shared_load},
       {"shared_store", &Counters::shared_store},
       {"shared_atomic", &Counters::shared_atomic}}};
  static constexpr std::array<std::pair<std::string_view, std::uint64_t Access::*>, 7> kFields = {
      {{"requests", &Access::requests},
       {"threads", &Access::threads},
       {"bytes", &Access::bytes},
       {"sectors", &Access::sectors},
       {"ideal_sectors", &Access::ideal_sectors},
       {"wavefronts", &Access::wavefronts},
       {"ideal_wavefronts", &Access::ideal_wavefronts}}};
  for (const auto& [known, member] : kWhole) {
    if (name == known) {
      return counters.*member;
    }
  }
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) {
    return std::nullopt;
  }
  for (const auto& [space, member] : kSpaces) {
    for (const auto& [field, field_member] : kFields) {
      if (name.substr(0, dot) == space && name.substr(dot + 1) == field) {
        return counters.*member.*field_member;
      }
    }
  }
  return std::nullopt;
}

}  // namespace assay::gpu
