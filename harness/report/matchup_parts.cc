// SPDX-License-Identifier: Apache-2.0
#include "report/matchup_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "report/words.h"
#include "score/format.h"

namespace assay {
namespace {

/// `2.5-0.5`, the winner's first.
std::string PointsOf(const MatchupTotal& total) {
  const auto [least, most] = std::minmax(total.points_a, total.points_b);
  return fmt::format("{:g}-{:g}", most, least);
}

Markdown MarginCell(double margin, double uncertainty) {
  return Markdown::Text(fmt::format("+{:.1f} ± {:.1f}", margin, uncertainty));
}

/// `GLM-5 +3.2 ± 1.0`, `split (0.4 ± 1.0)`.
Markdown WinnerWithMargin(const Matchup& matchup) {
  Markdown cell = EdgeCell(matchup.winner, matchup.a, matchup.b);
  const Markdown margin = MarginCell(matchup.margin, matchup.margin_uncertainty);
  switch (matchup.winner) {
    case RowEdge::kA:
    case RowEdge::kB:
      return cell + " " + margin;
    case RowEdge::kSplit:
      return cell + " (" + margin + ")";
    case RowEdge::kTie:
    case RowEdge::kUnresolved:
    case RowEdge::kNone:
      return cell;
  }
  return cell;
}

/// The dimensions in which the winner is ahead (`sign` 1, or -1 when it is B) or behind by a point
/// or more, widest first.
std::vector<Markdown> Differences(const Sides& sides, double sign) {
  std::multimap<double, Markdown, std::greater<>> by_gap;  // Equal gaps keep the rubric's order.
  for (const Dimension& dimension : sides.challenge->view->rubric.dimensions) {
    const auto a = FindDimensionScore(sides.matchup.a, dimension.id)->score;
    const auto b = FindDimensionScore(sides.matchup.b, dimension.id)->score;
    if (a.has_value() && b.has_value() && sign * (*a - *b) >= 1) {
      const double gap = std::abs(*a - *b);
      by_gap.emplace(
          gap, Markdown::Text(dimension.title) + Markdown::Text(fmt::format(" by {:.1f}", gap)));
    }
  }
  std::vector<Markdown> texts;
  texts.reserve(by_gap.size());
  for (const auto& [gap, text] : by_gap) {
    texts.push_back(text);
  }
  return texts;
}

/// `first` and `second` in the order in which the line names them.
Markdown RowsWon(int first, int second, const Matchup& matchup) {
  return Markdown::Text(fmt::format("rows won {}-{}, {} tied, {} unresolved", first, second,
                                    matchup.tied, matchup.unresolved));
}

}  // namespace

std::vector<Sides> SidesOf(const Board& board, std::string_view a, std::string_view b) {
  std::vector<Sides> all;
  for (const ChallengeBoard& challenge : board.challenges) {
    if (auto matchup = FindMatchup(challenge, a, b)) {
      all.push_back({.challenge = &challenge,
                     .matchup = std::move(*matchup),
                     .a = challenge.cells[*FindPlace(challenge, a)],
                     .b = challenge.cells[*FindPlace(challenge, b)]});
    }
  }
  return all;
}

MatchupTotal TotalOf(const std::vector<Sides>& sides) {
  std::vector<Matchup> matchups;
  matchups.reserve(sides.size());
  for (const Sides& one : sides) {
    matchups.push_back(one.matchup);
  }
  return TotalOf(matchups);
}

AuthoredRows AuthoredOf(const Sides& sides) {
  return sides.a->reconstruction || sides.b->reconstruction ? AuthoredRows::kMarked
                                                            : AuthoredRows::kPlain;
}

Markdown Difference(std::optional<double> a, std::optional<double> b) {
  if (!a.has_value() || !b.has_value()) {
    return "—";
  }
  return *a == *b ? Markdown("0.0") : Markdown::Text(fmt::format("{:+.1f}", *a - *b));
}

Markdown OverallCell(const Scorecard& card) {
  return Markdown::Text(FormatScore(card.overall, card.uncertainty));
}

Markdown ValueCell(const Criterion& criterion, const Scorecard& card) {
  return ValueText(criterion, FindCriterionScore(card, criterion.id)->value);
}

Markdown ValueOnLine(const Criterion& criterion, const Scorecard& card) {
  return LineText(FormatValue(criterion, FindCriterionScore(card, criterion.id)->value));
}

Markdown TotalLine(const std::vector<Sides>& sides) {
  const MatchupTotal total = TotalOf(sides);
  const Matchup& first = sides.front().matchup;
  if (total.winner == RowEdge::kUnresolved) {
    return "**Nobody wins**: " + CellText(first.reason);
  }
  const bool b_first = total.winner == RowEdge::kB;
  const std::string points = PointsOf(total);
  const Scorecard& winner = b_first ? first.b : first.a;
  const Markdown who = total.winner == RowEdge::kSplit
                           ? Markdown::Bold("Split " + Markdown::Text(points))
                           : Markdown::Bold(Markdown::Text(winner.model_name + " wins " + points));
  const double mean = b_first ? *total.mean_b : *total.mean_a;
  const double other = b_first ? *total.mean_a : *total.mean_b;
  // Points decide: who wins by them may be behind on average.
  const std::string_view sign = total.winner == RowEdge::kSplit ? "" : mean < other ? "-" : "+";
  return who +
         Markdown::Text(fmt::format(", {:.1f} to {:.1f} on average, margin {}{:.1f} ± {:.1f}", mean,
                                    other, sign, total.margin, total.margin_uncertainty)) +
         (total.undecided == 0 ? Markdown()
                               : Markdown::Text(fmt::format("; undecided: {}", total.undecided)));
}

Markdown WinnerLine(const Sides& sides) {
  const Matchup& matchup = sides.matchup;
  if (matchup.winner == RowEdge::kUnresolved || matchup.winner == RowEdge::kNone) {
    return "**Winner: none** (" + CellText(matchup.reason) + ")\n";
  }
  if (matchup.winner == RowEdge::kSplit) {
    return "**Winner: split**, half a point each: the margin of " +
           Markdown::Text(fmt::format("{:.1f} is inside its uncertainty of ± {:.1f}",
                                      matchup.margin, matchup.margin_uncertainty)) +
           " (" + RowsWon(matchup.won_a, matchup.won_b, matchup) + ")\n";
  }
  const bool a_wins = matchup.winner == RowEdge::kA;
  const Scorecard& winner = a_wins ? matchup.a : matchup.b;
  const Scorecard& other = a_wins ? matchup.b : matchup.a;
  Markdown line = Markdown::Bold("Winner: " + Markdown::Text(winner.model_name)) +
                  Markdown::Text(fmt::format(", {} to {}, margin +{:.1f} ± {:.1f}",
                                             FormatScore(winner.overall, winner.uncertainty),
                                             FormatScore(other.overall, other.uncertainty),
                                             matchup.margin, matchup.margin_uncertainty)) +
                  " (";
  std::vector<Markdown> reasons;
  const double sign = a_wins ? 1 : -1;
  if (const auto ahead = Differences(sides, sign); !ahead.empty()) {
    reasons.push_back("ahead in " + Markdown::Join(ahead, ", "));
  }
  if (const auto behind = Differences(sides, -sign); !behind.empty()) {
    reasons.push_back("behind in " + Markdown::Join(behind, ", "));
  }
  if (other.penalty > 0) {
    reasons.push_back(Markdown::Text(other.model_name) +
                      Markdown::Text(fmt::format(" was repaired: -{:g}", other.penalty)));
  }
  if (winner.penalty > 0) {
    reasons.push_back(Markdown::Text(fmt::format("though repaired: -{:g}", winner.penalty)));
  }
  reasons.push_back(a_wins ? RowsWon(matchup.won_a, matchup.won_b, matchup)
                           : RowsWon(matchup.won_b, matchup.won_a, matchup));
  return line + Markdown::Join(reasons, "; ") + ")\n";
}

Markdown WinnerWithPoints(const std::vector<Sides>& sides) {
  const MatchupTotal total = TotalOf(sides);
  const Matchup& first = sides.front().matchup;
  const Markdown winner = EdgeCell(total.winner, first.a, first.b);
  return total.winner == RowEdge::kUnresolved ? winner
                                              : winner + Markdown::Text(" " + PointsOf(total));
}

Markdown RoundTable(const std::vector<Sides>& sides) {
  const Matchup& first = sides.front().matchup;
  MarkdownTable table({{.title = "Challenge"},
                       {.title = Markdown::Text(first.a.model_name), .align = Align::kRight},
                       {.title = Markdown::Text(first.b.model_name), .align = Align::kRight},
                       {.title = "Winner"},
                       {.title = "Margin", .align = Align::kRight}});
  for (const Sides& one : sides) {
    const Matchup& matchup = one.matchup;
    table.AddRow({Markdown::Text(one.challenge->view->spec.title), OverallCell(matchup.a),
                  OverallCell(matchup.b), EdgeCell(matchup.winner, matchup.a, matchup.b),
                  matchup.winner == RowEdge::kUnresolved
                      ? Markdown("—")
                      : MarginCell(matchup.margin, matchup.margin_uncertainty)});
  }
  const MatchupTotal total = TotalOf(sides);
  if (total.winner != RowEdge::kUnresolved) {
    table.AddRow(
        {total.undecided == 0 ? Markdown("**Average**") : Markdown("**Average** of the decided"),
         Markdown::Bold(Markdown::Text(FormatScore(total.mean_a))),
         Markdown::Bold(Markdown::Text(FormatScore(total.mean_b))), WinnerWithPoints(sides),
         Markdown::Bold(MarginCell(total.margin, total.margin_uncertainty))});
  }
  return table.Render();
}

MarkdownTable SummaryMatrix(const Board& board) {
  std::vector<MarkdownTable::Column> columns = {{.title = "Matchup"}, {.title = "Overall"}};
  for (const ChallengeBoard& challenge : board.challenges) {
    columns.push_back({.title = Markdown::Text(challenge.view->spec.title)});
  }
  MarkdownTable table(std::move(columns));
  for (const ModelPair& pair : board.pairs) {
    const std::vector<Sides> sides = SidesOf(board, pair.a, pair.b);
    const Matchup& first = sides.front().matchup;
    std::vector<Markdown> row = {
        Markdown::Link(Markdown::Text(first.a.model_name + " vs " + first.b.model_name),
                       MatchupPath(pair.a, pair.b)),
        WinnerWithPoints(sides)};
    auto next = sides.begin();
    for (const ChallengeBoard& challenge : board.challenges) {
      const bool is_entered = next != sides.end() && next->challenge == &challenge;
      row.push_back(is_entered ? WinnerWithMargin(next->matchup) : Markdown("—"));
      next += is_entered ? 1 : 0;
    }
    table.AddRow(std::move(row));
  }
  return table;
}

}  // namespace assay
