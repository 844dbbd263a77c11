// SPDX-License-Identifier: Apache-2.0
#include "published/measures.h"

#include <algorithm>

#include "published/page_parts.h"

namespace assay {

const ChallengeBoard* FindChallengeBoard(const Board& board, std::string_view id) {
  const auto found = std::ranges::find_if(
      board.challenges, [&](const ChallengeBoard& one) { return one.view->spec.id == id; });
  return found == board.challenges.end() ? nullptr : &*found;
}

std::vector<Measure> MeasuresOf(const RowMapping& mapping, std::string_view challenge,
                                const Board& board) {
  std::vector<Measure> measures;
  for (const std::string_view path : mapping.measured_by) {
    const std::size_t slash = path.find('/');
    const bool is_path = slash != std::string_view::npos;
    const ChallengeBoard* const found =
        FindChallengeBoard(board, is_path ? path.substr(0, slash) : challenge);
    const Criterion* const criterion =
        found == nullptr
            ? nullptr
            : FindCriterion(found->view->rubric, is_path ? path.substr(slash + 1) : path);
    if (criterion != nullptr) {
      measures.push_back({.challenge = found, .criterion = criterion});
    }
  }
  return measures;
}

const CriterionScore* ScoreIn(const Board& board, const Measure& measure, std::string_view model) {
  const Scorecard* const card = CardOf(board, model, measure.challenge->view->spec.id);
  return card == nullptr ? nullptr : FindCriterionScore(*card, measure.criterion->id);
}

std::optional<double> MeanScore(const Board& board, const std::vector<Measure>& measures,
                                std::string_view model) {
  double sum = 0;
  int scored = 0;
  for (const Measure& measure : measures) {
    const CriterionScore* const found = ScoreIn(board, measure, model);
    if (found != nullptr && found->score) {
      sum += *found->score;
      ++scored;
    }
  }
  return scored == 0 ? std::nullopt : std::optional(sum / scored);
}

std::optional<HybridScore> HybridOf(const ChallengeBoard& challenge) {
  HybridScore hybrid;
  double weight = 0;
  double sum = 0;
  const std::vector<Dimension>& dimensions = challenge.view->rubric.dimensions;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    HybridScore::Part best{.dimension = &dimensions[i], .model = {}};
    for (const Scorecard& card : challenge.cards) {
      const std::optional<double>& score = card.dimensions[i].score;
      if (score && (best.model.empty() || *score > best.score)) {
        best.model = card.model;
        best.score = *score;
      }
    }
    if (!best.model.empty()) {
      weight += dimensions[i].weight;
      sum += dimensions[i].weight * best.score;
      hybrid.parts.push_back(best);
    }
  }
  if (weight <= 0) {
    return std::nullopt;
  }
  hybrid.score = sum / weight;
  return hybrid;
}

}  // namespace assay
