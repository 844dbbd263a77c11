// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/model_highlights.h"
#include "report/pages.h"
#include "report/words.h"
#include "score/format.h"

namespace assay {
namespace {

/// `Rank 2 of 3, 72.5 ± 1.4 on average; accepted in 1 of 3 challenges.`
Markdown Conclusion(const Board& board, const ModelStanding& standing,
                    const std::vector<CellHighlights>& cells) {
  const auto accepted = std::ranges::count_if(
      cells, [](const CellHighlights& one) { return one.card().verdict == Verdict::kAccepted; });
  const std::string rank =
      standing.interval
          ? fmt::format("Rank {} of {}", FormatRanks(*standing.interval), board.standings.size())
          : "Without a rank";
  return Markdown::Text(fmt::format("{}, {} on average; accepted in {} of {} challenges.", rank,
                                    FormatScore(standing.average, standing.uncertainty), accepted,
                                    cells.size())) +
         "\n\n";
}

/// `Correctness (98.9)`.
Markdown Named(const Rubric& rubric, const DimensionScore* score) {
  if (score == nullptr) {
    return "—";
  }
  const Dimension& dimension =
      *std::ranges::find(rubric.dimensions, score->dimension, &Dimension::id);
  return Markdown::Text(fmt::format("{} ({})", dimension.title, FormatScore(score->score)));
}

Markdown SummaryTable(const std::vector<CellHighlights>& cells) {
  MarkdownTable table({{.title = "Challenge"},
                       {.title = "Rank"},
                       {.title = "Overall", .align = Align::kRight},
                       {.title = "Best dimension"},
                       {.title = "Worst dimension"},
                       {.title = "Verdict"}});
  for (const CellHighlights& one : cells) {
    const ChallengeView& challenge = *one.challenge->view;
    const RankedPlace& place = one.challenge->places[one.index];
    table.AddRow(
        {Markdown::Link(Markdown::Text(challenge.spec.title),
                        "../challenges/" + challenge.spec.id + ".md"),
         RankWithMedal(place.interval, place.medal),
         Markdown::Bold(Markdown::Text(FormatScore(one.card().overall, one.card().uncertainty))),
         Named(challenge.rubric, one.best), Named(challenge.rubric, one.worst),
         Markdown::Text(ToString(one.card().verdict))});
  }
  return table.Render() + "\n";
}

Markdown IssueText(const CriticalIssue& issue) {
  switch (issue.kind) {
    case CriticalIssue::Kind::kDoesNotBuild:
      return "Does not build as handed in: " + LineText(issue.detail);
    case CriticalIssue::Kind::kNotAccepted:
      return Markdown::Bold(Markdown::Text(issue.subject)) + ": " + LineText(issue.detail);
    case CriticalIssue::Kind::kKnownBug:
      return "Like the known bug " + MutantNames(issue.mutants) + " (" +
             Markdown::Text(issue.detail) + ")";
    case CriticalIssue::Kind::kUnexplained:
      return Markdown::Text(issue.detail);
  }
  return {};
}

Markdown CriticalIssues(const std::vector<CriticalIssue>& issues) {
  Markdown list;
  for (const CriticalIssue& issue : issues) {
    list += "- " + IssueText(issue) + "\n";
  }
  return list.empty() ? list : "**Critical issues**\n\n" + list + "\n";
}

/// `- **+4.1** K support: 256; score 95`.
Markdown List(AuthoredRows authored, std::string_view heading, std::string_view sign,
              std::span<const Highlight> rows) {
  Markdown list;
  for (const Highlight& row : rows) {
    list += "- " + Markdown::Bold(Markdown::Text(fmt::format("{}{:.1f}", sign, row.points))) + " " +
            TitleOf(*row.criterion, authored) + ": " +
            LineText(FormatValue(*row.criterion, row.row->value)) + "\n";
  }
  return list.empty() ? list : Markdown::Bold(Markdown::Text(heading)) + "\n\n" + list + "\n";
}

Markdown Section(const CellHighlights& cell) {
  const AuthoredRows authored =
      HasReconstruction(*cell.challenge) ? AuthoredRows::kMarked : AuthoredRows::kPlain;
  return "## " + Markdown::Text(cell.challenge->view->spec.title) + "\n\n" +
         CriticalIssues(cell.issues) + List(authored, "Strengths", "+", cell.strengths) +
         List(authored, "Weaknesses", "-", cell.weaknesses);
}

}  // namespace

Markdown ModelPage(const Board& board, const ModelStanding& standing) {
  const std::vector<CellHighlights> cells = HighlightsOf(board, standing.model);
  Markdown page = GeneratedNote() + "# " + Markdown::Text(standing.model_name) +
                  (standing.reconstruction ? Markdown(" †") : Markdown()) + "\n\n" +
                  Conclusion(board, standing, cells) + SummaryTable(cells);
  for (const CellHighlights& cell : cells) {
    page += Section(cell);
  }
  return page + Markdown::Text(HighlightRules()) + "\n" +
         (standing.reconstruction ? Markdown("\n† Written by this project from a published "
                                             "description of the model's submission. ‡ Measures "
                                             "what this project wrote beside the code.\n")
                                  : Markdown());
}

}  // namespace assay
