// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GRADE_STATEMENTS_H_
#define ASSAY_GRADE_STATEMENTS_H_

#include <map>
#include <string>
#include <vector>

#include "evidence/evidence.h"
#include "evidence/json.h"
#include "spec/challenge_spec.h"
#include "spec/submission_spec.h"

namespace assay {

/// What a submission says in words and numbers, held against what is right or was measured.

/// One row for each question of the challenge, in its order. A number is right when it is finite
/// and within the question's relative tolerance of the calculator's value; a text when it is equal
/// but for case and the space around it. No answer is wrong. A question for which the suite gave
/// no right answer is a fault of the challenge: an error of kind kJudge.
[[nodiscard]] Result<std::vector<AnswerEvidence>> CheckAnswers(
    const ChallengeSpec& challenge, const SubmissionSpec& submission,
    const std::map<std::string, RunResults::Question>& right);

/// One row for each claim made, in the challenge's order. A claim holds when the metric was
/// measured and lies within 1 % of what is claimed.
[[nodiscard]] std::vector<ClaimEvidence> CheckClaims(const ChallengeSpec& challenge,
                                                     const SubmissionSpec& submission,
                                                     const std::map<std::string, double>& metrics);

}  // namespace assay

#endif  // ASSAY_GRADE_STATEMENTS_H_
