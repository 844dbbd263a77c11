// SPDX-License-Identifier: Apache-2.0
#include "cli/try_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "report/plain_text.h"

namespace assay {
namespace {

constexpr std::size_t kMostNamed = 5;
constexpr std::size_t kMostLines = 40;

std::string Named(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNamed); ++i) {
    text += (i == 0 ? "" : ", ") + PlainLine(names[i]);
  }
  if (names.size() > kMostNamed) {
    text += fmt::format(" and {} more", names.size() - kMostNamed);
  }
  return text;
}

std::string Lines(const std::string& text) {
  const std::vector<std::string> lines = SplitLines(text);
  std::string shown;
  for (std::size_t i = 0; i < std::min(lines.size(), kMostLines); ++i) {
    shown += fmt::format("  {}\n", PlainLine(lines[i]));
  }
  if (lines.size() > kMostLines) {
    shown += fmt::format("  {} lines more\n", lines.size() - kMostLines);
  }
  return shown;
}

std::string BuildText(const TryOutcome& outcome, Colour colour) {
  if (outcome.build != Verdict::kAccepted && outcome.diagnostics.empty()) {
    return fmt::format("{}: {}\n", outcome.challenge,
                       Paint(colour, Tone::kBad, "has nothing to run"));
  }
  if (outcome.build != Verdict::kAccepted) {
    return fmt::format("{}: {}\n{}", outcome.challenge, Paint(colour, Tone::kBad, "does not build"),
                       Lines(outcome.diagnostics));
  }
  std::string text = fmt::format("{}: built in {:.1f} s", outcome.challenge, outcome.build_seconds);
  if (!outcome.repaired_by.empty()) {
    text += fmt::format(", not without {}", PlainLine(outcome.repaired_by));
  }
  if (outcome.warnings > 0) {
    text += fmt::format(", {} warning{}", outcome.warnings, outcome.warnings == 1 ? "" : "s");
  }
  return text + "\n";
}

struct Counts {
  std::size_t accepted = 0;
  std::size_t failed = 0;
  std::size_t skipped = 0;
  std::size_t unfinished = 0;
};

Counts CountsOf(const std::vector<CaseEvidence>& cases) {
  Counts counts;
  for (const CaseEvidence& one : cases) {
    ++(IsRight(one)        ? counts.accepted
       : IsUnfinished(one) ? counts.unfinished
       : HasFailed(one)    ? counts.failed
                           : counts.skipped);
  }
  return counts;
}

std::string CountText(const TryOutcome& outcome, Colour colour) {
  const Counts counts = CountsOf(outcome.cases);
  std::string text = fmt::format(
      "{} of {} cases in {:.1f} s: {}", outcome.cases.size(), outcome.cases_in_suite,
      outcome.suite_seconds, Paint(colour, Tone::kGood, fmt::format("{} right", counts.accepted)));
  if (counts.failed > 0) {
    text += ", " + Paint(colour, Tone::kBad, fmt::format("{} failed", counts.failed));
  }
  if (counts.skipped > 0) {
    text += fmt::format(", {} skipped", counts.skipped);
  }
  if (counts.unfinished > 0) {
    text += fmt::format(
        ", {} not finished: slow, or the machine is busy (--case NAME waits as long as grading)",
        counts.unfinished);
  }
  return text + "\n";
}

// Reasons of the cases that were skipped, each once.
std::string SkippedText(const std::vector<CaseEvidence>& cases, Colour colour) {
  std::map<std::string, int> reasons;
  for (const CaseEvidence& one : cases) {
    if (one.verdict == Verdict::kSkipped && !IsUnfinished(one)) {
      ++reasons[one.detail];
    }
  }
  std::string text;
  std::size_t shown = 0;
  for (const auto& [reason, times] : reasons) {
    if (shown++ < kMostNamed) {
      text +=
          Paint(colour, Tone::kFaint, fmt::format("  skipped {}: {}", times, PlainLine(reason))) +
          "\n";
    }
  }
  return text;
}

std::string FailureText(const TryOutcome& outcome, const std::string& again, Colour colour) {
  const CaseEvidence* const first = FirstToLookAt(outcome.cases);
  if (first == nullptr) {
    return "";
  }
  std::string text =
      fmt::format("\n{}: {}\n  {}\n", PlainLine(first->name),
                  Paint(colour, Tone::kBad, ToString(first->verdict)), PlainLine(first->detail));
  if (first->reproduction) {
    text += fmt::format("  shortest calls that fail: {}\n", PlainLine(*first->reproduction));
  }
  std::vector<std::string> others;
  for (const CaseEvidence& one : outcome.cases) {
    if (HasFailed(one) && &one != first) {
      others.push_back(one.name);
    }
  }
  if (!others.empty()) {
    text += fmt::format("also failed: {}\n", Named(others));
  }
  return text + fmt::format("again: {} --case '{}'\n", again, PlainLine(first->name));
}

