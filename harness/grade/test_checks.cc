// SPDX-License-Identifier: Apache-2.0
#include "grade/test_checks.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace assay {
namespace {

struct TestPoint {
  std::string name;  // Empty: it is called by its place.
  bool is_ok = false;
  bool is_check = true;  // Not with `# SKIP` or `# TODO`.
};

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

bool TakeFront(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) {
    return false;
  }
  const std::string_view rest = text.substr(word.size());
  if (!rest.empty() && rest.front() != ' ' && rest.front() != '\t') {
    return false;  // `okay`, `ok:`.
  }
  text = Trimmed(rest);
  return true;
}

bool IsDirective(std::string_view text) {
  const auto starts = [text](std::string_view word) {
    return text.size() >= word.size() &&
           std::ranges::equal(text.substr(0, word.size()), word, {},
                              [](unsigned char character) { return std::toupper(character); });
  };
  return starts("SKIP") || starts("TODO");
}

std::optional<TestPoint> ReadTestPoint(std::string_view line) {
  TestPoint point;
  point.is_ok = TakeFront(line, "ok");
  if (!point.is_ok && !TakeFront(line, "not ok")) {
    return std::nullopt;
  }
  const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
  if (digits > 0 && (digits == line.size() || line[digits] == ' ')) {
    line = Trimmed(line.substr(digits));
  }
  if (line.starts_with("- ")) {
    line = Trimmed(line.substr(1));
  }
  if (const std::size_t hash = line.find('#'); hash != std::string_view::npos) {
    point.is_check = !IsDirective(Trimmed(line.substr(hash + 1)));
    line = Trimmed(line.substr(0, hash));
  }
  point.name = line;
  return point;
}

bool IsNamed(std::string_view check) {
  return check != kComesToItsEnd && check != kExitStatusIsZero;
}

}  // namespace

TestChecks ReadTestChecks(const SandboxedRun& run) {
  TestChecks checks;
  std::size_t place = 0;
  for (const std::string& line : SplitLines(run.output)) {
    std::optional<TestPoint> point = ReadTestPoint(line);
    if (!point) {
      continue;
    }
    ++place;
    if (point->is_check) {
      std::string name = point->name.empty() ? std::to_string(place) : std::move(point->name);
      (point->is_ok ? checks.passed : checks.failed).insert(std::move(name));
    }
  }
  for (const std::string& name : checks.failed) {
    checks.passed.erase(name);
  }
  const bool ended = run.status.kind == ExitStatus::Kind::kExited;
  (ended ? checks.passed : checks.failed).emplace(kComesToItsEnd);
  (run.succeeded() ? checks.passed : checks.failed).emplace(kExitStatusIsZero);
  return checks;
}

ExpectedChecks Expect(const TestChecks& on_itself, const TestChecks& on_baseline) {
  ExpectedChecks expected;
  std::ranges::set_intersection(on_itself.passed, on_baseline.passed,
                                std::inserter(expected.passed, expected.passed.end()));
  for (const TestChecks* run : {&on_itself, &on_baseline}) {
    std::ranges::copy_if(run->failed, std::inserter(expected.left_out, expected.left_out.end()),
                         IsNamed);
  }
  expected.can_tell =
      expected.passed.contains(kComesToItsEnd) && (expected.passed.contains(kExitStatusIsZero) ||
                                                   std::ranges::any_of(expected.passed, IsNamed));
  return expected;
}

bool FindsBug(const ExpectedChecks& expected, const TestChecks& run) {
  return !std::ranges::includes(run.passed, expected.passed);
}

}  // namespace assay
