// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SCORE_CHALLENGE_VIEW_H_
#define ASSAY_SCORE_CHALLENGE_VIEW_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "evidence/evidence.h"
#include "score/reviews.h"
#include "score/signatures.h"
#include "spec/challenge_spec.h"
#include "spec/rubric.h"

namespace assay {

/// A challenge as scores and reports see it.
struct ChallengeView {
  ChallengeSpec spec;
  Rubric rubric;
  std::optional<Signatures> signatures = {};  ///< Of its mutants; nothing where none are kept.
  MutantHomes homes = {};                     ///< Of its mutants; empty: each bug costs everywhere.
  Reviews reviews = {};                       ///< Of its submissions.
  /// The zero and the hundred of its scale, graded like submissions; no rank, edge or statistic is
  /// theirs.
  std::vector<Evidence> anchors = {};
};

/// By challenge id.
using Challenges = std::map<std::string, ChallengeView>;

}  // namespace assay

#endif  // ASSAY_SCORE_CHALLENGE_VIEW_H_
