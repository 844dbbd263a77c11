// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "report/challenge_sections.h"
#include "report/pages.h"
#include "report/picture.h"
#include "report/words.h"
#include "score/format.h"
#include "score/matchup.h"

namespace assay {
namespace {

std::vector<MarkdownTable::Column> ModelColumns(const ChallengeBoard& challenge,
                                                std::vector<MarkdownTable::Column> first,
                                                Align align) {
  for (const Scorecard& card : challenge.cards) {
    first.push_back({.title = NameWithMarks(card), .align = align});
  }
  return first;
}

/// Columns that say what a row of a ranking is about.
constexpr std::size_t kRankAndModel = 2;

AuthoredRows AuthoredOf(const ChallengeBoard& challenge) {
  return HasReconstruction(challenge) ? AuthoredRows::kMarked : AuthoredRows::kPlain;
}

/// Whether every two cells were; else a row has no count of wins.
bool AreAllCompared(const ChallengeBoard& challenge) {
  return challenge.matchups.size() == challenge.cells.size() * (challenge.cells.size() - 1) / 2;
}

Markdown Ranking(const ChallengeBoard& challenge) {
  const bool shows_unauthored = HasReconstruction(challenge);
  std::vector<MarkdownTable::Column> columns = RankingColumns(challenge);
  const bool counts_wins = AreAllCompared(challenge);
  if (counts_wins) {
    columns.push_back({.title = "Rows won", .align = Align::kRight});
  }
  columns.push_back({.title = "Verdict's reason"});
  MarkdownTable table(std::move(columns), kRankAndModel);
  for (std::size_t i = 0; i < challenge.cards.size(); ++i) {
    const Scorecard& card = challenge.cards[i];
    int won = 0;
    for (const Matchup& matchup : challenge.matchups) {
      won += matchup.a.model == card.model ? matchup.won_a : 0;
      won += matchup.b.model == card.model ? matchup.won_b : 0;
    }
    const RankedPlace& place = challenge.places[i];
    std::vector<Markdown> row = {
        RankWithMedal(place.interval, place.medal), NameWithMarks(card),
        Markdown::Bold(Markdown::Text(FormatScore(card.overall, card.uncertainty))),
        Markdown::Text(ToString(card.verdict))};
    if (shows_unauthored) {
      row.push_back(UnauthoredCell(card.without_authored, challenge.unauthored_places[i].interval));
    }
    row.push_back(PercentOf(card.coverage));
    if (counts_wins) {
      row.push_back(Number(won));
    }
    row.push_back(CellText(challenge.cells[i]->verdict_detail));
    table.AddRow(std::move(row));
  }
  return table.Render() +
         "\n±: 95 % of what the score could have been. A rank of 1-2 may be either within that.\n" +
         AuthoredNote(AuthoredOf(challenge));
}

/// The edge of `model` against another in a row; kA when `model` wins.
RowEdge EdgeFor(const Matchup& matchup, std::size_t row, const std::string& model) {
  const RowEdge edge = matchup.rows[row].edge;
  const bool is_a = matchup.a.model == model;
  if (edge == RowEdge::kA || edge == RowEdge::kB) {
    return (edge == RowEdge::kA) == is_a ? RowEdge::kA : RowEdge::kB;
  }
  return edge;
}

/// Who is best in a row: those who lose to nobody, if they beat somebody and the data decide
/// between them and all others.
Markdown BestByEdges(const ChallengeBoard& challenge, std::size_t row) {
  std::vector<std::string> best;
  bool contested = false;
  bool unresolved = false;
  for (const Scorecard& card : challenge.cards) {
    bool wins = false;
    bool loses = false;
    bool unsure = false;
    for (const Matchup& matchup : challenge.matchups) {
      if (matchup.a.model != card.model && matchup.b.model != card.model) {
        continue;
      }
      const RowEdge edge = EdgeFor(matchup, row, card.model);
      wins = wins || edge == RowEdge::kA;
      loses = loses || edge == RowEdge::kB;
      unsure = unsure || edge == RowEdge::kUnresolved;
      contested = contested || edge != RowEdge::kNone;
    }
    unresolved = unresolved || (unsure && !loses);
    if (wins && !loses) {
      best.push_back(card.model_name);
    }
  }
  if (!contested) {
    return "—";
  }
  if (unresolved) {
    return "?";
  }
  return best.empty() ? Markdown("Tie") : Markdown::Bold(NamesInCell(best));
}

/// The same where not every two of them were compared: those of the highest score, if two of them
/// or more can be compared and one has the value.
Markdown BestByScore(const ChallengeBoard& challenge, std::size_t row) {
  std::vector<std::string> best;
  std::optional<double> highest;
  std::size_t scored = 0;
  bool is_measured = false;
  for (const Scorecard& card : challenge.cards) {
    const std::optional<double> score = card.criteria[row].score;
    if (!score) {
      continue;
    }
    ++scored;
    is_measured = is_measured || card.criteria[row].value.state == CriterionValue::State::kMeasured;
    if (!highest || *score > *highest) {
      highest = score;
      best.clear();
    }
    if (*score == *highest) {
      best.push_back(card.model_name);
    }
  }
  if (scored < 2 || !is_measured) {
    return "—";
  }
  return best.size() == scored ? Markdown("Tie") : Markdown::Bold(NamesInCell(best));
}

Markdown BestOfRow(const ChallengeBoard& challenge, std::size_t row) {
  return AreAllCompared(challenge) ? BestByEdges(challenge, row) : BestByScore(challenge, row);
}

Markdown Criteria(const ChallengeBoard& challenge) {
  const Rubric& rubric = challenge.view->rubric;
  auto columns = ModelColumns(challenge, {{.title = "Criteria"}, {.title = "Kind"}}, Align::kLeft);
  columns.push_back({.title = "Best"});
  MarkdownTable table(std::move(columns));
  for (const Dimension& dimension : rubric.dimensions) {
    std::vector<Markdown> head = {Markdown::Bold(TitleOf(dimension, rubric, AuthoredOf(challenge))),
                                  ""};
    for (const Scorecard& card : challenge.cards) {
      head.push_back(Markdown::Bold(DimensionCell(*FindDimensionScore(card, dimension.id))));
    }
    table.AddRow(std::move(head));
    for (std::size_t row = 0; row < rubric.criteria.size(); ++row) {
      const Criterion& criterion = rubric.criteria[row];
      if (criterion.dimension != dimension.id) {
        continue;
      }
      std::vector<Markdown> cells = {TitleOf(criterion, AuthoredOf(challenge)),
                                     Markdown::Text(ToString(criterion.kind))};
      for (const Scorecard& card : challenge.cards) {
        cells.push_back(ValueText(criterion, card.criteria[row].value));
      }
      cells.push_back(BestOfRow(challenge, row));
      table.AddRow(std::move(cells));
    }
  }
  return table.Render() + AuthoredNote(AuthoredOf(challenge));
}

Markdown Scorecards(const ChallengeBoard& challenge) {
  const Rubric& rubric = challenge.view->rubric;
  MarkdownTable table(
      ModelColumns(challenge, {{.title = "Dimension"}, {.title = "Weight", .align = Align::kRight}},
                   Align::kRight));
  for (const Dimension& dimension : rubric.dimensions) {
    std::vector<Markdown> cells = {TitleOf(dimension, rubric, AuthoredOf(challenge)),
                                   Markdown::Text(fmt::format("{:g}", dimension.weight))};
    for (const Scorecard& card : challenge.cards) {
      cells.push_back(DimensionCell(*FindDimensionScore(card, dimension.id)));
    }
    table.AddRow(std::move(cells));
  }
  const bool penalised = std::any_of(challenge.cards.begin(), challenge.cards.end(),
                                     [](const Scorecard& card) { return card.penalty > 0; });
  std::vector<Markdown> penalties = {"Penalty (repaired)", ""};
  std::vector<Markdown> overall = {"**Overall**", ""};
  for (const Scorecard& card : challenge.cards) {
    penalties.push_back(Markdown::Text(fmt::format("{:g}", 0 - card.penalty + 0.0)));
    overall.push_back(Markdown::Bold(Markdown::Text(FormatScore(card.overall, card.uncertainty))));
  }
  if (penalised) {
    table.AddRow(std::move(penalties));
  }
  table.AddRow(std::move(overall));
  return table.Render() +
         "\nIn parentheses, where it is not all: the share of a dimension's weight that has a "
         "value here.\n" +
         AuthoredNote(AuthoredOf(challenge));
}

Markdown Matchups(const ChallengeBoard& challenge) {
  Markdown list;
  for (const Matchup& matchup : challenge.matchups) {
    const Markdown names =
        Markdown::Text(matchup.a.model_name) + " vs " + Markdown::Text(matchup.b.model_name);
    list += "- " + Markdown::Link(names, "../" + MatchupPath(matchup.a.model, matchup.b.model)) +
            ": " + EdgeCell(matchup.winner, matchup.a, matchup.b);
    if (matchup.winner == RowEdge::kA || matchup.winner == RowEdge::kB) {
      list += Markdown::Text(
          fmt::format(" +{:.1f} ± {:.1f}", matchup.margin, matchup.margin_uncertainty));
    }
    list += "\n";
  }
  return list;
}

/// A section with its heading; nothing when there is nothing in it.
Markdown Section(const Markdown& title, const Markdown& body) {
  return body.empty() ? body : "## " + title + "\n\n" + body + "\n";
}

/// One whose rows are all authored.
Markdown AuthoredSection(const Markdown& title, const Markdown& body, AuthoredRows authored) {
  return body.empty() ? body
                      : Section(authored == AuthoredRows::kMarked ? title + " ‡" : title,
                                body + AuthoredNote(authored));
}

/// Tables with a column a submission have so many of them, from the top of the ranking: of hundreds
/// nobody would find a row again, and GitHub does not show a page of megabytes.
constexpr std::size_t kMostSubmissionsSideBySide = 12;

ChallengeBoard TopOf(const ChallengeBoard& challenge) {
  const std::size_t shown = std::min(challenge.cards.size(), kMostSubmissionsSideBySide);
  ChallengeBoard top;
  top.view = challenge.view;
  top.cells.assign(challenge.cells.begin(),
                   challenge.cells.begin() + static_cast<std::ptrdiff_t>(shown));
  top.cards = challenge.cards.first(shown);
  const auto is_shown = [&](const Scorecard& card) {
    return std::ranges::find(top.cards, card.model, &Scorecard::model) != top.cards.end();
  };
  std::ranges::copy_if(
      challenge.matchups, std::back_inserter(top.matchups),
      [&](const Matchup& matchup) { return is_shown(matchup.a) && is_shown(matchup.b); });
  return top;
}

Markdown WhereTheOthersAre(const ChallengeBoard& challenge) {
  if (challenge.cards.size() <= kMostSubmissionsSideBySide) {
    return {};
  }
  return Markdown::Text(
             fmt::format("Below, the first {} of {} submissions stand side by side. Each "
                         "of the others has a page in ",
                         kMostSubmissionsSideBySide, challenge.cards.size())) +
         "[models](../models/), and every row of it in " +
         Markdown::Code(fmt::format("assay explain MODEL/{} --all", challenge.view->spec.id)) +
         " and on the site.\n\n";
}

/// `**Qwen3.6-27B** is first of 3 with 87.7 ± 1.1; 1 of 3 accepted.`
Markdown ChallengeConclusion(const ChallengeBoard& challenge) {
  const auto accepted =
      std::ranges::count(challenge.cards, Verdict::kAccepted, &Scorecard::verdict);
  const Markdown counts =
      Markdown::Text(fmt::format("{} of {} accepted.", accepted, challenge.cards.size()));
  FirstRank first;
  for (std::size_t i = 0; i < challenge.cards.size(); ++i) {
    if (challenge.places[i].rank == 1) {
      const Scorecard& card = challenge.cards[i];
      AddFirst(card.model_name, {.score = card.overall, .uncertainty = card.uncertainty}, first);
    }
  }
  return (first.names.empty()
              ? Markdown("No submission has a score; ")
              : AreFirst(first) + Markdown::Text(fmt::format(
                                      " of {} with {}; ", challenge.cards.size(), first.score))) +
         counts + "\n\n";
}

}  // namespace

Markdown ChallengePage(const ChallengeBoard& challenge) {
  const ChallengeSpec& spec = challenge.view->spec;
  Markdown page =
      GeneratedNote() + "# " + Markdown::Text(spec.title) + "\n\n" + ChallengeConclusion(challenge);
  if (!spec.published_as.empty()) {
    std::vector<Markdown> names;
    names.reserve(spec.published_as.size());
    for (const std::string& name : spec.published_as) {
      names.push_back(Markdown::Text(name));
    }
    page += "Published as: " + Markdown::Join(names, ", ") + ". ";
  }
  page += Markdown::Link("Prompt", "../../challenges/" + spec.id + "/PROMPT.md") + ", " +
          Markdown::Link("rubric", "../../challenges/" + spec.id + "/rubric.yaml") + ", " +
          Markdown::Link("scoreboard", "../scoreboard.md") + ".\n\n";
  const ChallengeBoard top = TopOf(challenge);
  return page + Section("Ranking", Ranking(challenge)) +
         PictureLinks(PicturesOf(challenge), PageDepth::kInFolder) +
         Section("Anchors", AnchorSection(challenge)) + WhereTheOthersAre(challenge) +
         Section("Criteria", Criteria(top)) + Section("Scorecards", Scorecards(top)) +
         Section("Head to head", Matchups(top)) + Section("Builds", BuildSection(top)) +
         Section("What failures look like", DiagnosisSection(top)) +
         Section("Cases", CaseSection(top)) + Section("GPU counters", GpuSection(top)) +
         Section("Curves", CurveSection(top)) + Section("Times", TimeSection(top)) +
         AuthoredSection("Own tests", OwnTestSection(top), AuthoredOf(top)) +
         AuthoredSection("Answers and claims", StatementSection(top), AuthoredOf(top)) +
         Section("Reviews", ReviewSection(top));
}

}  // namespace assay
