// SPDX-License-Identifier: Apache-2.0
#include "report/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <ranges>
#include <vector>

#include "base/text.h"
#include "report/json_parts.h"
#include "report/json_text.h"
#include "report/lookup.h"
#include "report/matchup_parts.h"
#include "report/plain_text.h"
#include "score/format.h"
#include "score/highlights.h"

namespace assay {
namespace {

using nlohmann::json;

/// Of a challenge, or of a challenge of a pair.
constexpr std::size_t kRowsExplained = 10;

Result<const ModelStanding*> FindStanding(const Board& board, std::string_view model) {
  const auto found = std::ranges::find(board.standings, model, &ModelStanding::model);
  if (found == board.standings.end()) {
    std::vector<std::string> known;
    std::ranges::transform(board.standings, std::back_inserter(known), &ModelStanding::model);
    return std::unexpected(
        Error{.kind = ErrorKind::kConfiguration,
              .where = {},
              .cause = fmt::format("there is no evidence of a model \"{}\"", model),
              .remedy = fmt::format("choose of: {}", Join(known, ", "))});
  }
  return &*found;
}

Result<const ChallengeBoard*> FindBoard(const Board& board, std::string_view challenge) {
  const auto found = std::ranges::find_if(
      board.challenges, [&](const ChallengeBoard& one) { return one.view->spec.id == challenge; });
  if (found == board.challenges.end()) {
    return std::unexpected(
        Error{.kind = ErrorKind::kConfiguration,
              .where = {},
              .cause = fmt::format("there is no evidence of a challenge \"{}\"", challenge),
              .remedy = "run assay list"});
  }
  return &*found;
}

std::string RankText(const std::optional<RankInterval>& interval) {
  return interval ? "rank " + FormatRanks(*interval) : "no rank";
}

std::string Value(const Criterion& criterion, const Scorecard& card) {
  return PlainLine(FormatValue(criterion, FindCriterionScore(card, criterion.id)->value));
}

std::string_view EdgeText(RowEdge edge, const Matchup& matchup) {
  return edge == RowEdge::kA   ? std::string_view(matchup.a.model_name)
         : edge == RowEdge::kB ? std::string_view(matchup.b.model_name)
                               : ToString(edge);
}

/// A row of every cell with the edges of its matchups, and what lies between the best and the
/// worst.
std::string OneRow(const ChallengeBoard& challenge, std::size_t index) {
  const Criterion& criterion = challenge.view->rubric.criteria[index];
  std::string text =
      fmt::format("{} ({}), of dimension {}, weight {:g}\n", PlainLine(criterion.title),
                  criterion.id, criterion.dimension, criterion.weight);
  for (const Scorecard& card : challenge.cards) {
    const CriterionScore& row = *FindCriterionScore(card, criterion.id);
    text += fmt::format("  {}: {}; score {}, which is {:.2f} % of the overall score: -{:.1f}\n",
                        PlainLine(card.model_name), Value(criterion, card), FormatScore(row.score),
                        row.share * 100, row.points_lost);
  }
  const auto rows = SeparatingRows(*challenge.view, challenge.cards);
  const auto separates = std::ranges::find(rows, &criterion, &SeparatingRow::criterion);
  if (separates != rows.end()) {
    text += fmt::format("from the best, {}, to the worst, {}: {:.1f} points\n",
                        PlainLine(challenge.cards[separates->best].model_name),
                        PlainLine(challenge.cards[separates->worst].model_name), separates->points);
  }
  for (const Matchup& matchup : challenge.matchups) {
    const MatchupRow& row = matchup.rows[index];
    text += fmt::format("  {} against {}: {}{}\n", PlainLine(matchup.a.model_name),
                        PlainLine(matchup.b.model_name), PlainLine(EdgeText(row.edge, matchup)),
                        row.reason.empty() ? "" : " (" + PlainLine(row.reason) + ")");
  }
  return text + fmt::format("the evidence: assay explain MODEL/{} {}\n", challenge.view->spec.id,
                            criterion.id);
}

std::string MarginText(const Matchup& matchup) {
  return matchup.winner == RowEdge::kUnresolved
             ? "no winner: " + PlainLine(matchup.reason)
             : fmt::format("margin {:.1f} ± {:.1f}", matchup.margin, matchup.margin_uncertainty);
}

std::string Sided(const Sides& sides) {
  const Matchup& matchup = sides.matchup;
  std::string text = fmt::format(
      "\n{}: {} to {}, {}; rows won {}-{}, {} tied, {} unresolved\n",
      sides.challenge->view->spec.id, FormatScore(matchup.a.overall, matchup.a.uncertainty),
      FormatScore(matchup.b.overall, matchup.b.uncertainty), MarginText(matchup), matchup.won_a,
      matchup.won_b, matchup.tied, matchup.unresolved);
  const std::array<Scorecard, 2> cards = {matchup.a, matchup.b};
  const auto rows = SeparatingRows(*sides.challenge->view, cards);
  for (const SeparatingRow& row : rows | std::views::take(kRowsExplained)) {
    text += fmt::format("  {} +{:.1f}  {} ({}): {} / {}\n", PlainLine(cards[row.best].model_name),
                        row.points, PlainLine(row.criterion->title), row.criterion->id,
                        Value(*row.criterion, matchup.a), Value(*row.criterion, matchup.b));
  }
  return rows.size() <= kRowsExplained
             ? text
             : text + fmt::format("  {} rows more; every row: assay compare {} {}\n",
                                  rows.size() - kRowsExplained, matchup.a.model, matchup.b.model);
}

/// The points of two models and what they come from.
std::string PairText(const Matchup& first, const MatchupTotal& total, std::size_t decided) {
  const std::string names =
      PlainLine(first.a.model_name) + " against " + PlainLine(first.b.model_name);
  if (decided == 0) {
    return names + ": no winner in any challenge that both entered\n";
  }
  return fmt::format(
      "{}: {:g}-{:g} points, {} to {} on average, margin {:.1f} ± {:.1f}\n"
      "a point for each challenge won, half for one whose margin is inside its ±; the averages are "
      "of the\nchallenges that both entered and that are decided, ± of the margin is the root of "
      "the sum of the\nchallenges' squares over {}\n",
      names, total.points_a, total.points_b, FormatScore(total.mean_a), FormatScore(total.mean_b),
      total.margin, total.margin_uncertainty, decided);
}

/// Where an average comes from.
std::string MeanText(const Board& board, const ModelStanding& standing) {
  const auto is_scored = [](const Scorecard& card) { return card.overall.has_value(); };
  std::size_t counting = 0;
  std::size_t entered = 0;
  for (const ChallengeBoard& challenge : board.challenges) {
    const bool counts = std::ranges::any_of(challenge.cards, is_scored);
    counting += counts ? 1U : 0U;
    entered += counts && standing.cells.contains(challenge.view->spec.id) ? 1U : 0U;
  }
  return fmt::format(
      "the mean over {} in which anybody has a score{}, in tenths; ± holds 95 % of the same mean "
      "over draws of what each could have been\n",
      CountOf(counting, "challenge"),
      entered == counting ? "" : fmt::format(", 0 for the {} not entered", counting - entered));
}

}  // namespace

Result<std::string> ExplainModel(const Board& board, std::string_view model) {
  ASSAY_ASSIGN_OR_RETURN(const ModelStanding* const standing, FindStanding(board, model));
  const auto unauthored =
      std::ranges::find(board.unauthored_standings, model, &ModelStanding::model);
  std::string text = fmt::format(
      "{}: {} of {}, average {}; without authored rows {}, {}\n", PlainLine(standing->model_name),
      RankText(standing->interval), board.standings.size(),
      FormatScore(standing->average, standing->uncertainty),
      FormatScore(unauthored->average, unauthored->uncertainty), RankText(unauthored->interval));
  text += standing->provisional ? "a cell has no score, so that there is no average and no rank\n"
                                : MeanText(board, *standing);
  for (const auto& [challenge, card] : standing->cells) {
    text +=
        fmt::format("  {}: {}, {}; without authored rows {}: assay explain {}/{}\n", challenge,
                    FormatScore(card->overall, card->uncertainty), ToString(card->verdict),
                    FormatScore(card->without_authored.score, card->without_authored.uncertainty),
                    model, challenge);
  }
  return text + "how often its rank holds: assay robustness\n";
}

Result<std::string> ExplainModelJson(const Board& board, std::string_view model) {
  ASSAY_ASSIGN_OR_RETURN(const ModelStanding* const standing, FindStanding(board, model));
  return DumpDocument(StandingJson(board, *standing));
}

Result<std::string> ExplainChallenge(const Board& board, std::string_view challenge,
                                     std::optional<std::string_view> criterion) {
  ASSAY_ASSIGN_OR_RETURN(const ChallengeBoard* const found, FindBoard(board, challenge));
  if (criterion) {
    ASSAY_ASSIGN_OR_RETURN(const std::size_t index, FindCriterionIndex(*found->view, *criterion));
    return OneRow(*found, index);
  }
  std::string text = fmt::format("{}\n", PlainLine(found->view->spec.title));
  for (std::size_t i = 0; i < found->cards.size(); ++i) {
    const Scorecard& card = found->cards[i];
    text +=
        fmt::format("  {}, {}: {}, {}: assay explain {}/{}\n", RankText(found->places[i].interval),
                    PlainLine(card.model_name), FormatScore(card.overall, card.uncertainty),
                    ToString(card.verdict), card.model, challenge);
  }
  for (const AnchorCard& anchor : found->anchors) {
    text += fmt::format("  anchor {}: {}: assay explain {}/{}\n", PlainLine(anchor.card.model_name),
                        FormatScore(anchor.card.overall, anchor.card.uncertainty),
                        anchor.card.model, challenge);
  }
  text += "\nthe rows that separate the best from the worst of them most, in points\n";
  const auto rows = SeparatingRows(*found->view, found->cards);
  for (const SeparatingRow& row : rows | std::views::take(kRowsExplained)) {
    text +=
        fmt::format("  {:.1f}  {}: {} {}, {} {}: assay explain {} {}\n", row.points,
                    PlainLine(row.criterion->title), PlainLine(found->cards[row.best].model_name),
                    Value(*row.criterion, found->cards[row.best]),
                    PlainLine(found->cards[row.worst].model_name),
                    Value(*row.criterion, found->cards[row.worst]), challenge, row.criterion->id);
  }
  return text;
}

Result<std::string> ExplainChallengeJson(const Board& board, std::string_view challenge,
                                         std::optional<std::string_view> criterion) {
  ASSAY_ASSIGN_OR_RETURN(const ChallengeBoard* const found, FindBoard(board, challenge));
  std::optional<std::size_t> only;
  if (criterion) {
    ASSAY_ASSIGN_OR_RETURN(only, FindCriterionIndex(*found->view, *criterion));
  }
  json cells = json::array();
  for (std::size_t i = 0; i < found->cards.size(); ++i) {
    json cell = RankedSummaryJson(*found, i);
    json rows = ScorecardJson(*found->view, found->cards[i])["criteria"];
    cell["criteria"] = only ? json::array({rows[*only]}) : std::move(rows);
    cells.push_back(std::move(cell));
  }
  return DumpDocument({{"challenge", challenge}, {"cells", std::move(cells)}});
}

Result<std::string> ExplainPair(const Board& board, std::string_view a, std::string_view b) {
  ASSAY_ASSIGN_OR_RETURN([[maybe_unused]] const ModelStanding* const known_a,
                         FindStanding(board, a));
  ASSAY_ASSIGN_OR_RETURN([[maybe_unused]] const ModelStanding* const known_b,
                         FindStanding(board, b));
  const std::vector<Sides> all = SidesOf(board, a, b);
  if (all.empty()) {
    return fmt::format("{} and {} have no challenge in common\n", a, b);
  }
  const MatchupTotal total = TotalOf(all);
  std::string text =
      PairText(all.front().matchup, total, all.size() - static_cast<std::size_t>(total.undecided));
  for (const Sides& sides : all) {
    text += Sided(sides);
  }
  return text +
         fmt::format("\nthe evidence: assay explain {}/CHALLENGE CRITERION, and of {}\n", a, b);
}

}  // namespace assay