// Where no failure is shown.
std::string EndText(const TryOutcome& outcome) {
  if (std::ranges::any_of(outcome.cases, &HasFailed)) {
    return "";
  }
  if (std::ranges::none_of(outcome.cases, &IsRight)) {
    return "no failure, but nothing was seen to be right either\n";
  }
  return outcome.cases.size() == outcome.cases_in_suite
             ? "no failure\n"
             : fmt::format("no failure; grading runs all {} cases, with other inputs\n",
                           outcome.cases_in_suite);
}

std::vector<std::string> NamesWhere(const TryOutcome& outcome, bool (*is)(const CaseEvidence&)) {
  std::vector<std::string> names;
  for (const CaseEvidence& one : outcome.cases) {
    if (is(one)) {
      names.push_back(one.name);
    }
  }
  return names;
}

std::vector<std::string> InBoth(const std::vector<std::string>& a,
                                const std::vector<std::string>& b) {
  std::vector<std::string> both;
  for (const std::string& name : a) {
    if (std::ranges::find(b, name) != b.end()) {
      both.push_back(name);
    }
  }
  return both;
}

}  // namespace

const CaseEvidence* FirstToLookAt(const std::vector<CaseEvidence>& cases) {
  const CaseEvidence* first = nullptr;
  const auto order = [](const CaseEvidence& one) {
    return std::tuple(!one.gates, !one.reproduction.has_value(), one.seconds);
  };
  for (const CaseEvidence& one : cases) {
    if (HasFailed(one) && (first == nullptr || order(one) < order(*first))) {
      first = &one;
    }
  }
  return first;
}

std::string RenderTry(const TryOutcome& outcome, const std::string& again, Colour colour) {
  std::string text = BuildText(outcome, colour);
  for (const SymbolAdvice& advice : outcome.symbol_advice) {
    text += fmt::format("  {}\n", PlainLine(advice.text));
  }
  if (outcome.build != Verdict::kAccepted) {
    return text;
  }
  if (outcome.cases.empty()) {
    return text + "no case was run for that; --case NAME runs some all the same\n";
  }
  text += CountText(outcome, colour) + SkippedText(outcome.cases, colour);
  for (const std::string& lack : outcome.device_lacks) {
    text += fmt::format("  the emulated GPU lacks {}\n", PlainLine(lack));
  }
  return text + EndText(outcome) + FailureText(outcome, again, colour);
}

nlohmann::json TryToJson(const TryOutcome& outcome) {
  nlohmann::json cases = nlohmann::json::array();
  for (const CaseEvidence& one : outcome.cases) {
    cases.push_back(
        {{"name", one.name},
         {"verdict", ToString(one.verdict)},
         {"detail", one.detail},
         {"reproduction", one.reproduction ? nlohmann::json(*one.reproduction) : nullptr},
         {"finished", !IsUnfinished(one)},
         {"gates", one.gates},
         {"seconds", one.seconds}});
  }
  nlohmann::json symbols = nlohmann::json::array();
  for (const SymbolAdvice& advice : outcome.symbol_advice) {
    symbols.push_back({{"name", advice.entry_point.name},
                       {"required", advice.entry_point.required},
                       {"advice", advice.text}});
  }
  const CaseEvidence* const first = FirstToLookAt(outcome.cases);
  return {
      {"challenge", outcome.challenge},
      {"fine", IsFine(outcome)},
      {"build",
       {{"verdict", ToString(outcome.build)},
        {"diagnostics", outcome.diagnostics},
        {"repaired_by", outcome.repaired_by},
        {"warnings", outcome.warnings},
        {"seconds", outcome.build_seconds}}},
      {"symbols", std::move(symbols)},
      {"cases_in_suite", outcome.cases_in_suite},
      {"cases", std::move(cases)},
      {"first_failure", first == nullptr ? nlohmann::json(nullptr) : nlohmann::json(first->name)},
      {"device_lacks", outcome.device_lacks},
      {"seconds", outcome.suite_seconds}};
}

std::vector<std::string> DifferencesBetween(const TryOutcome& before, const TryOutcome& after) {
  std::vector<std::string> changes;
  const bool built = before.build == Verdict::kAccepted;
  const bool builds = after.build == Verdict::kAccepted;
  if (built != builds) {
    changes.emplace_back(builds ? "builds again" : "no longer builds");
  }
  const auto was_wrong = NamesWhere(before, &HasFailed);
  const auto was_right = NamesWhere(before, &IsRight);
  const auto is_wrong = NamesWhere(after, &HasFailed);
  const auto is_right = NamesWhere(after, &IsRight);
  for (const auto& [what, names] : {std::pair{"now right: ", InBoth(is_right, was_wrong)},
                                    std::pair{"now wrong: ", InBoth(is_wrong, was_right)},
                                    std::pair{"still wrong: ", InBoth(is_wrong, was_wrong)}}) {
    if (!names.empty()) {
      changes.push_back(what + Named(names));
    }
  }
  return changes;
}

}  // namespace assay
