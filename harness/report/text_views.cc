// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "report/board.h"
#include "report/lookup.h"
#include "report/plain_text.h"
#include "report/report.h"
#include "report/words.h"
#include "score/cost_once.h"
#include "score/explain.h"
#include "score/format.h"
#include "score/uncertainty.h"

namespace assay {
namespace {

/// How many pieces of evidence a criterion shows when it is one of many.
constexpr std::size_t kLinesInBrief = 6;
/// Of the largest losses; and what counts as one.
constexpr std::size_t kLargestLosses = 5;
constexpr double kLeastPointsShown = 0.05;
/// How many lines of a compiler that failed, and how much of a verdict's reason.
constexpr std::ptrdiff_t kLinesOfCompiler = 8;
constexpr std::size_t kLongestReason = 400;

std::string Header(const CellExplanation& explanation, const ChallengeView& challenge) {
  const Scorecard& card = explanation.card;
  std::string text = fmt::format(
      "{} / {}: {}, overall {}{}\n", PlainLine(card.model_name), PlainLine(challenge.spec.title),
      ToString(card.verdict), FormatScore(card.overall, card.uncertainty),
      card.coverage < 1
          ? fmt::format(" ({} of the rubric measured)", PercentOf(card.coverage).text())
          : "");
  if (card.penalty > 0) {
    text += fmt::format("  -{:.1f}  penalty: repaired\n", card.penalty);
  }
  return text;
}

/// What the compiler said of a build that failed: its first error and what stands behind it.
std::string BuildText(std::string_view which, const BuildEvidence& build) {
  if (build.verdict == Verdict::kAccepted || build.verdict == Verdict::kSkipped) {
    return "";
  }
  std::string text = fmt::format("  the {} build is {}\n", which, ToString(build.verdict));
  const std::vector<std::string> lines = SplitLines(build.diagnostics);
  const auto first = std::ranges::find(lines, FirstErrorOf(build.diagnostics));
  for (auto line = first; line != lines.end() && line - first < kLinesOfCompiler; ++line) {
    text += fmt::format("    {}\n", PlainLine(*line));
  }
  return text;
}

/// Why the verdict is what it is: what did not build, what is not there, which case it was.
std::string ReasonText(const Evidence& cell) {
  std::string text = BuildText("release", cell.release);
  if (text.empty() && !cell.verdict_detail.empty()) {
    text =
        fmt::format("  because of {}\n", PlainLine(Shorten(cell.verdict_detail, kLongestReason)));
  }
  text += BuildText("sanitized", cell.sanitized);
  if (cell.release.verdict == Verdict::kAccepted && !cell.release.diagnostics.empty()) {
    text += fmt::format("  {}\n", PlainLine(cell.release.diagnostics));
  }
  return text;
}

/// What the failing cases are like, a line each; nothing when none failed.
std::string FailuresText(const Evidence& cell, const ChallengeView& challenge,
                         const std::optional<Diagnosis>& diagnosis) {
  const int failing = CountGatingFailures(cell.suite);
  if (failing == 0) {
    return "";
  }
  if (!diagnosis) {
    return fmt::format("  {} failing; no signatures of mutants are kept to say what it is like\n",
                       CountOfCases(failing));
  }
  std::string text;
  for (const Match& match : diagnosis->matches) {
    text += fmt::format("  fails like {} ({}){}\n", PlainLine(MutantsOf(match)), GroundsOf(match),
                        PlainLine(WhereItCosts(match, challenge, cell)));
  }
  const int unexplained = static_cast<int>(diagnosis->unexplained.size());
  if (unexplained > 0) {
    text += fmt::format("  {} like no known bug: {}\n", CountOfCases(unexplained),
                        PlainLine(FirstOf(diagnosis->unexplained, kLinesInBrief)));
  }
  return text;
}

std::string OneCriterion(const Criterion& criterion, const CriterionExplanation& explanation,
                         std::size_t most_lines) {
  const CriterionScore& score = explanation.score;
  const std::string points =
      score.score ? fmt::format("{:6.1f}", 0 - score.points_lost + 0.0) : fmt::format("{:>6}", "");
  std::string text =
      fmt::format("{}  {}: {}; score {}\n", points, PlainLine(criterion.title),
                  PlainLine(FormatValue(criterion, score.value)), FormatScore(score.score));
  if (score.value.state != CriterionValue::State::kMeasured) {
    text += fmt::format("          {}\n", PlainLine(score.value.note));
  }
  const std::size_t shown = std::min(most_lines, explanation.lines.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const EvidenceLine& line = explanation.lines[i];
    text += fmt::format("          {}: {}\n", PlainLine(line.thing), PlainLine(line.says));
  }
  if (shown < explanation.lines.size()) {
    text += fmt::format("          {} more: name the criterion {} to see them\n",
                        explanation.lines.size() - shown, criterion.id);
  }
  return text;
}

/// The rows that cost most, most first, and what the others cost together.
std::string LargestLosses(const std::vector<Criterion>& criteria,
                          const CellExplanation& explanation) {
  std::vector<std::size_t> order;
  double lost = 0;
  for (std::size_t i = 0; i < criteria.size(); ++i) {
    const double points = explanation.criteria[i].score.points_lost;
    lost += points;
    if (points >= kLeastPointsShown) {
      order.push_back(i);
    }
  }
  std::ranges::sort(order, std::ranges::greater(), [&](std::size_t i) {
    // Equal ones in the order of the rubric.
    return std::pair(explanation.criteria[i].score.points_lost, criteria.size() - i);
  });
  std::string text = "\n";
  for (std::size_t i = 0; i < std::min(order.size(), kLargestLosses); ++i) {
    text += OneCriterion(criteria[order[i]], explanation.criteria[order[i]], kLinesInBrief);
    lost -= explanation.criteria[order[i]].score.points_lost;
  }
  if (order.size() > kLargestLosses) {
    return text + fmt::format("\n{} more rows cost {:.1f} points together: --all shows them\n",
                              order.size() - kLargestLosses, lost);
  }
  return text + (order.empty() ? "no row costs a point; --all shows every row\n"
                               : "\nno other row costs points; --all shows every row\n");
}

std::string OneDimension(const Dimension& dimension, const ChallengeView& challenge,
                         const CellExplanation& explanation) {
  const DimensionScore& score = *FindDimensionScore(explanation.card, dimension.id);
  std::string text = fmt::format("\n{}: {}\n", PlainLine(dimension.title),
                                 PlainLine(FormatScore(score.score, score.uncertainty)));
  const std::vector<Criterion>& criteria = challenge.rubric.criteria;
  for (std::size_t i = 0; i < criteria.size(); ++i) {
    if (criteria[i].dimension == dimension.id) {
      text += OneCriterion(criteria[i], explanation.criteria[i], kLinesInBrief);
    }
  }
  return text;
}

}  // namespace

Result<std::string> RenderExplain(const Evidence& cell, const ChallengeView& challenge,
                                  std::optional<std::string_view> criterion, ExplainedRows rows) {
  const CellExplanation explanation =
      Explain(challenge, cell, ScoreWithUncertainty(challenge, cell));
  const std::vector<Criterion>& criteria = challenge.rubric.criteria;
  std::string text = Header(explanation, challenge) + ReasonText(cell) +
                     FailuresText(cell, challenge, explanation.card.diagnosis);
  if (criterion.has_value()) {
    const Dimension* const dimension = FindDimension(challenge.rubric, *criterion);
    if (dimension != nullptr && FindCriterion(challenge.rubric, *criterion) == nullptr) {
      return text + OneDimension(*dimension, challenge, explanation);
    }
    ASSAY_ASSIGN_OR_RETURN(const std::size_t index, FindCriterionIndex(challenge, *criterion));
    return text + OneCriterion(criteria[index], explanation.criteria[index],
                               explanation.criteria[index].lines.size());
  }
  if (rows == ExplainedRows::kLargest) {
    return text + LargestLosses(criteria, explanation);
  }
  for (const Dimension& dimension : challenge.rubric.dimensions) {
    text += OneDimension(dimension, challenge, explanation);
  }
  return text;
}

std::string RenderScoreboardText(const std::vector<Evidence>& cells, const Challenges& challenges) {
  const Board board = MakeRanking(cells, challenges);
  std::string text;
  for (const ChallengeBoard& challenge : board.challenges) {
    text += fmt::format("{}\n", PlainLine(challenge.view->spec.title));
    for (std::size_t i = 0; i < challenge.cards.size(); ++i) {
      const Scorecard& card = challenge.cards[i];
      text += fmt::format(
          "  {:>3}  {:>11}  {:<24} {:<14}{}{}\n",
          challenge.places[i].interval ? FormatRanks(*challenge.places[i].interval) : "-",
          card.overall ? FormatScore(card.overall, card.uncertainty) : "-",
          PlainLine(card.model_name), ToString(card.verdict), card.repaired ? "repaired " : "",
          card.reconstruction ? "reconstruction" : "");
    }
  }
  for (const std::string& line : board.left_out) {
    text += fmt::format("left out: {}\n", PlainLine(line));
  }
  return text;
}

}  // namespace assay
