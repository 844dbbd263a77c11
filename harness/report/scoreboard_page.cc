// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "report/challenge_sections.h"
#include "report/matchup_parts.h"
#include "report/pages.h"
#include "report/robustness_views.h"
#include "report/words.h"
#include "score/format.h"

namespace assay {
namespace {

Markdown Headline(const Board& board) {
  const auto accepted =
      std::count_if(board.cards.begin(), board.cards.end(),
                    [](const Scorecard& card) { return card.verdict == Verdict::kAccepted; });
  const auto unscored =
      std::count_if(board.cards.begin(), board.cards.end(),
                    [](const Scorecard& card) { return !card.overall.has_value(); });
  Markdown line = Markdown::Text(fmt::format("{}, {}, {}: {} accepted",
                                             CountOf(board.standings.size(), "model"),
                                             CountOf(board.challenges.size(), "challenge"),
                                             CountOf(board.cards.size(), "cell"), accepted));
  if (unscored > 0) {
    line += Markdown::Text(fmt::format(", {} without a score", unscored));
  }
  const FirstRank first = FirstRankOf(board.standings);
  return (first.names.empty()
              ? Markdown()
              : AreFirst(first) + Markdown::Text(fmt::format(" with {}. ", first.score))) +
         line + ".\n\n";
}

/// As its challenge is called in the tables beside it; its id where no cell of it is ranked.
Markdown TitleIn(const Board& board, std::string_view challenge) {
  const auto found = std::ranges::find_if(
      board.challenges, [&](const ChallengeBoard& one) { return one.view->spec.id == challenge; });
  return Markdown::Text(found == board.challenges.end() ? challenge : found->view->spec.title);
}

Markdown StandingNotes(const Board& board, const ModelStanding& standing) {
  std::vector<Markdown> notes;
  for (const auto& [challenge, card] : standing.cells) {
    std::vector<Markdown> faults;
    if (card->repaired) {
      faults.emplace_back("repaired");
    }
    if (card->verdict != Verdict::kAccepted) {
      faults.push_back(Markdown::Text(ToString(card->verdict)));
    }
    if (!faults.empty()) {
      notes.push_back(TitleIn(board, challenge) + ": " + Markdown::Join(faults, ", "));
    }
  }
  for (const UnsoundCell& cell : board.unsound) {
    if (cell.model == standing.model) {
      notes.push_back(TitleIn(board, cell.challenge) + ": evidence does not hold");
    }
  }
  if (standing.provisional) {
    notes.emplace_back("provisional: a cell has no score");
  }
  return Markdown::Join(notes, "; ");
}

Markdown UnauthoredStanding(const Board& board, const std::string& model) {
  const ModelStanding& standing =
      *std::ranges::find(board.unauthored_standings, model, &ModelStanding::model);
  return UnauthoredCell({.score = standing.average, .uncertainty = standing.uncertainty},
                        standing.interval);
}

/// Behind a name.
Markdown MarkOf(const ModelStanding& standing) {
  return standing.reconstruction ? Markdown(" †") : Markdown();
}

Markdown OverallTable(const Board& board) {
  std::vector<MarkdownTable::Column> columns = {
      {.title = "Rank"}, {.title = "Model"}, {.title = "Average", .align = Align::kRight}};
  const bool shows_unauthored = HasReconstruction(board);
  if (shows_unauthored) {
    columns.push_back({.title = "Without ‡", .align = Align::kRight});
  }
  columns.push_back({.title = "Notes"});
  MarkdownTable table(std::move(columns));
  for (const ModelStanding& standing : board.standings) {
    std::vector<Markdown> row = {
        RankWithMedal(standing.interval, standing.medal),
        Markdown::Bold(Markdown::Text(standing.model_name)) + MarkOf(standing),
        Markdown::Bold(Markdown::Text(FormatScore(standing.average, standing.uncertainty)))};
    if (shows_unauthored) {
      row.push_back(UnauthoredStanding(board, standing.model));
    }
    row.push_back(StandingNotes(board, standing));
    table.AddRow(std::move(row));
  }
  return table.Render();
}

/// Each model's score in each challenge.
Markdown ScoresTable(const Board& board) {
  std::vector<MarkdownTable::Column> columns = {{.title = "Model"}};
  for (const ChallengeBoard& challenge : board.challenges) {
    const std::string path = fmt::format("challenges/{}.md", challenge.view->spec.id);
    columns.push_back({.title = Markdown::Link(Markdown::Text(challenge.view->spec.title), path),
                       .align = Align::kRight});
  }
  MarkdownTable table(std::move(columns));
  for (const ModelStanding& standing : board.standings) {
    std::vector<Markdown> row = {Markdown::Text(standing.model_name) + MarkOf(standing)};
    for (const ChallengeBoard& challenge : board.challenges) {
      const auto cell = standing.cells.find(challenge.view->spec.id);
      if (cell != standing.cells.end()) {
        row.push_back(
            Markdown::Text(FormatScore(cell->second->overall, cell->second->uncertainty)));
      } else {
        row.push_back(IsUnsound(board, standing.model, challenge.view->spec.id)
                          ? Markdown("evidence does not hold")
                          : Markdown("not entered"));
      }
    }
    table.AddRow(std::move(row));
  }
  return table.Render();
}

/// One challenge's cells, ranked.
Markdown ChallengeTable(const ChallengeBoard& challenge) {
  const bool shows_unauthored = HasReconstruction(challenge);
  std::vector<MarkdownTable::Column> columns = RankingColumns(challenge);
  MarkdownTable table(std::move(columns));
  for (std::size_t i = 0; i < challenge.cards.size(); ++i) {
    const Scorecard& card = challenge.cards[i];
    const RankedPlace& place = challenge.places[i];
    std::vector<Markdown> row = {
        RankWithMedal(place.interval, place.medal), NameWithMarks(card),
        Markdown::Bold(Markdown::Text(FormatScore(card.overall, card.uncertainty))),
        Markdown::Text(ToString(card.verdict))};
    if (shows_unauthored) {
      row.push_back(UnauthoredCell(card.without_authored, challenge.unauthored_places[i].interval));
    }
    row.push_back(PercentOf(card.coverage));
    table.AddRow(std::move(row));
  }
  return table.Render();
}

/// The same cells with the scores of their dimensions.
Markdown DimensionsTable(const ChallengeBoard& challenge) {
  const AuthoredRows authored =
      HasReconstruction(challenge) ? AuthoredRows::kMarked : AuthoredRows::kPlain;
  const Rubric& rubric = challenge.view->rubric;
  std::vector<MarkdownTable::Column> columns = {{.title = "Model"}};
  for (const Dimension& dimension : rubric.dimensions) {
    columns.push_back({.title = TitleOf(dimension, rubric, authored), .align = Align::kRight});
  }
  MarkdownTable table(std::move(columns));
  for (const Scorecard& card : challenge.cards) {
    std::vector<Markdown> row = {NameWithMarks(card)};
    for (const DimensionScore& score : card.dimensions) {
      row.push_back(Markdown::Text(FormatScore(score.score, score.uncertainty)));
    }
    table.AddRow(std::move(row));
  }
  return table.Render();
}

Markdown VerdictNotes(const ChallengeBoard& challenge) {
  Markdown notes;
  for (const Evidence* cell : challenge.cells) {
    const Markdown name = "- " + Markdown::Text(cell->model_name) + ", ";
    if (cell->repair.has_value()) {
      notes += name +
               "does not build as handed in: " + LineText(FirstErrorOf(cell->repair->diagnostics)) +
               "; repaired: " + LineText(cell->repair->reason) + "\n";
    }
    if (cell->verdict != Verdict::kAccepted) {
      notes += name + Markdown::Text(ToString(cell->verdict)) + ": " +
               LineText(cell->verdict_detail.empty() ? FirstErrorOf(cell->release.diagnostics)
                                                     : cell->verdict_detail) +
               "\n";
    }
  }
  return notes.empty() ? notes : "\n" + notes;
}

/// The anchors on one line; their dimensions are on the challenge's page.
Markdown AnchorsOf(const ChallengeBoard& challenge) {
  std::vector<Markdown> anchors;
  anchors.reserve(challenge.anchors.size());
  for (const AnchorCard& anchor : challenge.anchors) {
    anchors.push_back(Markdown::Text(anchor.card.model_name) + " " +
                      Markdown::Text(FormatScore(anchor.card.overall, anchor.card.uncertainty)) +
                      (anchor.version == AnchorCard::Version::kAnother
                           ? Markdown(" (of another version of the challenge)")
                           : Markdown()));
  }
  return anchors.empty() ? Markdown() : "Anchors: " + Markdown::Join(anchors, "; ") + ".\n\n";
}

Markdown HeadToHead(const Board& board) {
  const MarkdownTable table = SummaryMatrix(board);
  return table.empty() ? Markdown() : "## Head to head\n\n" + table.Render() + "\n";
}

/// One row for each distinct environment, with the cells graded in it.
Markdown Conditions(const Board& board) {
  MarkdownTable table({{.title = "Machine"},
                       {.title = "Compiler"},
                       {.title = "Sandbox"},
                       {.title = "Seed"},
                       {.title = "Assay"},
                       {.title = "Cells"}});
  std::vector<std::pair<const Environment*, std::vector<std::string>>> groups;
  for (const ChallengeBoard& challenge : board.challenges) {
    for (const Evidence* cell : challenge.cells) {
      auto group = std::find_if(groups.begin(), groups.end(),
                                [&](const auto& one) { return *one.first == cell->environment; });
      if (group == groups.end()) {
        group = groups.insert(groups.end(), {&cell->environment, {}});
      }
      group->second.push_back(cell->model + "/" + cell->challenge);
    }
  }
  for (const auto& [environment, cells] : groups) {
    const Machine& machine = environment->machine;
    table.AddRow(
        {CellText(fmt::format(
             "{}, {} cores, {}, {}", machine.cpu_model, machine.cores,
             FormatNumber(ValueFormat::kBytes, static_cast<double>(machine.memory_bytes)),
             machine.kernel)),
         CellText(environment->compiler), CellText(environment->sandbox_level),
         Markdown::Text(std::to_string(environment->seed)), CellText(environment->assay_version),
         cells.size() == board.cards.size() ? Markdown("all")
                                            : CellText(fmt::format("{}", fmt::join(cells, ", ")))});
  }
  Markdown section = "## Conditions\n\n" + table.Render() + "\n";
  const bool weak = std::any_of(groups.begin(), groups.end(), [](const auto& group) {
    return group.first->sandbox_level != "full";
  });
  if (const std::string gpus = EmulatedGpusOf(board); !gpus.empty()) {
    section += "CUDA was graded on an emulated " + CellText(gpus) +
               ": bytes and instructions are counted; times of kernels are modelled, never "
               "measured.\n\n";
  }
  if (weak) {
    section += "**Some cells were graded below sandbox level full.**\n\n";
  }
  return section;
}

Markdown UnsoundCells(const Board& board) {
  Markdown list;
  for (const UnsoundCell& cell : board.unsound) {
    list += "- " +
            Markdown::Link(Markdown::Text(cell.model + "/" + cell.challenge),
                           "evidence/" + cell.challenge + "/" + cell.model + ".json") +
            ": evidence does not hold: " + LineText(cell.cause) +
            ". Remedy: " + LineText(cell.remedy) + "\n";
  }
  return list.empty() ? list
                      : "## Evidence that does not hold\n\nThese cells are in no ranking, and "
                        "their models have no average, rank or medal over all.\n\n" +
                            list + "\n";
}

Markdown LeftOut(const Board& board) {
  Markdown list;
  for (const std::string& line : board.left_out) {
    list += "- " + LineText(line) + "\n";
  }
  return list.empty() ? list : "## Left out\n\n" + list + "\n";
}

Markdown Reproduce(const Board& board) {
  std::set<std::uint64_t> seeds;
  for (const ChallengeBoard& challenge : board.challenges) {
    for (const Evidence* cell : challenge.cells) {
      seeds.insert(cell->environment.seed);
    }
  }
  std::string commands = "assay report --check";
  for (const std::uint64_t seed : seeds) {
    commands += fmt::format("\nassay grade --force --seed={}", seed);
  }
  return "## Reproduce\n\n" + Markdown::CodeBlock(commands) +
         "\nThe first renders these files again from evidence and compares; the rest grade again. "
         "Measured rows are equal to the digit under the same seed; rows of time move within their "
         "intervals.\n\n";
}

Markdown Method(const Board& board) {
  const Markdown authored =
      HasReconstruction(board)
          ? Markdown(
                "- ‡ *Without ‡* leaves out authored rows: answers, claims, own tests and "
                "declared benchmarks, which this project wrote for a reconstruction.\n")
          : Markdown();
  return "## Method\n\n"
         "- Scores are 0 to 100 from absolute anchors in each challenge's `rubric.yaml`, never "
         "from "
         "who else entered. *Measured* is the share of the rubric's weight that has a value here; "
         "rows without one carry no weight, and the rest is renormalised. Failed rows score 0.\n"
         "- 83.2 ± 1.4: in 95 % of what the score could have been it lies within so many points, "
         "by "
         "the intervals of times, other cases like these, and other planted bugs for its tests. "
         "1-2 in a ranking: within that, any of these ranks. A medal needs a rank that is sure "
         "and, "
         "over all, a score in every challenge; a margin inside its ± is split, half a point "
         "each.\n" +
         authored +
         "- A repaired submission needed a patch to build and loses the rubric's penalty.\n"
         "- An edge in a row of times needs a difference beyond Holm-corrected chance and beyond "
         "the row's tie; `?` means the data do not decide, which is not a tie.\n"
         "- † A reconstruction: written by this project from a published description of that "
         "model's submission, to show that the harness finds what a careful reader found.\n"
         "- Every definition: [harness/score/README.md](../harness/score/README.md). Any number: "
         "`assay explain --help`.\n";
}

}  // namespace

Markdown ScoreboardPage(const Board& board) {
  Markdown page = GeneratedNote() + "# Scoreboard\n\n" + Headline(board);
  if (!board.standings.empty()) {
    page += "## Over all\n\n" + OverallTable(board) + "\n" + ScoresTable(board) + "\n";
  }
  page += UnsoundCells(board);
  for (const ChallengeBoard& challenge : board.challenges) {
    page += "## " + Markdown::Text(challenge.view->spec.title) + "\n\n" +
            ChallengeTable(challenge) + "\n" + DimensionsTable(challenge) +
            VerdictNotes(challenge) + "\n" + AnchorsOf(challenge);
  }
  page += HeadToHead(board) + RobustnessSection(board);
  if (!board.cards.empty()) {
    page += Conditions(board);
  }
  return page + LeftOut(board) + Reproduce(board) + Method(board);
}

}  // namespace assay
