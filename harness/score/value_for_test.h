// SPDX-License-Identifier: Apache-2.0
// What the tests of values of criteria share.
#ifndef ASSAY_SCORE_VALUE_FOR_TEST_H_
#define ASSAY_SCORE_VALUE_FOR_TEST_H_

#include <string_view>

#include "score/synthetic.h"
#include "score/value.h"

namespace assay {

/// The value of a row that says `expression`, for `cell`.
inline CriterionValue ValueOf(std::string_view expression, const Evidence& cell,
                              const ChallengeSpec& challenge = {}) {
  return Evaluate(synthetic::MakeCriterion("c", "d", expression), {.spec = challenge, .rubric = {}},
                  cell);
}

}  // namespace assay

#endif  // ASSAY_SCORE_VALUE_FOR_TEST_H_
