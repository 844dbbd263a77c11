// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SCORE_COST_ONCE_H_
#define ASSAY_SCORE_COST_ONCE_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/evidence.h"
#include "score/challenge_view.h"
#include "score/diagnosis.h"
#include "score/value.h"

namespace assay {

/// A bug that costs in one row alone. README.md ("One bug costs once") says when one does.
struct ChargedBug {
  std::string mutants;             ///< As MutantsOf names them.
  std::string home;                ///< The criterion in which its cases count as they ended.
  std::vector<std::string> cases;  ///< That it alone explains. Elsewhere they count as refused.
  bool operator==(const ChargedBug&) const = default;
};

/// The criterion in which a match costs alone; null where it costs in every row.
[[nodiscard]] const Criterion* HomeOf(const Match& match, const ChallengeView& challenge,
                                      const Evidence& evidence);

/// `; costs in Cross-warp merge, elsewhere as if refused`; nothing where it costs in every row.
[[nodiscard]] std::string WhereItCosts(const Match& match, const ChallengeView& challenge,
                                       const Evidence& evidence);

/// The values of one cell's criteria, each bug that the diagnosis is sure of counted once.
/// Keeps references to the challenge and the evidence.
class CostOnce {
 public:
  /// Diagnoses the cell, once.
  CostOnce(const ChallengeView& challenge, const Evidence& evidence);
  /// `diagnosis` is that of the cell.
  CostOnce(const ChallengeView& challenge, const Evidence& evidence,
           std::optional<Diagnosis> diagnosis);

  [[nodiscard]] CriterionValue Evaluate(const Criterion& criterion) const;

  /// The cell's; nothing where no signatures are kept.
  [[nodiscard]] const std::optional<Diagnosis>& diagnosis() const { return diagnosis_; }

  /// How a case counts as ended in this row: skipped where its bug costs in another.
  [[nodiscard]] Verdict VerdictIn(const Criterion& criterion, const CaseEvidence& one) const;

  /// The bug for which a failing case counts as refused in this row; null where it counts as it
  /// ended.
  [[nodiscard]] const ChargedBug* ElsewhereCharged(const Criterion& criterion,
                                                   std::string_view case_name) const;

 private:
  /// The cell with the cases of the bugs whose home is another criterion as if refused.
  [[nodiscard]] Evidence WithRefused(const Criterion& criterion) const;
  /// `; 10 explained by merge_drops_warps, which costs in Cross-warp merge`; nothing where no case
  /// of the row is.
  [[nodiscard]] std::string ExplainedIn(const Criterion& criterion) const;

  const ChallengeView& challenge_;
  const Evidence& evidence_;
  std::optional<Diagnosis> diagnosis_;
  std::vector<ChargedBug> bugs_;
};

}  // namespace assay

#endif  // ASSAY_SCORE_COST_ONCE_H_
