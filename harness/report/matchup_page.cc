// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "report/pages.h"
#include "report/words.h"
#include "score/explain.h"
#include "score/format.h"

namespace assay {
namespace {

constexpr std::size_t kRowsExplained = 5;
constexpr double kLeastPointsExplained = 0.05;

/// Both sides of one matchup with all that its page shows.
struct Sides {
  const ChallengeBoard* challenge;
  Matchup matchup;
  const Evidence* a;
  const Evidence* b;
};

const Evidence* FindCell(const ChallengeBoard& challenge, std::string_view model) {
  const auto found = std::find_if(challenge.cells.begin(), challenge.cells.end(),
                                  [&](const Evidence* cell) { return cell->model == model; });
  return found == challenge.cells.end() ? nullptr : *found;
}

AuthoredRows AuthoredOf(const Sides& sides) {
  return sides.a->reconstruction || sides.b->reconstruction ? AuthoredRows::kMarked
                                                            : AuthoredRows::kPlain;
}

Markdown ValueCell(const Criterion& criterion, const Scorecard& card,
                   const CriterionValue* compared = nullptr) {
  const CriterionValue& whole = FindCriterionScore(card, criterion.id)->value;
  return CellText(FormatValue(criterion, compared == nullptr ? whole : *compared));
}

Markdown CriteriaTable(const Sides& sides) {
  const Rubric& rubric = sides.challenge->view->rubric;
  const Matchup& matchup = sides.matchup;
  MarkdownTable table({{.title = "Criteria"},
                       {.title = NameWithMarks(matchup.a)},
                       {.title = NameWithMarks(matchup.b)},
                       {.title = "Edge"}});
  for (const Dimension& dimension : rubric.dimensions) {
    const DimensionScore* a = FindDimensionScore(matchup.a, dimension.id);
    const DimensionScore* b = FindDimensionScore(matchup.b, dimension.id);
    table.AddRow({Markdown::Bold(TitleOf(dimension, rubric, AuthoredOf(sides))),
                  Markdown::Bold(DimensionCell(*a)), Markdown::Bold(DimensionCell(*b)), ""});
    for (std::size_t i = 0; i < rubric.criteria.size(); ++i) {
      const Criterion& criterion = rubric.criteria[i];
      if (criterion.dimension == dimension.id) {
        const MatchupRow& row = matchup.rows[i];
        const ComparedValues* const compared = row.compared ? &*row.compared : nullptr;
        table.AddRow({TitleOf(criterion, AuthoredOf(sides)),
                      ValueCell(criterion, matchup.a, compared ? &compared->a : nullptr),
                      ValueCell(criterion, matchup.b, compared ? &compared->b : nullptr),
                      EdgeCell(row.edge, matchup.a, matchup.b)});
      }
    }
  }
  return table.Render() + AuthoredNote(AuthoredOf(sides));
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
          gap, Markdown::Text(dimension.title) + Markdown::Text(fmt::format(" (+{:.1f})", gap)));
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

Markdown Difference(std::optional<double> a, std::optional<double> b) {
  if (!a.has_value() || !b.has_value()) {
    return "—";
  }
  return *a == *b ? Markdown("0.0") : Markdown::Text(fmt::format("{:+.1f}", *a - *b));
}

Markdown OverallCell(const Scorecard& card) {
  return Markdown::Text(FormatScore(card.overall, card.uncertainty));
}

Markdown DimensionTable(const Sides& sides) {
  const Matchup& matchup = sides.matchup;
  MarkdownTable table({{.title = "Dimension"},
                       {.title = Markdown::Text(matchup.a.model_name), .align = Align::kRight},
                       {.title = Markdown::Text(matchup.b.model_name), .align = Align::kRight},
                       {.title = "Difference", .align = Align::kRight}});
  for (const Dimension& dimension : sides.challenge->view->rubric.dimensions) {
    const DimensionScore* a = FindDimensionScore(matchup.a, dimension.id);
    const DimensionScore* b = FindDimensionScore(matchup.b, dimension.id);
    table.AddRow({TitleOf(dimension, sides.challenge->view->rubric, AuthoredOf(sides)),
                  DimensionCell(*a), DimensionCell(*b), Difference(a->score, b->score)});
  }
  table.AddRow({"**Overall**", Markdown::Bold(OverallCell(matchup.a)),
                Markdown::Bold(OverallCell(matchup.b)),
                Markdown::Bold(Difference(matchup.a.overall, matchup.b.overall))});
  return table.Render();
}

/// Why rows are `?`, each reason once.
Markdown Unresolved(const Sides& sides) {
  const std::vector<Criterion>& criteria = sides.challenge->view->rubric.criteria;
  std::map<std::string, std::vector<Markdown>> by_reason;
  for (std::size_t i = 0; i < sides.matchup.rows.size(); ++i) {
    if (sides.matchup.rows[i].edge == RowEdge::kUnresolved) {
      by_reason[sides.matchup.rows[i].reason].push_back(Markdown::Text(criteria[i].title));
    }
  }
  Markdown list;
  for (const auto& [reason, titles] : by_reason) {
    list += "- " + Markdown::Join(titles, ", ") + ": " + CellText(reason) + "\n";
  }
  return list.empty() ? list : "Unresolved rows:\n\n" + list + "\n";
}

/// The rows that cost one side the most, each with the first piece of evidence behind it.
Markdown PointsLost(const Sides& sides, const Evidence& cell) {
  const CellExplanation explanation = Explain(*sides.challenge->view, cell);
  std::multimap<double, const CriterionExplanation*, std::greater<>> by_points;
  for (const CriterionExplanation& row : explanation.criteria) {
    if (row.score.points_lost >= kLeastPointsExplained) {
      by_points.emplace(row.score.points_lost, &row);
    }
  }
  Markdown list;
  std::size_t listed = 0;
  for (const auto& [points, row] : by_points) {
    if (++listed > kRowsExplained) {
      break;
    }
    const Criterion& criterion =
        *FindCriterion(sides.challenge->view->rubric, row->score.criterion);
    list += "- " + Markdown::Bold(Markdown::Text(fmt::format("-{:.1f}", points))) + " " +
            TitleOf(criterion, AuthoredOf(sides)) + ": " + ValueCell(criterion, explanation.card);
    if (!row->lines.empty()) {
      list += "; " + CellText(row->lines.front().thing) + ": " + CellText(row->lines.front().says);
    }
    list += "\n";
  }
  return list.empty()
             ? list
             : "Where " + Markdown::Text(cell.model_name) + " lost points:\n\n" + list + "\n";
}

Markdown Section(const Sides& sides) {
  return "## " + Markdown::Text(sides.challenge->view->spec.title) + "\n\n" + CriteriaTable(sides) +
         "\n" + WinnerLine(sides) + "\n" + DimensionTable(sides) + "\n" + Unresolved(sides) +
         PointsLost(sides, *sides.a) + PointsLost(sides, *sides.b);
}

Markdown Summary(const std::vector<Sides>& all) {
  MarkdownTable table(
      {{.title = "Challenge"},
       {.title = Markdown::Text(all.front().matchup.a.model_name), .align = Align::kRight},
       {.title = Markdown::Text(all.front().matchup.b.model_name), .align = Align::kRight},
       {.title = "Winner"},
       {.title = "Margin", .align = Align::kRight}});
  for (const Sides& sides : all) {
    const Matchup& matchup = sides.matchup;
    const bool has_margin = matchup.winner != RowEdge::kUnresolved;
    table.AddRow({Markdown::Text(sides.challenge->view->spec.title), OverallCell(matchup.a),
                  OverallCell(matchup.b), EdgeCell(matchup.winner, matchup.a, matchup.b),
                  has_margin ? Markdown::Text(fmt::format("+{:.1f} ± {:.1f}", matchup.margin,
                                                          matchup.margin_uncertainty))
                             : Markdown("—")});
  }
  return table.Render();
}

}  // namespace

Markdown MatchupPage(const Board& board, std::string_view a, std::string_view b) {
  std::vector<Sides> all;
  for (const ChallengeBoard& challenge : board.challenges) {
    if (auto matchup = FindMatchup(challenge, a, b)) {
      all.push_back({.challenge = &challenge,
                     .matchup = std::move(*matchup),
                     .a = FindCell(challenge, a),
                     .b = FindCell(challenge, b)});
    }
  }
  if (all.empty()) {
    return GeneratedNote() + "# " + Markdown::Text(a) + " vs " + Markdown::Text(b) +
           "\n\nThey have no challenge in common.\n";
  }
  Markdown page = GeneratedNote() + "# " + Markdown::Text(all.front().matchup.a.model_name) +
                  " vs " + Markdown::Text(all.front().matchup.b.model_name) + "\n\n" +
                  Summary(all) + "\n";
  for (const Sides& sides : all) {
    page += Section(sides);
  }
  return page +
         "± holds 95 % of what a score could have been; a margin inside its own is split, half a "
         "point each. `?` unresolved: the data do not decide. `—` no contest or not measured. Bold "
         "rows are "
         "dimension scores, with the share of their weight that was measured where it is not all. "
         "What everything means: [harness/score/README.md](../../harness/score/README.md).\n";
}

}  // namespace assay
