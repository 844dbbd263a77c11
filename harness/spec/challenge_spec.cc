// SPDX-License-Identifier: Apache-2.0
#include "spec/challenge_spec.h"

#include <algorithm>

namespace assay {

const Question* FindQuestion(const ChallengeSpec& challenge, std::string_view id) {
  const auto found = std::ranges::find(challenge.questions, id, &Question::id);
  return found == challenge.questions.end() ? nullptr : &*found;
}

const ClaimKind* FindClaim(const ChallengeSpec& challenge, std::string_view id) {
  const auto found = std::ranges::find(challenge.claims, id, &ClaimKind::id);
  return found == challenge.claims.end() ? nullptr : &*found;
}

}  // namespace assay
