// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SCORE_SCORECARD_H_
#define ASSAY_SCORE_SCORECARD_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "score/challenge_view.h"
#include "score/diagnosis.h"
#include "score/value.h"

namespace assay {

class CostOnce;

/// One criterion of one cell.
struct CriterionScore {
  std::string criterion;
  CriterionValue value;
  std::optional<double> score;  ///< 0 to 100; none when not measured or not scored by the rubric.
  double share = 0;             ///< Of the overall score, after renormalisation: 0 to 1.
  double points_lost = 0;       ///< share * (100 - score).
  bool operator==(const CriterionScore&) const = default;
};

/// One dimension of one cell.
struct DimensionScore {
  std::string dimension;
  std::optional<double> score;  ///< 0 to 100 in tenths; none when nothing in it has a score.
  double coverage = 0;          ///< Share of its weight that has a score: 0 to 1.
  /// 95 % of what it could have been lies within so many points of it (uncertainty.h); in tenths.
  std::optional<double> uncertainty = std::nullopt;
  bool operator==(const DimensionScore&) const = default;
};

/// A score with the points around it within which 95 % of what it could have been lie, both in
/// tenths.
struct UncertainScore {
  std::optional<double> score;
  std::optional<double> uncertainty;
  bool operator==(const UncertainScore&) const = default;
};

/// All scores of one cell, criteria and dimensions in the order of the rubric.
struct Scorecard {
  std::string challenge;
  std::string model;
  std::string model_name;
  Verdict verdict = Verdict::kSkipped;
  bool reconstruction = false;
  bool repaired = false;
  std::optional<double> overall;  ///< 0 to 100 in tenths; none for judge_error and skipped.
  std::optional<double> uncertainty = std::nullopt;  ///< Of `overall`; as a dimension's.
  UncertainScore without_authored = {};  ///< The overall score of the rows not IsAuthored().
  double penalty = 0;                    ///< Points already taken off `overall`.
  double coverage = 0;                   ///< Share of the rubric's weight that has a score: 0 to 1.
  std::vector<DimensionScore> dimensions;
  std::vector<CriterionScore> criteria;
  /// Of the cases that failed; nothing where no signatures of the challenge's mutants are kept.
  std::optional<Diagnosis> diagnosis = std::nullopt;
  bool operator==(const Scorecard&) const = default;
};

/// The score of `value` on the rubric's anchors, 0 to 100; none without anchors. NaN scores 0.
[[nodiscard]] std::optional<double> ScoreOf(const Criterion& criterion, double value);

/// The same of many values at once, of a criterion that has anchors.
[[nodiscard]] std::vector<double> ScoresOf(const Criterion& criterion,
                                           std::span<const double> values);

/// Scores one cell. README.md defines what each verdict means. How sure the scores are, and what
/// they are without authored rows, is left out: uncertainty.h.
[[nodiscard]] Scorecard ScoreCell(const ChallengeView& challenge, const Evidence& evidence);
/// The same for who has the cell's `cost` already: making it diagnoses the cell.
[[nodiscard]] Scorecard ScoreCell(const ChallengeView& challenge, const Evidence& evidence,
                                  const CostOnce& cost);

/// Null when there is none of that id.
[[nodiscard]] const CriterionScore* FindCriterionScore(const Scorecard& card, std::string_view id);
[[nodiscard]] const DimensionScore* FindDimensionScore(const Scorecard& card, std::string_view id);

}  // namespace assay

#endif  // ASSAY_SCORE_SCORECARD_H_
