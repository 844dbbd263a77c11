// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "report/board.h"
#include "report/json_parts.h"
#include "report/json_text.h"
#include "report/lookup.h"
#include "report/report.h"
#include "score/explain.h"
#include "score/uncertainty.h"

namespace assay {

using nlohmann::json;

std::string ScoreboardJson(const std::vector<Evidence>& cells, const Challenges& challenges) {
  const Board board = MakeRanking(cells, challenges);
  json document = {
      {"standings", json::array()}, {"challenges", json::array()}, {"left_out", board.left_out}};
  for (const ModelStanding& standing : board.standings) {
    document["standings"].push_back(StandingJson(board, standing));
  }
  for (const ChallengeBoard& challenge : board.challenges) {
    json entry = {{"id", challenge.view->spec.id},
                  {"title", challenge.view->spec.title},
                  {"cells", json::array()}};
    for (std::size_t i = 0; i < challenge.cards.size(); ++i) {
      json cell = RankedSummaryJson(challenge, i);
      cell["criteria"] = ScorecardJson(*challenge.view, challenge.cards[i])["criteria"];
      cell["diagnosis"] =
          DiagnosisJson(challenge.cards[i].diagnosis, *challenge.view, *challenge.cells[i]);
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
      json entry = OutcomeJson(*challenge.view, *matchup);
      entry["a"] = ScorecardJson(*challenge.view, matchup->a);
      entry["b"] = ScorecardJson(*challenge.view, matchup->b);
      document["matchups"].push_back(std::move(entry));
    }
  }
  return DumpDocument(document);
}

Result<std::string> ExplainJson(const Evidence& cell, const ChallengeView& challenge,
                                std::optional<std::string_view> criterion) {
  const CellExplanation explanation =
      Explain(challenge, cell, ScoreWithUncertainty(challenge, cell));
  std::optional<std::size_t> only;
  if (criterion.has_value()) {
    ASSAY_ASSIGN_OR_RETURN(only, FindCriterionIndex(challenge, *criterion));
  }
  return DumpDocument(ExplanationJson(cell, challenge, explanation, only));
}

}  // namespace assay
