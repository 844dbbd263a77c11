// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SCORE_WORK_H_
#define ASSAY_SCORE_WORK_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/evidence.h"
#include "score/challenge_view.h"

namespace assay {

/// What operations of a submission did in the cases that ask for work (README.md, "Zero and
/// hundred").
struct Work {
  std::size_t right = 0;
  std::size_t wrong = 0;
};

/// The work of `operations`, of all of them when there are none: the cases with a tag of
/// `rubric.work` in which one of them returned 0, and of all operations those too in which none
/// did and which failed.
[[nodiscard]] Work WorkOf(const Rubric& rubric, const SuiteEvidence& suite,
                          const std::vector<std::string>& operations);

/// How much of the rows that work earns is earned by `work`: 0 to 1.
[[nodiscard]] double EarnedBy(const Work& work);

/// Whether the submission offers `operation` and its work earns anything; without tags of work in
/// the rubric, or where the emulated GPU lacks something and the operation answered nothing,
/// whether it offers it.
[[nodiscard]] bool IsSeenToWork(std::string_view operation, const Rubric& rubric,
                                const Evidence& evidence);

/// Skipped because the submission leaves the operation out or refuses the size honestly, or because
/// the suite could not: not because failures before it ended the run.
[[nodiscard]] bool IsLeftOut(const CaseEvidence& one);

/// Whether a case that was left out asks for an operation that is not offered, or for a capability
/// that is not reported.
[[nodiscard]] bool IsNotImplemented(const CaseEvidence& one);

/// The suite asked it of this build on this device: else it counts in no row.
[[nodiscard]] bool IsAsked(const CaseEvidence& one);

/// Whether a row that needs entry points has one of them.
[[nodiscard]] bool OffersWhatItNeeds(const Criterion& criterion, const Evidence& evidence);

/// Whether what the emulated GPU lacks excuses that nothing was measured in a row: it lacks
/// something, and no operation that the row needs answered wrongly.
[[nodiscard]] bool IsBeyondDevice(const Criterion& criterion, const SuiteEvidence& suite);

/// Whether all cases with `tag` were left out; not so where there is none.
[[nodiscard]] bool LeavesOutAll(std::string_view tag, const SuiteEvidence& suite);

/// Whether there are cases with `tag` and none was accepted.
[[nodiscard]] bool IsNowhereRight(std::string_view tag, const SuiteEvidence& suite);

/// How many operations of the submission are seen to work.
[[nodiscard]] std::size_t CountSeenToWork(const Rubric& rubric, const Evidence& evidence);

}  // namespace assay

#endif  // ASSAY_SCORE_WORK_H_
