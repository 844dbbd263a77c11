// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SCORE_VALUE_H_
#define ASSAY_SCORE_VALUE_H_

#include <optional>
#include <string>
#include <string_view>

#include "evidence/evidence.h"
#include "evidence/statistics.h"
#include "score/challenge_view.h"
#include "score/diagnosis.h"

namespace assay {

/// The value of one criterion in one cell. README.md defines the three states for each function.
struct CriterionValue {
  enum class State {
    kMeasured,     ///< `value` holds.
    kNotMeasured,  ///< No value, for a reason that is not the submission's: no weight.
    kFailed,       ///< No value because of what the submission did: scores 0.
  };
  /// What `note` is, so that it can be put in its place.
  enum class Note {
    kRemark,          ///< How the value came about, or why there is none.
    kOfHowMany,       ///< `of 15`: the value is a part of so many.
    kNotImplemented,  ///< What the row needs is not offered, or left out everywhere.
    kShownNotScored,  ///< What reviewers say, who are too few or agree too little to be counted.
  };
  State state = State::kNotMeasured;
  double value = 0;
  /// How the value came about (`14 of 15`, `1 of 6 workloads failed`); where there is no value,
  /// why. Hostile text.
  std::string note;
  Note note_is = Note::kRemark;
  /// How much of its score the row has, 0 to 1: rows of quality are earned by work (README.md,
  /// "Zero and hundred").
  double earned = 1;
  /// Rows of time: the value with its interval, at least 95 %.
  std::optional<RatioEstimate> interval = std::nullopt;
  bool operator==(const CriterionValue&) const = default;
};

/// What the evidence says of `criterion`. `evidence` is of the challenge `challenge`.
[[nodiscard]] CriterionValue Evaluate(const Criterion& criterion, const ChallengeView& challenge,
                                      const Evidence& evidence);
/// The same for who has diagnosed the cell: a diagnosis takes longer than all values.
[[nodiscard]] CriterionValue Evaluate(const Criterion& criterion, const ChallengeView& challenge,
                                      const Evidence& evidence,
                                      const std::optional<Diagnosis>& diagnosis);

/// How much of its points a row has if it is measured, 0 to 1 (README.md, "Zero and hundred").
[[nodiscard]] double EarnedShare(const Criterion& criterion, const Rubric& rubric,
                                 const Evidence& evidence);

}  // namespace assay

#endif  // ASSAY_SCORE_VALUE_H_
