// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <vector>

#include "report/matchup_parts.h"
#include "report/pages.h"
#include "report/words.h"
#include "score/format.h"
#include "score/highlights.h"

namespace assay {
namespace {

/// Of each side in each challenge.
constexpr std::size_t kMostRowsAhead = 5;

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

/// The rows in which the side of that index is ahead by the most points.
Markdown Ahead(const Sides& sides, const std::vector<SeparatingRow>& rows, std::size_t side) {
  const Scorecard& card = side == 0 ? sides.matchup.a : sides.matchup.b;
  const Scorecard& other = side == 0 ? sides.matchup.b : sides.matchup.a;
  Markdown list;
  std::size_t listed = 0;
  for (const SeparatingRow& row : rows) {
    if (row.best == side && listed < kMostRowsAhead) {
      ++listed;
      list += "- " + Markdown::Bold(Markdown::Text(fmt::format("+{:.1f}", row.points))) + " " +
              TitleOf(*row.criterion, AuthoredOf(sides)) + ": " +
              ValueOnLine(*row.criterion, card) +
              ", the other: " + ValueOnLine(*row.criterion, other) + "\n";
    }
  }
  return list.empty() ? list
                      : Markdown::Bold("Where " + Markdown::Text(card.model_name) + " is ahead") +
                            "\n\n" + list + "\n";
}

Markdown Section(const Sides& sides) {
  const std::array<Scorecard, 2> cards = {sides.matchup.a, sides.matchup.b};
  const std::vector<SeparatingRow> rows = SeparatingRows(*sides.challenge->view, cards);
  return "## " + Markdown::Text(sides.challenge->view->spec.title) + "\n\n" +
         DimensionTable(sides) + "\n" + Ahead(sides, rows, 0) + Ahead(sides, rows, 1);
}

}  // namespace

Markdown RoundPage(const Board& board, std::string_view a, std::string_view b) {
  const std::vector<Sides> all = SidesOf(board, a, b);
  if (all.empty()) {
    return GeneratedNote() + "# " + Markdown::Text(a) + " and " + Markdown::Text(b) +
           "\n\nThey have no challenge in common.\n";
  }
  const Matchup& first = all.front().matchup;
  Markdown page = GeneratedNote() + "# Round: " + Markdown::Text(first.a.model_name) + " and " +
                  Markdown::Text(first.b.model_name) + "\n\n" + TotalLine(all) +
                  ". Row by row: " + Markdown::Link("the matchup", "../" + MatchupPath(a, b)) +
                  ".\n\n" + RoundTable(all) + "\n";
  AuthoredRows authored = AuthoredRows::kPlain;
  for (const Sides& sides : all) {
    page += Section(sides);
    authored = AuthoredOf(sides) == AuthoredRows::kMarked ? AuthoredRows::kMarked : authored;
  }
  return page +
         "What stands after + is points of the challenge's overall score. A share in brackets is "
         "how much of a dimension's weight was measured where it is not all.\n" +
         AuthoredNote(authored);
}

}  // namespace assay
