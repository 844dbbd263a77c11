// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SCORE_VALUE_OF_OWN_TESTS_H_
#define ASSAY_SCORE_VALUE_OF_OWN_TESTS_H_

#include <string>
#include <vector>

#include "score/value.h"

namespace assay {

/// The value of `own_tests(field)`, or `own_tests(field, home)`, by its `arguments`, of which there
/// is at least one. README.md has the fields.
[[nodiscard]] CriterionValue ValueOfOwnTests(const std::vector<std::string>& arguments,
                                             const ChallengeView& challenge,
                                             const Evidence& evidence);

}  // namespace assay

#endif  // ASSAY_SCORE_VALUE_OF_OWN_TESTS_H_
