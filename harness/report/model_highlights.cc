// SPDX-License-Identifier: Apache-2.0
#include "report/model_highlights.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ranges>
#include <utility>

#include "report/words.h"
#include "score/diagnosis.h"

namespace assay {
namespace {

constexpr std::size_t kMostBugs = 8;

std::vector<CriticalIssue> IssuesOf(const Evidence& cell,
                                    const std::optional<Diagnosis>& diagnosis) {
  using enum CriticalIssue::Kind;
  std::vector<CriticalIssue> issues;
  if (cell.repair) {
    issues.push_back(
        {.kind = kDoesNotBuild, .subject = "", .detail = FirstErrorOf(cell.repair->diagnostics)});
  }
  if (cell.verdict != Verdict::kAccepted) {
    issues.push_back({.kind = kNotAccepted,
                      .subject = std::string(ToString(cell.verdict)),
                      .detail = cell.verdict_detail.empty() ? FirstErrorOf(cell.release.diagnostics)
                                                            : cell.verdict_detail});
  }
  if (diagnosis) {
    for (const Match& match : diagnosis->matches | std::views::take(kMostBugs)) {
      issues.push_back({.kind = kKnownBug,
                        .subject = MutantsOf(match),
                        .detail = GroundsOf(match),
                        .mutants = match.mutants});
    }
    if (!diagnosis->unexplained.empty()) {
      const std::string cases = CountOfCases(static_cast<int>(diagnosis->unexplained.size()));
      issues.push_back(
          {.kind = kUnexplained, .subject = "", .detail = cases + " that no known bug explains"});
    }
  }
  return issues;
}

void FindBestAndWorst(CellHighlights& highlights) {
  auto scored = highlights.card().dimensions |
                std::views::filter([](const DimensionScore& one) { return one.score.has_value(); });
  if (!scored.empty()) {
    const auto [worst, best] = std::ranges::minmax_element(scored, {}, &DimensionScore::score);
    highlights.worst = &*worst;
    highlights.best = &*best;
  }
}

std::vector<Highlight> Foremost(std::vector<Highlight> rows) {
  rows.resize(std::min(rows.size(), kMostHighlights));
  return rows;
}

CellHighlights HighlightsOfCell(const ChallengeBoard& challenge, std::size_t index) {
  CellHighlights highlights;
  highlights.challenge = &challenge;
  highlights.index = index;
  const Scorecard& card = highlights.card();
  FindBestAndWorst(highlights);
  highlights.issues = IssuesOf(highlights.cell(), card.diagnosis);
  highlights.strengths = Foremost(Strengths(*challenge.view, card, challenge.totals));
  highlights.weaknesses = Foremost(Weaknesses(*challenge.view, card));
  return highlights;
}

}  // namespace

std::vector<CellHighlights> HighlightsOf(const Board& board, std::string_view model) {
  std::vector<CellHighlights> cells;
  for (const ChallengeBoard& challenge : board.challenges) {
    if (const auto place = FindPlace(challenge, model)) {
      cells.push_back(HighlightsOfCell(challenge, *place));
    }
  }
  return cells;
}

std::string HighlightRules() {
  return fmt::format(
      "A strength is a row that scores {:g} or more and earns more of the overall score than it "
      "does on average for the others: + says how much more. A weakness is a row that loses "
      "points: - says how many. Both from {:g} points on. A known bug is one of the reference's "
      "mutants, which fails the same cases in the same way.",
      kLeastStrength, kLeastHighlight_points);
}

}  // namespace assay
