// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EVIDENCE_DERIVED_H_
#define ASSAY_EVIDENCE_DERIVED_H_

#include <optional>
#include <string_view>

#include "evidence/evidence.h"

/// Small parts of evidence that follow from others: computed when a cell is graded, and again when
/// its evidence is read (consistency.h).
namespace assay {

/// What the detail begins with of a case that a suite skips because of the failures before it.
inline constexpr std::string_view kNotRunAfter = "not run after ";
/// What the detail begins with of the case in which a run met the limit of all its calls together:
/// by itself the case may be right.
inline constexpr std::string_view kOverRunLimit = "hosts took over ";

/// The metric that counts accepted cases in which kernels of the submission ran. What checkers did
/// not find says something only where there are any.
inline constexpr std::string_view kDeviceCasesRight = "device_cases_right";

/// Not run because of what the submission did before: it hung, or died, in case after case.
[[nodiscard]] bool WasGivenUp(const CaseEvidence& one);

/// Equal but for case and the space around.
[[nodiscard]] bool SameWords(std::string_view a, std::string_view b);

/// The finite number that `text` is, and nothing else.
[[nodiscard]] std::optional<double> NumberOf(std::string_view text);

/// A claim holds when the metric was measured and lies within 1 % of what is claimed.
[[nodiscard]] bool ClaimHolds(double claimed, std::optional<double> measured);

/// Per 1000 code lines, of which there is at least one.
[[nodiscard]] double WarningsPer1000Lines(int warnings, int code_lines);

}  // namespace assay

#endif  // ASSAY_EVIDENCE_DERIVED_H_
