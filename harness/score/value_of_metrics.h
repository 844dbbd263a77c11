// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SCORE_VALUE_OF_METRICS_H_
#define ASSAY_SCORE_VALUE_OF_METRICS_H_

#include <optional>

#include "evidence/evidence.h"
#include "score/value.h"
#include "spec/rubric.h"

namespace assay {

/// Of `metric(name)`, `at_largest(curve, unit)` and `worst_of(curve, unit)`, as README.md defines
/// them. `unit` is what the curve's x counts, for the note: `at 131072 logits`. A curve has at most
/// one y for each x; a point with a NaN is none.
[[nodiscard]] CriterionValue ValueOfMetric(const Criterion& criterion, const SuiteEvidence& suite);

/// The values that two submissions are compared by.
struct ComparedValues {
  CriterionValue a;
  CriterionValue b;
  bool operator==(const ComparedValues&) const = default;
};

/// Of a function of a curve: the values at the x that both curves have, so that different work is
/// not compared; both not measured where they share none. Nothing for any other function.
[[nodiscard]] std::optional<ComparedValues> ValuesOfTheSameWork(const Criterion& criterion,
                                                                const SuiteEvidence& a,
                                                                const SuiteEvidence& b);

}  // namespace assay

#endif  // ASSAY_SCORE_VALUE_OF_METRICS_H_
