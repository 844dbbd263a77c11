// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EVIDENCE_CELL_VERDICT_H_
#define ASSAY_EVIDENCE_CELL_VERDICT_H_

#include <string>

#include "evidence/evidence.h"

namespace assay {

/// A verdict and the case, workload or build step it came from.
struct CellVerdict {
  Verdict verdict = Verdict::kSkipped;
  std::string detail;
  bool operator==(const CellVerdict&) const = default;
};

/// The verdict of a cell, from what was measured. The gravest (verdict.h) of:
/// - the release build, where it failed: nothing ran, so nothing else counts;
/// - each case of the release suite that gates and was not skipped;
/// - each timed workload that ran, since its outputs are checked like a case's;
/// - rejected, from any case or workload at all: a cheat counts wherever it is seen.
/// What would be accepted, but needed of the emulated GPU what that lacks, is skipped: part of it
/// was never seen to work.
/// A case that does not gate, a sanitizer finding and a failed own test enter scores alone. Silence
/// is not acceptance: where the submission refused or lacks all that gates it is wrong_answer, and
/// a suite without gating cases is judge_error.
[[nodiscard]] CellVerdict DecideVerdict(const Evidence& evidence);

}  // namespace assay

#endif  // ASSAY_EVIDENCE_CELL_VERDICT_H_
