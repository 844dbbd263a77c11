// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SCORE_VALUE_OF_OWN_TESTS_H_
#define ASSAY_SCORE_VALUE_OF_OWN_TESTS_H_

#include <string_view>

#include "score/value.h"

namespace assay {

/// The value of `own_tests(field)`. README.md has the fields.
[[nodiscard]] CriterionValue ValueOfOwnTests(std::string_view field, const ChallengeView& challenge,
                                             const Evidence& evidence);

}  // namespace assay

#endif  // ASSAY_SCORE_VALUE_OF_OWN_TESTS_H_
