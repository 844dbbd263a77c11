// SPDX-License-Identifier: Apache-2.0
#include "score/matchup.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "score/tie.h"
#include "score/time_rows.h"
#include "score/weighing.h"

namespace assay {
namespace {

using State = CriterionValue::State;

struct Side {
  const Evidence* evidence;
  const Scorecard* card;
  std::span<const float> draws;  ///< Of the overall score.
};

/// Why no row of the two can be decided; empty when they can.
std::string WhyIncomparable(const Evidence& a, const Evidence& b) {
  if (a.digests.challenge != b.digests.challenge) {
    return "graded against different versions of the challenge";
  }
  if (a.digests.reference != b.digests.reference) {
    return "graded against different versions of the reference";
  }
  return "";
}

std::string WhyNoScore(const Scorecard& card) {
  return card.overall.has_value()
             ? ""
             : fmt::format("{} is {}", card.model_name, ToString(card.verdict));
}

RowEdge Better(const Criterion& criterion, double a, double b) {
  const bool a_wins = criterion.edge == Edge::kHigher ? a > b : a < b;
  return a_wins ? RowEdge::kA : RowEdge::kB;
}

/// The edge where at least one side has no value.
MatchupRow DecideWithout(const Criterion& criterion, const CriterionValue& a,
                         const CriterionValue& b) {
  MatchupRow row{.criterion = criterion.id, .edge = RowEdge::kNone, .reason = ""};
  if (a.state == b.state) {
    row.reason = a.state == State::kFailed ? "both failed: no contest" : a.note;
  } else if (a.state == State::kNotMeasured || b.state == State::kNotMeasured) {
    row.edge = RowEdge::kUnresolved;
    row.reason = "one is not measured: " + (a.state == State::kNotMeasured ? a.note : b.note);
  } else {
    row.edge = a.state == State::kMeasured ? RowEdge::kA : RowEdge::kB;
  }
  return row;
}

/// The edge of a row of times with intervals, on one machine.
MatchupRow DecideByIntervals(const Criterion& criterion, const CriterionValue& a,
                             const CriterionValue& b, TimeDifference difference) {
  MatchupRow row{.criterion = criterion.id, .edge = RowEdge::kUnresolved, .reason = ""};
  const RatioEstimate& left = *a.interval;
  const RatioEstimate& right = *b.interval;
  if (IsWithin(criterion.tie_within, left.low, right.high) &&
      IsWithin(criterion.tie_within, left.high, right.low)) {
    row.edge = RowEdge::kTie;
  } else if (IsWithin(criterion.tie_within, left.ratio, right.ratio)) {
    row.reason = "the estimates tie and the intervals are wider than the tie";
  } else if (difference == TimeDifference::kResolved) {
    row.edge = Better(criterion, left.ratio, right.ratio);
  } else {
    row.reason = "the difference is within the noise";
  }
  return row;
}

/// The edge of two numbers: those of the same work where a row knows what work they are of.
MatchupRow DecideByValues(const Criterion& criterion, const ComparedValues& whole,
                          const std::optional<ComparedValues>& same_work) {
  MatchupRow row{.criterion = criterion.id, .edge = RowEdge::kUnresolved, .reason = ""};
  const ComparedValues& compared = same_work.value_or(whole);
  if (compared.a.state != State::kMeasured) {
    row.reason = compared.a.note;
    return row;
  }
  if (compared != whole) {
    row.compared = compared;
  }
  row.edge = IsWithin(criterion.tie_within, compared.a.value, compared.b.value)
                 ? RowEdge::kTie
                 : Better(criterion, compared.a.value, compared.b.value);
  return row;
}

MatchupRow Decide(const Criterion& criterion, const Side& a, const Side& b,
                  TimeDifference difference) {
  const CriterionValue& left = FindCriterionScore(*a.card, criterion.id)->value;
  const CriterionValue& right = FindCriterionScore(*b.card, criterion.id)->value;
  MatchupRow row{.criterion = criterion.id, .edge = RowEdge::kNone, .reason = ""};
  if (criterion.edge == Edge::kText) {
    row.reason = "shown only: more or less of it is no merit by itself";
    return row;
  }
  if (left.state != State::kMeasured || right.state != State::kMeasured) {
    return DecideWithout(criterion, left, right);
  }
  if (IsTime(criterion) && (!left.interval.has_value() || !right.interval.has_value())) {
    row.reason = "a time of one call decides nothing";
    return row;
  }
  if (IsTime(criterion)) {
    row.reason = WhyTimesDoNotCompare(*a.evidence, *b.evidence);
    if (!row.reason.empty()) {
      row.edge = RowEdge::kUnresolved;
      return row;
    }
  }
  if (left.interval.has_value() && right.interval.has_value()) {
    return DecideByIntervals(criterion, left, right, difference);
  }
  return DecideByValues(criterion, {.a = left, .b = right},
                        ValuesOfTheSameWork(criterion, a.evidence->suite, b.evidence->suite));
}

void Count(RowEdge edge, Matchup& matchup) {
  switch (edge) {
    case RowEdge::kA:
      ++matchup.won_a;
      break;
    case RowEdge::kB:
      ++matchup.won_b;
      break;
    case RowEdge::kTie:
    case RowEdge::kSplit:
      ++matchup.tied;
      break;
    case RowEdge::kUnresolved:
      ++matchup.unresolved;
      break;
    case RowEdge::kNone:
      break;
  }
}

void SetWinner(const std::string& incomparable, const Side& a_side, const Side& b_side,
               Matchup& matchup) {
  matchup.reason = !incomparable.empty() ? incomparable : WhyNoScore(matchup.a);
  if (matchup.reason.empty()) {
    matchup.reason = WhyNoScore(matchup.b);
  }
  if (!matchup.reason.empty()) {
    return;
  }
  const double a = *matchup.a.overall;
  const double b = *matchup.b.overall;
  const double uncertainty = HalfWidthOfDifference(a_side.draws, b_side.draws);
  // Both are in tenths; so is their difference, but for the last bits.
  matchup.margin = RoundedToTenths(std::abs(a - b));
  matchup.margin_uncertainty = RoundedToTenths(uncertainty);
  const bool is_split = a == b || std::abs(a - b) <= uncertainty;
  matchup.winner = is_split ? RowEdge::kSplit : a > b ? RowEdge::kA : RowEdge::kB;
}

Matchup CompareSides(const ChallengeView& challenge, const Side& a, const Side& b,
                     const TimeDifferences& differences, std::pair<std::size_t, std::size_t> pair) {
  Matchup matchup{.a = *a.card, .b = *b.card, .rows = {}, .reason = ""};
  const std::string incomparable = WhyIncomparable(*a.evidence, *b.evidence);
  for (const Criterion& criterion : challenge.rubric.criteria) {
    const MatchupRow& row = matchup.rows.emplace_back(
        incomparable.empty()
            ? Decide(criterion, a, b, differences.Find(pair, criterion.id))
            : MatchupRow{
                  .criterion = criterion.id, .edge = RowEdge::kUnresolved, .reason = incomparable});
    Count(row.edge, matchup);
  }
  SetWinner(incomparable, a, b, matchup);
  return matchup;
}

}  // namespace

std::string_view ToString(RowEdge edge) {
  switch (edge) {
    case RowEdge::kA:
      return "A";
    case RowEdge::kB:
      return "B";
    case RowEdge::kTie:
      return "tie";
    case RowEdge::kSplit:
      return "split";
    case RowEdge::kUnresolved:
      return "unresolved";
    case RowEdge::kNone:
      return "none";
  }
  return "none";
}

std::vector<CellPair> AllPairs(std::size_t cells) {
  std::vector<CellPair> pairs;
  for (std::size_t i = 0; i < cells; ++i) {
    for (std::size_t j = i + 1; j < cells; ++j) {
      pairs.emplace_back(i, j);
    }
  }
  return pairs;
}

std::vector<Matchup> CompareAll(const ChallengeView& challenge,
                                std::span<const Evidence* const> cells,
                                std::span<const Scorecard> cards, std::span<const CellDraws> draws,
                                std::span<const CellPair> pairs) {
  return CompareSome(challenge, cells, cards, draws, pairs, pairs);
}

std::vector<Matchup> CompareSome(const ChallengeView& challenge,
                                 std::span<const Evidence* const> cells,
                                 std::span<const Scorecard> cards, std::span<const CellDraws> draws,
                                 std::span<const CellPair> pairs,
                                 std::span<const CellPair> wanted) {
  const TimeDifferences differences = ResolveTimeDifferences(challenge.rubric, cells, cards, pairs);
  std::vector<Matchup> matchups;
  matchups.reserve(wanted.size());
  for (const CellPair& pair : wanted) {
    const auto side = [&](std::size_t cell) {
      return Side{.evidence = cells[cell], .card = &cards[cell], .draws = draws[cell].overall};
    };
    matchups.push_back(
        CompareSides(challenge, side(pair.first), side(pair.second), differences, pair));
  }
  return matchups;
}

Matchup Compare(const ChallengeView& challenge, const Evidence& a, const Evidence& b) {
  const Evidence* const cells[] = {&a, &b};
  const ScoredCells scored = ScoreCells(challenge, cells);
  return CompareAll(challenge, cells, scored.cards, scored.draws, AllPairs(2)).front();
}

}  // namespace assay
