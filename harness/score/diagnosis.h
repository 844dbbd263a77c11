// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SCORE_DIAGNOSIS_H_
#define ASSAY_SCORE_DIAGNOSIS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/evidence.h"
#include "score/challenge_view.h"
#include "score/signatures.h"

namespace assay {

/// Whether a case is a gating one that failed: what a diagnosis explains.
[[nodiscard]] bool IsGatingFailure(const CaseEvidence& one);
[[nodiscard]] int CountGatingFailures(const SuiteEvidence& suite);
/// In how many runs of a mutant a case failed; one that was skipped did not.
[[nodiscard]] int RunsThatFailed(const CaseOutcomes& outcomes);

/// One known bug that failing cases are like. README.md defines every number.
struct Match {
  /// The nearest mutant; several, the nearest first, when these cases do not tell them apart.
  std::vector<std::string> mutants;
  double confidence = 0;  ///< 0 to 1.
  /// As much alike as bugs of another home hardly ever are.
  bool is_strong = false;
  /// Failing cases that the mutant fails too and no match before this one explains.
  std::vector<std::string> cases_for;
  std::vector<std::string> cases_alone;  ///< Of those: which no other match's mutant ever fails.
  int agreeing = 0;  ///< Failing cases that it fails too, and a match before this one explains.
  /// Cases that the mutant fails in every run, and that pass here.
  std::vector<std::string> cases_against;
  bool operator==(const Match&) const = default;
};

/// `strong`; else `likely` from a confidence of 0.5, and `weak` below.
[[nodiscard]] std::string_view CertaintyOf(const Match& match);

/// The known bugs that the failing cases of one cell are like.
struct Diagnosis {
  int failing = 0;             ///< Gating cases that failed.
  std::vector<Match> matches;  ///< What explains most comes first.
  /// Failing cases that no match explains, in the order of the suite.
  std::vector<std::string> unexplained;
  bool operator==(const Diagnosis&) const = default;
};

/// Explains the gating cases that failed by few mutants. The same input gives the same matches. Of
/// a suite in which nothing failed: empty. Takes milliseconds, and seconds where hundreds of cases
/// fail: Scorecard has its cell's.
[[nodiscard]] Diagnosis Diagnose(const SuiteEvidence& suite, const Signatures& signatures);

/// Of a cell; nothing where no signatures of the challenge's mutants are kept.
[[nodiscard]] std::optional<Diagnosis> DiagnoseCell(const ChallengeView& challenge,
                                                    const Evidence& evidence);

/// How many failures are distinct: one a match, and one for all cases that none explains.
[[nodiscard]] int CountDistinct(const Diagnosis& diagnosis);

/// The match that explains a failing case; null when none does.
[[nodiscard]] const Match* FindMatch(const Diagnosis& diagnosis, std::string_view case_name);

/// `inverted_causal_mask`; `a or b`; of more than three the first three and how many there are.
[[nodiscard]] std::string MutantsOf(const Match& match);

/// `strong, 0.97: 12 cases for, none against`.
[[nodiscard]] std::string GroundsOf(const Match& match);

}  // namespace assay

#endif  // ASSAY_SCORE_DIAGNOSIS_H_
