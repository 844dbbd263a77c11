// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "report/challenge_sections.h"
#include "report/plain_text.h"
#include "report/words.h"
#include "score/cost_once.h"
#include "score/diagnosis.h"

namespace assay {
namespace {

constexpr std::size_t kMostCasesListed = 40;
constexpr std::size_t kMostReproductions = 5;
constexpr std::size_t kMostReasons = 12;
constexpr std::size_t kLongestDetail_bytes = 2400;  ///< As client/results.h keeps them.
constexpr std::size_t kMostCasesNamed = 20;

/// Verdicts that some case has, in the order of gravity.
std::set<Verdict> VerdictsOf(const ChallengeBoard& challenge) {
  std::set<Verdict> verdicts;
  for (const Evidence* cell : challenge.cells) {
    for (const CaseEvidence& one : cell->suite.cases) {
      verdicts.insert(one.verdict);
    }
  }
  return verdicts;
}

Markdown CasesByVerdict(const ChallengeBoard& challenge) {
  MarkdownTable table = TableOfModels(challenge, {"Cases"}, Align::kRight);
  for (const Verdict verdict : VerdictsOf(challenge)) {
    std::vector<Markdown> row = {Markdown::Text(ToString(verdict))};
    for (const Evidence* cell : challenge.cells) {
      row.push_back(Number(
          std::count_if(cell->suite.cases.begin(), cell->suite.cases.end(),
                        [verdict](const CaseEvidence& one) { return one.verdict == verdict; })));
    }
    table.AddRow(std::move(row));
  }
  return table.empty() ? Markdown() : table.Render();
}

Markdown CasesByTag(const ChallengeBoard& challenge) {
  std::map<std::string, std::map<const Evidence*, std::pair<int, int>>> by_tag;
  for (const Evidence* cell : challenge.cells) {
    for (const CaseEvidence& one : cell->suite.cases) {
      for (const std::string& tag : one.tags) {
        auto& [passed, all] = by_tag[tag][cell];
        passed += one.verdict == Verdict::kAccepted ? 1 : 0;
        ++all;
      }
    }
  }
  MarkdownTable table = TableOfModels(challenge, {"Accepted, by tag"}, Align::kRight);
  for (const auto& [tag, counts] : by_tag) {
    std::vector<Markdown> row = {CellText(tag)};
    for (const Evidence* cell : challenge.cells) {
      const auto found = counts.find(cell);
      row.push_back(
          found == counts.end()
              ? Markdown("—")
              : Markdown::Text(fmt::format("{} of {}", found->second.first, found->second.second)));
    }
    table.AddRow(std::move(row));
  }
  return table.empty() ? Markdown() : "\n" + table.Render();
}

bool IsFailure(const CaseEvidence& one) {
  return one.verdict != Verdict::kAccepted && one.verdict != Verdict::kSkipped;
}

/// What random calls were shrunk to, and what went wrong at their end.
Markdown Reproductions(const Evidence& cell) {
  Markdown list;
  std::size_t shown = 0;
  for (const CaseEvidence& one : cell.suite.cases) {
    if (one.reproduction && shown++ < kMostReproductions) {
      list += "- " + Markdown::Bold(LineText(one.name)) + ": " + Markdown::Text(*one.reproduction) +
              ": " + Markdown::Text(Shorten(one.detail, kLongestDetail_bytes)) + "\n";
    }
  }
  return list.empty() ? list : "The shortest calls found that fail:\n\n" + list + "\n";
}

/// Why cases were skipped, the most frequent reasons first.
Markdown Skipped(const Evidence& cell) {
  using Reason = std::pair<std::string, std::string>;  ///< Cause and detail.
  std::map<Reason, int> by_reason;
  for (const CaseEvidence& one : cell.suite.cases) {
    if (one.verdict == Verdict::kSkipped) {
      ++by_reason[{one.skip_cause ? fmt::format(", {}", ToString(*one.skip_cause)) : "",
                   one.detail}];
    }
  }
  std::vector<std::pair<Reason, int>> reasons(by_reason.begin(), by_reason.end());
  std::ranges::sort(reasons, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  Markdown list;
  for (const auto& [reason, count] :
       std::span(reasons).first(std::min(kMostReasons, reasons.size()))) {
    list += "- " + Markdown::Text(CountOfCases(count) + reason.first) + ": " +
            CellText(reason.second) + "\n";
  }
  return list.empty() ? list : "Skipped, and so not passed:\n\n" + list;
}

Markdown FailingCases(const Evidence& cell) {
  MarkdownTable table({{.title = "Case"},
                       {.title = "Verdict"},
                       {.title = "Gates"},
                       {.title = "Asked last"},
                       {.title = "Error over bound", .align = Align::kRight},
                       {.title = "Detail"}});
  std::size_t failing = 0;
  for (const CaseEvidence& one : cell.suite.cases) {
    if (!IsFailure(one) || ++failing > kMostCasesListed) {
      continue;
    }
    table.AddRow({CellText(one.name), Markdown::Text(ToString(one.verdict)),
                  one.gates ? Markdown("yes") : Markdown("no"),
                  one.failing_operation ? CellText(*one.failing_operation) : Markdown("—"),
                  one.error_over_bound
                      ? Markdown::Text(fmt::format("{:.3g}", *one.error_over_bound))
                      : Markdown("—"),
                  CellText(one.detail)});
  }
  const auto accepted =
      std::ranges::count(cell.suite.cases, Verdict::kAccepted, &CaseEvidence::verdict);
  const std::size_t not_accepted = cell.suite.cases.size() - static_cast<std::size_t>(accepted);
  if (not_accepted == 0) {
    return {};
  }
  Markdown body = failing == 0 ? Markdown() : table.Render();
  if (failing > kMostCasesListed) {
    body +=
        Markdown::Text(fmt::format("{} more are in the evidence.", failing - kMostCasesListed)) +
        "\n";
  }
  body += (failing == 0 ? Markdown() : Markdown("\n")) + Skipped(cell);
  return "\n" + Markdown::Details(fmt::format("{}: {} of {} cases not accepted", cell.model_name,
                                              not_accepted, cell.suite.cases.size()),
                                  body);
}

// A list and no table: names of twenty cases are wider than any cell.
Markdown Grounds(const Diagnosis& diagnosis) {
  const auto cases = [](const std::vector<std::string>& names) {
    return names.empty() ? Markdown("none") : Markdown::Text(FirstOf(names, kMostCasesNamed));
  };
  Markdown text;
  for (const Match& match : diagnosis.matches) {
    text += "- like " + MutantNames(match.mutants) + "\n  - cases for: " + cases(match.cases_for) +
            "\n  - cases against: " + cases(match.cases_against) + "\n";
  }
  if (!diagnosis.unexplained.empty()) {
    text += "- like no known bug: " + cases(diagnosis.unexplained) + "\n";
  }
  return text;
}

Markdown FailuresOf(const Evidence& cell, const ChallengeView& challenge,
                    const Diagnosis& diagnosis) {
  Markdown text = Markdown::Bold(Markdown::Text(cell.model_name)) +
                  Markdown::Text(fmt::format(", {} failing:", CountOfCases(diagnosis.failing))) +
                  "\n\n";
  for (const Match& match : diagnosis.matches) {
    text += "- fails like " + MutantNames(match.mutants) +
            Markdown::Text(
                fmt::format(" ({}){}", GroundsOf(match), WhereItCosts(match, challenge, cell))) +
            "\n";
  }
  if (!diagnosis.unexplained.empty()) {
    text +=
        "- " +
        Markdown::Text(fmt::format("{} like no known bug",
                                   CountOfCases(static_cast<int>(diagnosis.unexplained.size())))) +
        "\n";
  }
  return text + "\n" + Reproductions(cell) +
         Markdown::Details(cell.model_name + ": which cases say so", Grounds(diagnosis));
}

}  // namespace

Markdown CaseSection(const ChallengeBoard& challenge) {
  Markdown section = CasesByVerdict(challenge) + CasesByTag(challenge);
  for (const Evidence* cell : challenge.cells) {
    section += FailingCases(*cell);
  }
  return section;
}

Markdown DiagnosisSection(const ChallengeBoard& challenge) {
  std::vector<Markdown> parts;
  for (std::size_t i = 0; i < challenge.cells.size(); ++i) {
    const Evidence* const cell = challenge.cells[i];
    const int failing = CountGatingFailures(cell->suite);
    if (failing == 0) {
      continue;
    }
    const std::optional<Diagnosis>& diagnosis = challenge.cards[i].diagnosis;
    parts.push_back(diagnosis ? FailuresOf(*cell, *challenge.view, *diagnosis)
                              : Markdown::Bold(Markdown::Text(cell->model_name)) +
                                    Markdown::Text(fmt::format(
                                        ", {} failing: no signatures of mutants are kept.",
                                        CountOfCases(failing))) +
                                    "\n\n" + Reproductions(*cell));
  }
  if (parts.empty()) {
    return {};
  }
  return "Gating cases that fail, against the cases that the reference's mutants fail. It says "
         "what a failure is like, never what it is; harness/score/README.md defines the "
         "numbers.\n\n" +
         Markdown::Join(parts, "\n");
}

}  // namespace assay
