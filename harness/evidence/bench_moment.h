// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EVIDENCE_BENCH_MOMENT_H_
#define ASSAY_EVIDENCE_BENCH_MOMENT_H_

#include <optional>
#include <string_view>

namespace assay {

/// Which step of grading a run of the bench came after: runs are spread over it, so that a slow
/// minute of the machine is the fate of one of them. Written to evidence by name.
enum class BenchMoment {
  kSuite,           ///< `suite`
  kSanitizedSuite,  ///< `sanitized_suite`
  kOwnTests,        ///< `own_tests`
};

[[nodiscard]] std::string_view ToString(BenchMoment moment);
[[nodiscard]] std::optional<BenchMoment> BenchMomentFromString(std::string_view text);

}  // namespace assay

#endif  // ASSAY_EVIDENCE_BENCH_MOMENT_H_
