// SPDX-License-Identifier: Apache-2.0
#include "score/scorecard.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "score/cost_once.h"

namespace assay {
namespace {

double InTenths(double score) { return std::round(score * 10) / 10; }

/// The score between two anchors that surround `value`.
double Between(const Anchor& left, const Anchor& right, double value) {
  const double position = (value - left.value) / (right.value - left.value);
  return left.score + position * (right.score - left.score);
}

/// Whether a criterion has weight in its dimension. One of kind review needs no anchors for that: a
/// reviewer gives a score, and without a review the dimension says that a part of it is missing.
bool HasWeight(const Criterion& criterion) {
  return criterion.weight > 0 &&
         (!criterion.score.empty() || criterion.value.function == ValueFunction::kReview);
}

CriterionScore ScoreCriterion(const Criterion& criterion, CriterionValue value) {
  CriterionScore result{
      .criterion = criterion.id, .value = std::move(value), .score = std::nullopt};
  if (!HasWeight(criterion)) {
    return result;
  }
  switch (result.value.state) {
    case CriterionValue::State::kMeasured:
      result.score = ScoreOf(criterion, result.value.value);
      if (result.score.has_value()) {
        *result.score *= result.value.earned;
      }
      break;
    case CriterionValue::State::kFailed:
      result.score = 0;
      break;
    case CriterionValue::State::kNotMeasured:
      break;
  }
  return result;
}

/// A dimension before rounding, with the sums that its criteria's shares need.
struct DimensionSums {
  double weight = 0;         ///< Of its criteria that the rubric scores.
  double scored_weight = 0;  ///< … of them those that have a score.
  double weighted_score = 0;
};

DimensionSums SumDimension(const Dimension& dimension, const Rubric& rubric,
                           const std::vector<CriterionScore>& scores) {
  DimensionSums sums;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const Criterion& criterion = rubric.criteria[i];
    if (criterion.dimension != dimension.id || !HasWeight(criterion)) {
      continue;
    }
    sums.weight += criterion.weight;
    if (scores[i].score.has_value()) {
      sums.scored_weight += criterion.weight;
      sums.weighted_score += criterion.weight * *scores[i].score;
    }
  }
  return sums;
}

void SetShares(const Rubric& rubric, const Dimension& dimension, const DimensionSums& sums,
               double dimension_share, std::vector<CriterionScore>& scores) {
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (rubric.criteria[i].dimension == dimension.id && scores[i].score.has_value()) {
      scores[i].share = dimension_share * rubric.criteria[i].weight / sums.scored_weight;
      scores[i].points_lost = scores[i].share * (100 - *scores[i].score);
    }
  }
}

bool HasNoScore(Verdict verdict) {
  return verdict == Verdict::kJudgeError || verdict == Verdict::kSkipped;
}

/// Fills dimensions, overall and shares from the criteria's scores.
void SumUp(const Rubric& rubric, Scorecard& card) {
  double weight = 0;
  double scored_weight = 0;
  double covered_weight = 0;
  double weighted_score = 0;
  std::vector<DimensionSums> sums;
  for (const Dimension& dimension : rubric.dimensions) {
    const DimensionSums& sum = sums.emplace_back(SumDimension(dimension, rubric, card.criteria));
    DimensionScore& score =
        card.dimensions.emplace_back(DimensionScore{.dimension = dimension.id, .score = {}});
    // A dimension that the rubric gives no scored criterion is for show, as is one of no weight.
    weight += sum.weight > 0 ? dimension.weight : 0;
    if (sum.scored_weight > 0) {
      const double mean = sum.weighted_score / sum.scored_weight;
      score.score = InTenths(mean);
      score.coverage = sum.scored_weight / sum.weight;
      scored_weight += dimension.weight;
      covered_weight += dimension.weight * score.coverage;
      weighted_score += dimension.weight * mean;
    }
  }
  if (scored_weight <= 0) {
    return;
  }
  card.coverage = covered_weight / weight;
  card.overall = InTenths(std::max(0.0, weighted_score / scored_weight - card.penalty));
  for (std::size_t i = 0; i < sums.size(); ++i) {
    SetShares(rubric, rubric.dimensions[i], sums[i], rubric.dimensions[i].weight / scored_weight,
              card.criteria);
  }
}

}  // namespace

std::optional<double> ScoreOf(const Criterion& criterion, double value) {
  const std::vector<Anchor>& anchors = criterion.score;
  if (anchors.empty()) {
    return std::nullopt;
  }
  if (std::isnan(value)) {
    return 0;
  }
  if (value <= anchors.front().value) {
    return anchors.front().score;
  }
  for (std::size_t i = 1; i < anchors.size(); ++i) {
    if (value == anchors[i].value) {
      return anchors[i].score;
    }
    if (value < anchors[i].value) {
      return Between(anchors[i - 1], anchors[i], value);
    }
  }
  return anchors.back().score;
}

std::vector<double> ScoresOf(const Criterion& criterion, std::span<const double> values) {
  const std::vector<Anchor>& anchors = criterion.score;
  std::vector<double> scores(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    scores[i] = std::isnan(values[i]) ? 0 : anchors.front().score;
  }
  // Piece by piece, each for all values beyond its left end, so that no value waits for a branch.
  for (std::size_t piece = 1; piece < anchors.size(); ++piece) {
    const Anchor left = anchors[piece - 1];
    const Anchor right = anchors[piece];
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double between = Between(left, right, values[i]);
      const double score = values[i] < right.value ? between : right.score;
      scores[i] = values[i] > left.value ? score : scores[i];
    }
  }
  return scores;
}

Scorecard ScoreCell(const ChallengeView& challenge, const Evidence& evidence) {
  return ScoreCell(challenge, evidence, CostOnce(challenge, evidence));
}

Scorecard ScoreCell(const ChallengeView& challenge, const Evidence& evidence,
                    const CostOnce& cost) {
  Scorecard card{.challenge = evidence.challenge,
                 .model = evidence.model,
                 .model_name = evidence.model_name,
                 .verdict = evidence.verdict,
                 .reconstruction = evidence.reconstruction,
                 .repaired = evidence.repair.has_value(),
                 .overall = {},
                 .dimensions = {},
                 .criteria = {},
                 .diagnosis = cost.diagnosis()};
  for (const Criterion& criterion : challenge.rubric.criteria) {
    card.criteria.push_back(ScoreCriterion(criterion, cost.Evaluate(criterion)));
  }
  if (card.repaired && !HasNoScore(card.verdict)) {
    card.penalty = challenge.rubric.penalties.repaired;
  }
  SumUp(challenge.rubric, card);
  return card;
}

const CriterionScore* FindCriterionScore(const Scorecard& card, std::string_view id) {
  const auto found = std::find_if(card.criteria.begin(), card.criteria.end(),
                                  [id](const CriterionScore& s) { return s.criterion == id; });
  return found == card.criteria.end() ? nullptr : &*found;
}

const DimensionScore* FindDimensionScore(const Scorecard& card, std::string_view id) {
  const auto found = std::find_if(card.dimensions.begin(), card.dimensions.end(),
                                  [id](const DimensionScore& s) { return s.dimension == id; });
  return found == card.dimensions.end() ? nullptr : &*found;
}

}  // namespace assay
