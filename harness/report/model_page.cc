// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/pages.h"
#include "report/words.h"
#include "score/diagnosis.h"
#include "score/format.h"
#include "score/highlights.h"

namespace assay {
namespace {

/// Of strengths, and of weaknesses, in one challenge.
constexpr std::size_t kMostHighlights = 6;
constexpr std::size_t kMostBugs = 8;

/// One cell of the model and all that was made of its challenge.
struct Entry {
  const ChallengeBoard* challenge = nullptr;
  std::size_t index = 0;  ///< Into the board's vectors, one a cell.

  [[nodiscard]] const Evidence& cell() const { return *challenge->cells[index]; }
  [[nodiscard]] const Scorecard& card() const { return challenge->cards[index]; }
  [[nodiscard]] AuthoredRows authored() const {
    return HasReconstruction(*challenge) ? AuthoredRows::kMarked : AuthoredRows::kPlain;
  }
};

std::vector<Entry> EntriesOf(const Board& board, std::string_view model) {
  std::vector<Entry> entries;
  for (const ChallengeBoard& challenge : board.challenges) {
    if (const auto place = FindPlace(challenge, model)) {
      entries.push_back({.challenge = &challenge, .index = *place});
    }
  }
  return entries;
}

/// `Rank 2 of 3, 72.5 ± 1.4 on average; accepted in 1 of 3 challenges.`
Markdown Conclusion(const Board& board, const ModelStanding& standing,
                    const std::vector<Entry>& entries) {
  const auto accepted = std::ranges::count_if(
      entries, [](const Entry& entry) { return entry.card().verdict == Verdict::kAccepted; });
  const std::string rank =
      standing.interval
          ? fmt::format("Rank {} of {}", FormatRanks(*standing.interval), board.standings.size())
          : "Without a rank";
  return Markdown::Text(fmt::format("{}, {} on average; accepted in {} of {} challenges.", rank,
                                    FormatScore(standing.average, standing.uncertainty), accepted,
                                    entries.size())) +
         "\n\n";
}

Markdown SummaryTable(const std::vector<Entry>& entries) {
  MarkdownTable table({{.title = "Challenge"},
                       {.title = "Rank"},
                       {.title = "Overall", .align = Align::kRight},
                       {.title = "Best dimension"},
                       {.title = "Worst dimension"},
                       {.title = "Verdict"}});
  const auto named = [](const Entry& entry, const DimensionScore& score) {
    const Dimension& dimension = *std::ranges::find(entry.challenge->view->rubric.dimensions,
                                                    score.dimension, &Dimension::id);
    return Markdown::Text(fmt::format("{} ({})", dimension.title, FormatScore(score.score)));
  };
  for (const Entry& entry : entries) {
    std::vector<DimensionScore> scored = entry.card().dimensions;
    std::erase_if(scored, [](const DimensionScore& score) { return !score.score; });
    const auto [worst, best] = std::ranges::minmax_element(scored, {}, &DimensionScore::score);
    const RankedPlace& place = entry.challenge->places[entry.index];
    table.AddRow({Markdown::Link(Markdown::Text(entry.challenge->view->spec.title),
                                 "../challenges/" + entry.challenge->view->spec.id + ".md"),
                  RankWithMedal(place.interval, place.medal),
                  Markdown::Bold(
                      Markdown::Text(FormatScore(entry.card().overall, entry.card().uncertainty))),
                  scored.empty() ? Markdown("—") : named(entry, *best),
                  scored.empty() ? Markdown("—") : named(entry, *worst),
                  Markdown::Text(ToString(entry.card().verdict))});
  }
  return table.Render() + "\n";
}

/// What nobody who uses the code would want to hear last: it was not accepted, what its failures
/// are like, what checkers found.
Markdown CriticalIssues(const Entry& entry) {
  Markdown list;
  const Evidence& cell = entry.cell();
  if (cell.repair) {
    list +=
        "- Does not build as handed in: " + LineText(FirstErrorOf(cell.repair->diagnostics)) + "\n";
  }
  if (cell.verdict != Verdict::kAccepted) {
    list += "- " + Markdown::Bold(Markdown::Text(ToString(cell.verdict))) + ": " +
            LineText(cell.verdict_detail.empty() ? FirstErrorOf(cell.release.diagnostics)
                                                 : cell.verdict_detail) +
            "\n";
  }
  if (const auto diagnosis = DiagnoseCell(*entry.challenge->view, cell)) {
    for (const Match& match : diagnosis->matches | std::views::take(kMostBugs)) {
      list += "- Like the known bug " + Markdown::Code(MutantsOf(match)) + " (" +
              Markdown::Text(GroundsOf(match)) + ")\n";
    }
    if (!diagnosis->unexplained.empty()) {
      list += "- " +
              Markdown::Text(
                  fmt::format("{} that no known bug explains",
                              CountOfCases(static_cast<int>(diagnosis->unexplained.size())))) +
              "\n";
    }
  }
  return list.empty() ? list : "**Critical issues**\n\n" + list + "\n";
}

/// `- **+4.1** K support: 256; score 95`.
Markdown List(const Entry& entry, std::string_view heading, std::string_view sign,
              std::span<const Highlight> rows) {
  Markdown list;
  for (const Highlight& row : rows.first(std::min(rows.size(), kMostHighlights))) {
    list += "- " + Markdown::Bold(Markdown::Text(fmt::format("{}{:.1f}", sign, row.points))) + " " +
            TitleOf(*row.criterion, entry.authored()) + ": " +
            LineText(FormatValue(*row.criterion, row.row->value)) + "\n";
  }
  return list.empty() ? list : Markdown::Bold(Markdown::Text(heading)) + "\n\n" + list + "\n";
}

Markdown Section(const Entry& entry) {
  const ChallengeView& challenge = *entry.challenge->view;
  return "## " + Markdown::Text(challenge.spec.title) + "\n\n" + CriticalIssues(entry) +
         List(entry, "Strengths", "+",
              Strengths(challenge, entry.card(), entry.challenge->totals)) +
         List(entry, "Weaknesses", "-", Weaknesses(challenge, entry.card()));
}

}  // namespace

Markdown ModelPage(const Board& board, const ModelStanding& standing) {
  const std::vector<Entry> entries = EntriesOf(board, standing.model);
  Markdown page = GeneratedNote() + "# " + Markdown::Text(standing.model_name) +
                  (standing.reconstruction ? Markdown(" †") : Markdown()) + "\n\n" +
                  Conclusion(board, standing, entries) + SummaryTable(entries);
  for (const Entry& entry : entries) {
    page += Section(entry);
  }
  return page +
         Markdown::Text(fmt::format(
             "A strength is a row that scores {:g} or more and earns more of the overall score "
             "than "
             "it does on average for the others: + says how much more. A weakness is a row that "
             "loses points: - says how many. Both from {:g} points on. A known bug is one of the "
             "reference's mutants, which fails the same cases in the same way.",
             kLeastStrength, kLeastHighlight_points)) +
         "\n" +
         (standing.reconstruction ? Markdown("\n† Written by this project from a published "
                                             "description of the model's submission. ‡ Measures "
                                             "what this project wrote beside the code.\n")
                                  : Markdown());
}

}  // namespace assay
