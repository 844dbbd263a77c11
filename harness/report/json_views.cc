// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/board.h"
#include "report/json_text.h"
#include "report/lookup.h"
#include "report/report.h"
#include "score/cost_once.h"
#include "score/explain.h"
#include "score/format.h"
#include "score/time_rows.h"
#include "score/uncertainty.h"

namespace assay {
namespace {

using nlohmann::json;

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

json ScorecardJson(const ChallengeView& challenge, const Scorecard& card) {
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
                 {"dimensions", json::array()},
                 {"criteria", json::array()}};
  for (const DimensionScore& dimension : card.dimensions) {
    object["dimensions"].push_back({{"id", dimension.dimension},
                                    {"score", OrNull(dimension.score)},
                                    {"uncertainty", OrNull(dimension.uncertainty)},
                                    {"coverage", dimension.coverage}});
  }
  for (std::size_t i = 0; i < card.criteria.size(); ++i) {
    object["criteria"].push_back(CriterionJson(challenge.rubric.criteria[i], card.criteria[i]));
  }
  return object;
}

/// What the failing cases are like; null where no signatures are kept.
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

json MatchupJson(const ChallengeView& challenge, const Matchup& matchup) {
  json object = {{"challenge", matchup.a.challenge},
                 {"a", ScorecardJson(challenge, matchup.a)},
                 {"b", ScorecardJson(challenge, matchup.b)},
                 {"winner", ToString(matchup.winner)},
                 {"margin", matchup.margin},
                 {"margin_uncertainty", matchup.margin_uncertainty},
                 {"reason", matchup.reason},
                 {"won_a", matchup.won_a},
                 {"won_b", matchup.won_b},
                 {"tied", matchup.tied},
                 {"unresolved", matchup.unresolved},
                 {"rows", json::array()}};
  for (const MatchupRow& row : matchup.rows) {
    object["rows"].push_back(
        {{"criterion", row.criterion}, {"edge", ToString(row.edge)}, {"reason", row.reason}});
  }
  return object;
}

json UnauthoredJson(const Board& board, const std::string& model) {
  const ModelStanding& standing =
      *std::ranges::find(board.unauthored_standings, model, &ModelStanding::model);
  json object = ScoreJson({.score = standing.average, .uncertainty = standing.uncertainty});
  object["ranks"] = RanksJson(standing.interval);
  return object;
}

}  // namespace

std::string ScoreboardJson(const std::vector<Evidence>& cells, const Challenges& challenges) {
  const Board board = MakeBoard(cells, challenges);
  json document = {
      {"standings", json::array()}, {"challenges", json::array()}, {"left_out", board.left_out}};
  for (const ModelStanding& standing : board.standings) {
    document["standings"].push_back({{"model", standing.model},
                                     {"model_name", standing.model_name},
                                     {"rank", OrNull(standing.rank)},
                                     {"ranks", RanksJson(standing.interval)},
                                     {"medal", MedalName(standing.medal)},
                                     {"average", OrNull(standing.average)},
                                     {"uncertainty", OrNull(standing.uncertainty)},
                                     {"without_authored", UnauthoredJson(board, standing.model)},
                                     {"provisional", standing.provisional}});
  }
  for (const ChallengeBoard& challenge : board.challenges) {
    json entry = {{"id", challenge.view->spec.id},
                  {"title", challenge.view->spec.title},
                  {"cells", json::array()}};
    for (std::size_t i = 0; i < challenge.cards.size(); ++i) {
      json cell = ScorecardJson(*challenge.view, challenge.cards[i]);
      cell["rank"] = OrNull(challenge.ranks[i]);
      cell["ranks"] = RanksJson(challenge.places[i].interval);
      cell["medal"] = MedalName(challenge.places[i].medal);
      cell["without_authored"]["ranks"] = RanksJson(challenge.unauthored_places[i].interval);
      cell["diagnosis"] = DiagnosisJson(DiagnoseCell(*challenge.view, *challenge.cells[i]),
                                        *challenge.view, *challenge.cells[i]);
      entry["cells"].push_back(std::move(cell));
    }
    entry["anchors"] = json::array();
    for (const AnchorCard& anchor : challenge.anchors) {
      json card = ScorecardJson(*challenge.view, anchor.card);
      card["of_another_version"] = anchor.version == AnchorCard::Version::kAnother;
      entry["anchors"].push_back(std::move(card));
    }
    document["challenges"].push_back(std::move(entry));
  }
  return DumpDocument(document);
}

Result<std::string> CompareJson(const std::vector<Evidence>& cells, const Challenges& challenges,
                                std::string_view model_a, std::string_view model_b) {
  ASSAY_RETURN_IF_ERROR(CheckModels(cells, model_a, model_b));
  const Board board =
      MakeBoard(cells, challenges, {{.a = std::string(model_a), .b = std::string(model_b)}});
  json document = {{"matchups", json::array()}};
  for (const ChallengeBoard& challenge : board.challenges) {
    if (const auto matchup = FindMatchup(challenge, model_a, model_b)) {
      document["matchups"].push_back(MatchupJson(*challenge.view, *matchup));
    }
  }
  return DumpDocument(document);
}

Result<std::string> ExplainJson(const Evidence& cell, const ChallengeView& challenge,
                                std::optional<std::string_view> criterion) {
  CellExplanation explanation = Explain(challenge, cell);
  AddUncertainty(challenge, cell, explanation.card);
  std::optional<std::size_t> only;
  if (criterion.has_value()) {
    ASSAY_ASSIGN_OR_RETURN(only, FindCriterionIndex(challenge, *criterion));
  }
  json document = ScorecardJson(challenge, explanation.card);
  document["verdict_detail"] = cell.verdict_detail;
  document["diagnosis"] = DiagnosisJson(explanation.diagnosis, challenge, cell);
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
  return DumpDocument(document);
}

}  // namespace assay
