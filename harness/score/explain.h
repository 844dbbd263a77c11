// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SCORE_EXPLAIN_H_
#define ASSAY_SCORE_EXPLAIN_H_

#include <string>
#include <vector>

#include "score/scorecard.h"

namespace assay {

/// One piece of evidence behind a value. All of it is hostile text.
struct EvidenceLine {
  std::string thing;  ///< `case Edge.ConstantRow`, `metric tensors_saved`, `mutant drops_nan`.
  std::string says;   ///< `wrong_answer: dx[3] …`, `12`, `survived`.
  bool operator==(const EvidenceLine&) const = default;
};

/// One criterion with what it rests on.
struct CriterionExplanation {
  CriterionScore score;
  /// What costs points first (failing cases, wrong answers, survivors); what speaks for it is
  /// summed up in the value's note.
  std::vector<EvidenceLine> lines;
};

/// A cell, criterion by criterion, in the order of the rubric.
struct CellExplanation {
  Scorecard card;
  std::vector<CriterionExplanation> criteria;
};

/// `card` is the cell's, made by ScoreCell or with its uncertainty: neither its values nor its
/// diagnosis are made again.
[[nodiscard]] CellExplanation Explain(const ChallengeView& challenge, const Evidence& evidence,
                                      Scorecard card);

}  // namespace assay

#endif  // ASSAY_SCORE_EXPLAIN_H_
