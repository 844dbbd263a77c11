// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SCORE_VALUE_OF_FINDINGS_H_
#define ASSAY_SCORE_VALUE_OF_FINDINGS_H_

#include <optional>
#include <string_view>

#include "score/diagnosis.h"
#include "score/value.h"

/// The functions of a rubric that count what is wrong: README.md says what each means.
namespace assay {

/// `sanitizer_findings`
[[nodiscard]] CriterionValue SanitizerFindings(const Evidence& evidence);

/// `device_findings(checker)`; of all checkers without one.
[[nodiscard]] CriterionValue DeviceFindings(const Criterion& criterion, const SuiteEvidence& suite);

/// `distinct_failures`; no diagnosis where no signatures of mutants are kept.
[[nodiscard]] CriterionValue DistinctFailures(const Evidence& evidence,
                                              const std::optional<Diagnosis>& diagnosis);

}  // namespace assay

#endif  // ASSAY_SCORE_VALUE_OF_FINDINGS_H_
