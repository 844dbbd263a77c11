// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SCORE_VALUE_OF_TIMES_H_
#define ASSAY_SCORE_VALUE_OF_TIMES_H_

#include "score/value.h"

namespace assay {

/// The value of `bench_ratio(prefix)` or `bench_share(prefix)`, with its interval. README.md says
/// what a workload that failed or was declined counts as.
[[nodiscard]] CriterionValue ValueOfTimes(const Criterion& criterion, const BenchEvidence& bench,
                                          const SuiteEvidence& suite);

/// The same where nothing spoke against the times, as controls may (`WhyTimesAreNotTrusted`).
[[nodiscard]] CriterionValue TimesAsTaken(const Criterion& criterion, const BenchEvidence& bench,
                                          const SuiteEvidence& suite);

}  // namespace assay

#endif  // ASSAY_SCORE_VALUE_OF_TIMES_H_
