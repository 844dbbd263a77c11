// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "report/matchup_parts.h"
#include "report/pages.h"
#include "report/words.h"
#include "score/explain.h"
#include "score/format.h"
#include "score/highlights.h"

namespace assay {
namespace {

constexpr std::size_t kRowsExplained = 5;
constexpr double kLeastPointsExplained = 0.05;
constexpr std::size_t kRowsThatDecide = 5;

/// What the two have in a row: where they were compared at one size, that of both there.
std::pair<Markdown, Markdown> ValuesOf(const Criterion& criterion, const Matchup& matchup) {
  const auto row = std::ranges::find(matchup.rows, criterion.id, &MatchupRow::criterion);
  if (row != matchup.rows.end() && row->compared) {
    return {ValueText(criterion, row->compared->a), ValueText(criterion, row->compared->b)};
  }
  return {ValueCell(criterion, matchup.a), ValueCell(criterion, matchup.b)};
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
        const auto [a_has, b_has] = ValuesOf(criterion, matchup);
        table.AddRow({TitleOf(criterion, AuthoredOf(sides)), a_has, b_has,
                      EdgeCell(matchup.rows[i].edge, matchup.a, matchup.b)});
      }
    }
  }
  return table.Render() + AuthoredNote(AuthoredOf(sides));
}

/// Why rows have no winner, each reason once; those of the data before those that nobody decides.
Markdown Undecided(const Sides& sides) {
  const std::vector<Criterion>& criteria = sides.challenge->view->rubric.criteria;
  std::map<std::pair<bool, std::string>, std::vector<Markdown>> by_reason;
  std::size_t count = 0;
  for (std::size_t i = 0; i < sides.matchup.rows.size(); ++i) {
    const MatchupRow& row = sides.matchup.rows[i];
    if (!row.reason.empty()) {
      by_reason[{row.edge == RowEdge::kNone, row.reason}].push_back(
          Markdown::Text(criteria[i].title));
      ++count;
    }
  }
  Markdown list;
  for (const auto& [reason, titles] : by_reason) {
    list += "- " + LineText(reason.second) + ": " + Markdown::Join(titles, ", ") + "\n";
  }
  return list.empty()
             ? list
             : Markdown::Details(fmt::format("Rows without a winner, and why: {}", count), list) +
                   "\n";
}

/// The rows that cost one side the most, each with the first piece of evidence behind it.
Markdown PointsLost(const Sides& sides, const Evidence& cell, const Scorecard& card) {
  const CellExplanation explanation = Explain(*sides.challenge->view, cell, card);
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
            TitleOf(criterion, AuthoredOf(sides)) + ": " + ValueOnLine(criterion, explanation.card);
    if (!row->lines.empty()) {
      list += "; " + LineText(row->lines.front().thing) + ": " + LineText(row->lines.front().says);
    }
    list += "\n";
  }
  return list.empty() ? list
                      : Markdown::Details("Where " + cell.model_name + " lost points", list) + "\n";
}

Markdown Section(const Sides& sides) {
  return "## " + Markdown::Text(sides.challenge->view->spec.title) + "\n\n" + WinnerLine(sides) +
         "\n" + CriteriaTable(sides) + "\n" + Undecided(sides) +
         PointsLost(sides, *sides.a, sides.matchup.a) +
         PointsLost(sides, *sides.b, sides.matchup.b);
}

/// A row of one challenge in which the two differ.
struct DecidingRow {
  const Sides* sides = nullptr;
  SeparatingRow row;
};

/// The rows of all challenges in which they differ most, the widest first.
std::vector<DecidingRow> DecidingRows(const std::vector<Sides>& all) {
  std::multimap<double, DecidingRow, std::greater<>> by_points;  // Equal ones keep their order.
  for (const Sides& sides : all) {
    const std::array<Scorecard, 2> cards = {sides.matchup.a, sides.matchup.b};
    for (const SeparatingRow& row : SeparatingRows(*sides.challenge->view, cards)) {
      by_points.emplace(row.points, DecidingRow{.sides = &sides, .row = row});
    }
  }
  std::vector<DecidingRow> rows;
  for (const auto& [points, row] : by_points) {
    if (rows.size() < kRowsThatDecide) {
      rows.push_back(row);
    }
  }
  return rows;
}

Markdown Deciding(const std::vector<Sides>& all) {
  const std::vector<DecidingRow> rows = DecidingRows(all);
  if (rows.empty()) {
    return {};
  }
  const Matchup& first = all.front().matchup;
  MarkdownTable table({{.title = "Challenge"},
                       {.title = "Row"},
                       {.title = Markdown::Text(first.a.model_name)},
                       {.title = Markdown::Text(first.b.model_name)},
                       {.title = "Points"}});
  for (const DecidingRow& one : rows) {
    const Matchup& matchup = one.sides->matchup;
    const Scorecard& ahead = one.row.best == 0 ? matchup.a : matchup.b;
    const auto [a_has, b_has] = ValuesOf(*one.row.criterion, matchup);
    table.AddRow({Markdown::Text(one.sides->challenge->view->spec.title),
                  TitleOf(*one.row.criterion, AuthoredOf(*one.sides)), a_has, b_has,
                  Markdown::Text(fmt::format("{} +{:.1f}", ahead.model_name, one.row.points))});
  }
  return "What decides it, in points of the challenge's score:\n\n" + table.Render() + "\n";
}

}  // namespace

Markdown MatchupPage(const Board& board, std::string_view a, std::string_view b) {
  const std::vector<Sides> all = SidesOf(board, a, b);
  if (all.empty()) {
    return GeneratedNote() + "# " + Markdown::Text(a) + " vs " + Markdown::Text(b) +
           "\n\nThey have no challenge in common.\n";
  }
  const Matchup& first = all.front().matchup;
  Markdown page = GeneratedNote() + "# " + Markdown::Text(first.a.model_name) + " vs " +
                  Markdown::Text(first.b.model_name) + "\n\n" + TotalLine(all) +
                  ". By dimension: " + Markdown::Link("the round", "../" + RoundPath(a, b)) +
                  ".\n\n" + RoundTable(all) + "\n" + Deciding(all);
  for (const Sides& sides : all) {
    page += Section(sides);
  }
  return page +
         "± holds 95 % of what a score could have been; a margin inside its own is split, half a "
         "point each. `?` unresolved: the data do not decide. `—` no contest or not measured. Bold "
         "rows are dimension scores, with the share of their weight that was measured where it is "
         "not all. "
         "What everything means: [harness/score/README.md](../../harness/score/README.md).\n";
}

}  // namespace assay
