// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "report/challenge_sections.h"
#include "report/pages.h"
#include "report/robustness_views.h"
#include "report/words.h"
#include "score/format.h"

namespace assay {
namespace {

std::string CountOf(std::size_t number, std::string_view thing) {
  return fmt::format("{} {}{}", number, thing, number == 1 ? "" : "s");
}

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
  return line + ".\n\n";
}

Markdown StandingNotes(const ModelStanding& standing) {
  std::vector<Markdown> notes;
  for (const auto& [challenge, card] : standing.cells) {
    if (card->repaired) {
      notes.push_back("repaired in " + Markdown::Text(challenge));
    }
    if (card->verdict != Verdict::kAccepted) {
      notes.push_back(Markdown::Text(fmt::format("{} in {}", ToString(card->verdict), challenge)));
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

Markdown OverallTable(const Board& board) {
  std::vector<MarkdownTable::Column> columns = {
      {.title = "Rank"}, {.title = "Model"}, {.title = "Average", .align = Align::kRight}};
  for (const ChallengeBoard& challenge : board.challenges) {
    const std::string path = fmt::format("challenges/{}.md", challenge.view->spec.id);
    columns.push_back({.title = Markdown::Link(Markdown::Text(challenge.view->spec.title), path),
                       .align = Align::kRight});
  }
  const bool shows_unauthored = HasReconstruction(board);
  if (shows_unauthored) {
    columns.push_back({.title = "Without ‡", .align = Align::kRight});
  }
  columns.push_back({.title = "Notes"});
  MarkdownTable table(std::move(columns));
  for (const ModelStanding& standing : board.standings) {
    Markdown name = Markdown::Bold(Markdown::Text(standing.model_name));
    if (standing.reconstruction) {
      name += " †";
    }
    std::vector<Markdown> row = {
        RankWithMedal(standing.interval, standing.medal), std::move(name),
        Markdown::Bold(Markdown::Text(FormatScore(standing.average, standing.uncertainty)))};
    for (const ChallengeBoard& challenge : board.challenges) {
      const auto cell = standing.cells.find(challenge.view->spec.id);
      row.push_back(
          cell == standing.cells.end()
              ? Markdown("not entered")
              : Markdown::Text(FormatScore(cell->second->overall, cell->second->uncertainty)));
    }
    if (shows_unauthored) {
      row.push_back(UnauthoredStanding(board, standing.model));
    }
    row.push_back(StandingNotes(standing));
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
        Markdown::Text(ToString(card.verdict)),
        Markdown::Bold(Markdown::Text(FormatScore(card.overall, card.uncertainty)))};
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
               "does not build as handed in: " + CellText(FirstErrorOf(cell->repair->diagnostics)) +
               "; repaired: " + CellText(cell->repair->reason) + "\n";
    }
    if (cell->verdict != Verdict::kAccepted) {
      notes += name + Markdown::Text(ToString(cell->verdict)) + ": " +
               CellText(cell->verdict_detail.empty() ? FirstErrorOf(cell->release.diagnostics)
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

Markdown WinnerCell(const Matchup& matchup) {
  Markdown cell = EdgeCell(matchup.winner, matchup.a, matchup.b);
  if (matchup.winner == RowEdge::kA || matchup.winner == RowEdge::kB) {
    cell += Markdown::Text(
        fmt::format(" +{:.1f} ± {:.1f}", matchup.margin, matchup.margin_uncertainty));
  } else if (matchup.winner == RowEdge::kSplit) {
    cell += Markdown::Text(
        fmt::format(" ({:.1f} ± {:.1f})", matchup.margin, matchup.margin_uncertainty));
  }
  return cell;
}

/// `GLM-5 2-1`: matchups won over all challenges; one that is split gives half a point to each.
Markdown OverallOfPair(const std::vector<Matchup>& matchups) {
  double a = 0;
  double b = 0;
  for (const Matchup& matchup : matchups) {
    a += matchup.winner == RowEdge::kA ? 1 : matchup.winner == RowEdge::kSplit ? 0.5 : 0;
    b += matchup.winner == RowEdge::kB ? 1 : matchup.winner == RowEdge::kSplit ? 0.5 : 0;
  }
  if (matchups.empty() || a + b == 0) {
    return "—";
  }
  const std::string points = fmt::format(" {:g}-{:g}", std::max(a, b), std::min(a, b));
  const RowEdge edge = a > b ? RowEdge::kA : b > a ? RowEdge::kB : RowEdge::kSplit;
  return EdgeCell(edge, matchups.front().a, matchups.front().b) + Markdown::Text(points);
}

Markdown SummaryMatrix(const Board& board) {
  std::vector<MarkdownTable::Column> columns = {{.title = "Matchup"}};
  for (const ChallengeBoard& challenge : board.challenges) {
    columns.push_back({.title = Markdown::Text(challenge.view->spec.title)});
  }
  columns.push_back({.title = "Overall"});
  MarkdownTable table(std::move(columns));
  for (std::size_t i = 0; i < board.standings.size(); ++i) {
    for (std::size_t j = i + 1; j < board.standings.size(); ++j) {
      const ModelStanding& a = board.standings[i];
      const ModelStanding& b = board.standings[j];
      std::vector<Matchup> found;
      std::vector<Markdown> cells;
      for (const ChallengeBoard& challenge : board.challenges) {
        const auto matchup = FindMatchup(challenge, a.model, b.model);
        cells.push_back(matchup ? WinnerCell(*matchup) : Markdown("—"));
        if (matchup) {
          found.push_back(*matchup);
        }
      }
      if (found.empty()) {
        continue;
      }
      const Markdown names = Markdown::Text(a.model_name) + " vs " + Markdown::Text(b.model_name);
      std::vector<Markdown> row = {Markdown::Link(names, MatchupPath(a.model, b.model))};
      row.insert(row.end(), cells.begin(), cells.end());
      row.push_back(OverallOfPair(found));
      table.AddRow(std::move(row));
    }
  }
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

Markdown LeftOut(const Board& board) {
  Markdown list;
  for (const std::string& line : board.left_out) {
    list += "- " + CellText(line) + "\n";
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
         "`assay explain MODEL/CHALLENGE`.\n";
}

}  // namespace

Markdown ScoreboardPage(const Board& board) {
  Markdown page = GeneratedNote() + "# Scoreboard\n\n" + Headline(board);
  if (!board.standings.empty()) {
    page += OverallTable(board) + "\n";
  }
  for (const ChallengeBoard& challenge : board.challenges) {
    page += "## " + Markdown::Text(challenge.view->spec.title) + "\n\n" +
            ChallengeTable(challenge) + "\n" + DimensionsTable(challenge) +
            VerdictNotes(challenge) + "\n" + AnchorsOf(challenge);
  }
  page += SummaryMatrix(board) + RobustnessSection(board);
  if (!board.cards.empty()) {
    page += Conditions(board);
  }
  return page + LeftOut(board) + Reproduce(board) + Method(board);
}

}  // namespace assay
