// SPDX-License-Identifier: Apache-2.0
#include "report/json_parts.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "report/json_text.h"
#include "score/cost_once.h"
#include "score/format.h"
#include "score/time_rows.h"

namespace assay {

using nlohmann::json;

namespace {

/// JSON has no NaN and no infinities: as in evidence (evidence/README.md).
json Number(double value) {
  if (std::isfinite(value)) {
    return value;
  }
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

std::string_view StateName(CriterionValue::State state) {
  switch (state) {
    case CriterionValue::State::kMeasured:
      return "measured";
    case CriterionValue::State::kNotMeasured:
      return "not_measured";
    case CriterionValue::State::kFailed:
      return "failed";
  }
  return "not_measured";
}

json CriterionJson(const Criterion& criterion, const CriterionScore& score) {
  json object = {{"id", criterion.id},
                 {"title", criterion.title},
                 {"dimension", criterion.dimension},
                 {"kind", ToString(criterion.kind)},
                 {"state", StateName(score.value.state)},
                 {"timed", IsTime(criterion)},
                 {"authored", IsAuthored(criterion.kind)},
                 {"note", score.value.note},
                 {"text", FormatValue(criterion, score.value)},
                 {"score", OrNull(score.score)},
                 {"share", score.share},
                 {"points_lost", score.points_lost}};
  if (score.value.state == CriterionValue::State::kMeasured) {
    object["value"] = Number(score.value.value);
  }
  if (score.value.interval) {
    object["interval"] = {Number(score.value.interval->low), Number(score.value.interval->high)};
  }
  return object;
}

json ScoreJson(const UncertainScore& score) {
  return {{"score", OrNull(score.score)}, {"uncertainty", OrNull(score.uncertainty)}};
}

json RanksJson(const std::optional<RankInterval>& ranks) {
  return ranks ? json({ranks->best, ranks->worst}) : json(nullptr);
}

std::string_view MedalName(Medal medal) {
  switch (medal) {
    case Medal::kGold:
      return "gold";
    case Medal::kSilver:
      return "silver";
    case Medal::kBronze:
      return "bronze";
    case Medal::kNone:
      break;
  }
  return "none";
}

json UnauthoredJson(const Board& board, const std::string& model) {
  const ModelStanding& standing =
      *std::ranges::find(board.unauthored_standings, model, &ModelStanding::model);
  json object = ScoreJson({.score = standing.average, .uncertainty = standing.uncertainty});
  object["ranks"] = RanksJson(standing.interval);
  return object;
}

}  // namespace

json SummaryJson(const Scorecard& card) {
  json object = {{"challenge", card.challenge},
                 {"model", card.model},
                 {"model_name", card.model_name},
                 {"verdict", ToString(card.verdict)},
                 {"reconstruction", card.reconstruction},
                 {"repaired", card.repaired},
                 {"overall", OrNull(card.overall)},
                 {"uncertainty", OrNull(card.uncertainty)},
                 {"without_authored", ScoreJson(card.without_authored)},
                 {"penalty", card.penalty},
                 {"coverage", card.coverage},
                 {"dimensions", json::array()}};
  for (const DimensionScore& dimension : card.dimensions) {
    object["dimensions"].push_back({{"id", dimension.dimension},
                                    {"score", OrNull(dimension.score)},
                                    {"uncertainty", OrNull(dimension.uncertainty)},
                                    {"coverage", dimension.coverage}});
  }
  return object;
}

json ScorecardJson(const ChallengeView& challenge, const Scorecard& card) {
  json object = SummaryJson(card);
  object["criteria"] = json::array();
  for (std::size_t i = 0; i < card.criteria.size(); ++i) {
    object["criteria"].push_back(CriterionJson(challenge.rubric.criteria[i], card.criteria[i]));
  }
  return object;
}

json DiagnosisJson(const std::optional<Diagnosis>& diagnosis, const ChallengeView& challenge,
                   const Evidence& cell) {
  if (!diagnosis) {
    return nullptr;
  }
  json object = {{"failing", diagnosis->failing},
                 {"fails_like", json::array()},
                 {"unexplained", diagnosis->unexplained}};
  for (const Match& match : diagnosis->matches) {
    const Criterion* const home = HomeOf(match, challenge, cell);
    object["fails_like"].push_back({{"mutants", match.mutants},
                                    {"confidence", match.confidence},
                                    {"certainty", CertaintyOf(match)},
                                    {"costs_in", home == nullptr ? json() : json(home->id)},
                                    {"cases_for", match.cases_for},
                                    {"agreeing", match.agreeing},
                                    {"cases_against", match.cases_against}});
  }
  return object;
}

json OutcomeJson(const ChallengeView& challenge, const Matchup& matchup) {
  json object = {
      {"challenge", matchup.a.challenge}, {"winner", ToString(matchup.winner)},
      {"margin", matchup.margin},         {"margin_uncertainty", matchup.margin_uncertainty},
      {"reason", matchup.reason},         {"won_a", matchup.won_a},
      {"won_b", matchup.won_b},           {"tied", matchup.tied},
      {"unresolved", matchup.unresolved}, {"rows", json::array()}};
  for (std::size_t i = 0; i < matchup.rows.size(); ++i) {
    const MatchupRow& row = matchup.rows[i];
    json entry = {
        {"criterion", row.criterion}, {"edge", ToString(row.edge)}, {"reason", row.reason}};
    if (row.compared) {
      const Criterion& criterion = challenge.rubric.criteria[i];
      entry["compared"] = {{"a", FormatValue(criterion, row.compared->a)},
                           {"b", FormatValue(criterion, row.compared->b)}};
    }
    object["rows"].push_back(std::move(entry));
  }
  return object;
}

json StandingJson(const Board& board, const ModelStanding& standing) {
  return {{"model", standing.model},
          {"model_name", standing.model_name},
          {"rank", OrNull(standing.rank)},
          {"ranks", RanksJson(standing.interval)},
          {"medal", MedalName(standing.medal)},
          {"average", OrNull(standing.average)},
          {"uncertainty", OrNull(standing.uncertainty)},
          {"without_authored", UnauthoredJson(board, standing.model)},
          {"provisional", standing.provisional}};
}

json RankedSummaryJson(const ChallengeBoard& challenge, std::size_t index) {
  json cell = SummaryJson(challenge.cards[index]);
  cell["rank"] = OrNull(challenge.ranks[index]);
  cell["ranks"] = RanksJson(challenge.places[index].interval);
  cell["medal"] = MedalName(challenge.places[index].medal);
  cell["without_authored"]["ranks"] = RanksJson(challenge.unauthored_places[index].interval);
  return cell;
}

json ExplanationJson(const Evidence& cell, const ChallengeView& challenge,
                     const CellExplanation& explanation, std::optional<std::size_t> only) {
  json document = ScorecardJson(challenge, explanation.card);
  document["verdict_detail"] = cell.verdict_detail;
  document["diagnosis"] = DiagnosisJson(explanation.card.diagnosis, challenge, cell);
  document["criteria"] = json::array();
  for (std::size_t i = 0; i < explanation.criteria.size(); ++i) {
    if (only.has_value() && *only != i) {
      continue;
    }
    json entry = CriterionJson(challenge.rubric.criteria[i], explanation.criteria[i].score);
    entry["evidence"] = json::array();
    for (const EvidenceLine& line : explanation.criteria[i].lines) {
      entry["evidence"].push_back({{"thing", line.thing}, {"says", line.says}});
    }
    document["criteria"].push_back(std::move(entry));
  }
  return document;
}

}  // namespace assay
