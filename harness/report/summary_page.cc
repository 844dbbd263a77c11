// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "report/matchup_parts.h"
#include "report/pages.h"
#include "report/picture.h"
#include "report/words.h"
#include "score/diagnosis.h"
#include "score/format.h"
#include "score/highlights.h"

namespace assay {
namespace {

constexpr std::size_t kMostFactors = 5;  ///< Of each challenge.
constexpr std::size_t kMostBugs = 2;     ///< Of each cell.
constexpr std::size_t kMostRounds = 5;   ///< From the top.

/// `KV cache (90.6)`.
Markdown TaskWithScore(const Board& board, const std::string& challenge, const Scorecard& card) {
  for (const ChallengeBoard& one : board.challenges) {
    if (one.view->spec.id == challenge) {
      return Markdown::Text(
          fmt::format("{} ({})", one.view->spec.title, FormatScore(card.overall)));
    }
  }
  return {};
}

/// Why not more: cells that are not accepted, and those without a score.
Markdown NotesOf(const ModelStanding& standing) {
  int accepted = 0;
  int repaired = 0;
  for (const auto& [challenge, card] : standing.cells) {
    accepted += card->verdict == Verdict::kAccepted;
    repaired += card->repaired;
  }
  return Markdown::Text(fmt::format("accepted in {} of {}{}{}", accepted, standing.cells.size(),
                                    repaired > 0 ? fmt::format("; {} repaired", repaired) : "",
                                    standing.provisional ? "; a cell has no score" : ""));
}

Markdown Rankings(const Board& board) {
  MarkdownTable table({{.title = "Rank"},
                       {.title = "Model"},
                       {.title = "Average", .align = Align::kRight},
                       {.title = "Best"},
                       {.title = "Worst"},
                       {.title = "Notes"}});
  for (const ModelStanding& standing : board.standings) {
    const std::pair<const std::string, const Scorecard*>* best = nullptr;
    const std::pair<const std::string, const Scorecard*>* worst = nullptr;
    for (const auto& cell : standing.cells) {
      if (cell.second->overall) {
        best = best == nullptr || *cell.second->overall > *best->second->overall ? &cell : best;
        worst = worst == nullptr || *cell.second->overall < *worst->second->overall ? &cell : worst;
      }
    }
    table.AddRow(
        {RankWithMedal(standing.interval, standing.medal),
         Markdown::Link(Markdown::Text(standing.model_name), ModelPath(standing.model)) +
             (standing.reconstruction ? Markdown(" †") : Markdown()),
         Markdown::Bold(Markdown::Text(FormatScore(standing.average, standing.uncertainty))),
         best == nullptr ? Markdown("—") : TaskWithScore(board, best->first, *best->second),
         worst == nullptr ? Markdown("—") : TaskWithScore(board, worst->first, *worst->second),
         NotesOf(standing)});
  }
  return "## Final rankings\n\n" + table.Render() + "\n";
}

/// The rounds between neighbours in rank; a link to the others.
Markdown Rounds(const Board& board) {
  Markdown part;
  for (std::size_t i = 0; i + 1 < board.standings.size() && i < kMostRounds; ++i) {
    const std::string& a = board.standings[i].model;
    const std::string& b = board.standings[i + 1].model;
    if (const auto sides = SidesOf(board, a, b); !sides.empty()) {
      const Matchup& first = sides.front().matchup;
      part += "### " +
              Markdown::Link(Markdown::Text(first.a.model_name + " and " + first.b.model_name),
                             RoundPath(a, b)) +
              "\n\n" + RoundTable(sides) + "\n";
    }
  }
  return part.empty() ? part
                      : "## Rounds\n\nNeighbours in rank; who wins against whom: "
                        "[summary_matrix.md](summary_matrix.md).\n\n" +
                            part;
}

/// What does not gate costs points all the same.
Markdown WithoutGatingFailures(const Evidence& cell) {
  const auto failing = std::ranges::count_if(cell.suite.cases, [](const CaseEvidence& one) {
    return one.verdict != Verdict::kAccepted && one.verdict != Verdict::kSkipped;
  });
  return failing == 0 ? Markdown("nothing fails")
                      : Markdown::Text(fmt::format("{} that {} not gate",
                                                   CountOfCases(static_cast<int>(failing)),
                                                   failing == 1 ? "does" : "do"));
}

/// What is first to be known of a cell: what its failures are like, or that none is.
Markdown WhatFails(const ChallengeBoard& challenge, std::size_t index) {
  const Evidence& cell = *challenge.cells[index];
  const std::optional<Diagnosis>& diagnosis = challenge.cards[index].diagnosis;
  std::vector<Markdown> bugs;
  if (diagnosis) {
    for (const Match& match : diagnosis->matches | std::views::take(kMostBugs)) {
      bugs.push_back(MutantNames(match.mutants));
    }
  }
  if (bugs.empty()) {
    return cell.verdict == Verdict::kAccepted ? WithoutGatingFailures(cell)
                                              : Markdown::Text(ToString(cell.verdict));
  }
  const std::size_t more = diagnosis->matches.size() - bugs.size();
  return "fails like " + Markdown::Join(bugs, ", ") +
         (more > 0 ? Markdown::Text(fmt::format(" and {} more", more)) : Markdown());
}

Markdown TaskByTask(const Board& board) {
  Markdown part =
      "## Task by task\n\nWhat fails: the known bugs, planted in the reference, that fail the same "
      "cases. Costs most: the row that loses most points of the overall score.\n\n";
  for (const ChallengeBoard& challenge : board.challenges) {
    MarkdownTable table({{.title = "Rank"},
                         {.title = "Model"},
                         {.title = "Overall", .align = Align::kRight},
                         {.title = "What fails"},
                         {.title = "Costs most"}});
    for (std::size_t i = 0; i < challenge.cards.size(); ++i) {
      const Scorecard& card = challenge.cards[i];
      const auto weak = Weaknesses(*challenge.view, card);
      const AuthoredRows authored =
          HasReconstruction(challenge) ? AuthoredRows::kMarked : AuthoredRows::kPlain;
      table.AddRow({RankWithMedal(challenge.places[i].interval, challenge.places[i].medal),
                    NameWithMarks(card),
                    Markdown::Bold(Markdown::Text(FormatScore(card.overall, card.uncertainty))),
                    WhatFails(challenge, i),
                    weak.empty()
                        ? Markdown("—")
                        : TitleOf(*weak.front().criterion, authored) +
                              Markdown::Text(fmt::format(" (-{:.1f})", weak.front().points))});
    }
    part += "### " +
            Markdown::Link(Markdown::Text(challenge.view->spec.title),
                           "challenges/" + challenge.view->spec.id + ".md") +
            "\n\n" + table.Render() + "\n";
  }
  return part;
}

/// `Qwen3.6-27B: 256`.
Markdown ValueOfModel(const Scorecard& card, const Criterion& criterion) {
  return Markdown::Text(card.model_name) + ": " +
         ValueText(criterion, FindCriterionScore(card, criterion.id)->value);
}

Markdown Factors(const Board& board) {
  MarkdownTable table({{.title = "Challenge"},
                       {.title = "Row"},
                       {.title = "Points", .align = Align::kRight},
                       {.title = "Best"},
                       {.title = "Worst"}});
  for (const ChallengeBoard& challenge : board.challenges) {
    const AuthoredRows authored =
        HasReconstruction(challenge) ? AuthoredRows::kMarked : AuthoredRows::kPlain;
    const auto rows = SeparatingRows(*challenge.view, challenge.cards);
    for (const SeparatingRow& row : rows | std::views::take(kMostFactors)) {
      table.AddRow({Markdown::Text(challenge.view->spec.title), TitleOf(*row.criterion, authored),
                    Markdown::Text(fmt::format("{:.1f}", row.points)),
                    ValueOfModel(challenge.cards[row.best], *row.criterion),
                    ValueOfModel(challenge.cards[row.worst], *row.criterion)});
    }
  }
  return table.empty() ? Markdown()
                       : "## What separates the tiers\n\nThe rows of each challenge by which the "
                         "best and the worst of them differ most, in points of the overall "
                         "score.\n\n" +
                             table.Render() + "\n";
}

Markdown TakenFrom(const ChallengeBoard& challenge, const BestInDimension& one) {
  const Scorecard& best = challenge.cards[one.best];
  if (*FindDimensionScore(best, one.dimension->id)->score <= 0) {
    return "nobody";
  }
  Markdown text = Markdown::Bold(Markdown::Text(best.model_name)) +
                  Markdown::Text(fmt::format(
                      " ({})", FormatScore(FindDimensionScore(best, one.dimension->id)->score)));
  std::vector<std::string> others;
  others.reserve(one.as_good.size());
  for (const std::size_t other : one.as_good) {
    others.push_back(challenge.cards[other].model_name);
  }
  return others.empty() ? text : text + ", or " + NamesInCell(others);
}

Markdown Hybrid(const Board& board) {
  MarkdownTable table({{.title = "Challenge"},
                       {.title = "Dimension"},
                       {.title = "Take it from"},
                       {.title = "Because of"}});
  for (const ChallengeBoard& challenge : board.challenges) {
    if (challenge.cards.size() < 2) {
      continue;
    }
    const AuthoredRows authored =
        HasReconstruction(challenge) ? AuthoredRows::kMarked : AuthoredRows::kPlain;
    for (const BestInDimension& one : BestOfEach(*challenge.view, challenge.cards)) {
      table.AddRow(
          {Markdown::Text(challenge.view->spec.title),
           TitleOf(*one.dimension, challenge.view->rubric, authored), TakenFrom(challenge, one),
           one.because == nullptr
               ? Markdown("nothing: all are the same")
               : TitleOf(*one.because, authored) + ": " +
                     ValueText(
                         *one.because,
                         FindCriterionScore(challenge.cards[one.best], one.because->id)->value)});
    }
  }
  return table.empty() ? Markdown()
                       : "## The ideal hybrid\n\nEach dimension from the submission that scores "
                         "best in it, or from one inside whose ± it lies, and the row by which it "
                         "is furthest ahead.\n\n" +
                             table.Render() + "\n";
}

/// Of models none of which has an average.
Markdown NobodyIsFirst(const Board& board) {
  const bool is_scored = std::ranges::any_of(
      board.cards, [](const Scorecard& card) { return card.overall.has_value(); });
  return Markdown::Text(fmt::format(
      "Of {} {}.", CountOf(board.standings.size(), "model"),
      is_scored ? "none has an average, since each lacks a score" : "no model has a score"));
}

/// `Qwen3.6-27B is first of 3 models with 89.3 ± 1.2, 21.7 points ahead of GLM-5.`
Markdown Conclusion(const Board& board) {
  const Markdown more =
      " Every score with what was measured: [scoreboard.md](scoreboard.md); every file: "
      "[README.md](README.md).\n\n";
  if (board.standings.empty()) {
    return "Nothing is graded.\n";
  }
  const FirstRank first = FirstRankOf(board.standings);
  if (first.names.empty()) {
    return NobodyIsFirst(board) + more;
  }
  Markdown line = AreFirst(first) +
                  Markdown::Text(fmt::format(
                      " of {} with {}", CountOf(board.standings.size(), "model"), first.score));
  if (first.names.size() == 1 && board.standings.size() > 1 && board.standings[1].average) {
    const ModelStanding& second = board.standings[1];
    line += Markdown::Text(fmt::format(", {:.1f} points ahead of {}",
                                       *board.standings.front().average - *second.average,
                                       second.model_name));
  }
  return line + "." + more;
}

}  // namespace

Markdown SummaryPage(const Board& board) {
  Markdown page = GeneratedNote() + "# Overall summary\n\n" + Conclusion(board);
  if (board.standings.empty()) {
    return page;
  }
  return page + Rankings(board) + PictureLinks(MapOf(board), PageDepth::kTop) + Rounds(board) +
         TaskByTask(board) + Factors(board) + Hybrid(board) +
         (HasReconstruction(board)
              ? Markdown("† A reconstruction: written by this project from a published description "
                         "of the model's submission. ‡ Measures what this project wrote beside its "
                         "code.\n")
              : Markdown());
}

}  // namespace assay
