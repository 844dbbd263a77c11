// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SCORE_APPLICABLE_MUTANTS_H_
#define ASSAY_SCORE_APPLICABLE_MUTANTS_H_

#include <set>
#include <string>
#include <string_view>

#include "evidence/evidence.h"
#include "score/challenge_view.h"

namespace assay {

/// The mutants that a submission's own tests can be asked to kill: those whose bug lies in what the
/// submission does. A mutant applies when some case that it ever fails is not left out by the
/// submission (`IsLeftOut`): a bug of INT4 storage is nothing to test where there is none. One that
/// was killed applies all the same: else who refuses what is wrong would lose a kill. Of what
/// `evidence` says of its own tests; a mutant without a signature applies, and so do all where the
/// suite was not run. README.md says how the share is made.
[[nodiscard]] std::set<std::string> ApplicableMutants(const ChallengeView& challenge,
                                                      const Evidence& evidence);

/// Of these, those whose home is the criterion `home` (ChallengeView::homes).
[[nodiscard]] std::set<std::string> ApplicableMutantsOf(std::string_view home,
                                                        const ChallengeView& challenge,
                                                        const Evidence& evidence);

}  // namespace assay

#endif  // ASSAY_SCORE_APPLICABLE_MUTANTS_H_
