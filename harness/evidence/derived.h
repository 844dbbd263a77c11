// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EVIDENCE_DERIVED_H_
#define ASSAY_EVIDENCE_DERIVED_H_

#include <optional>
#include <string>
#include <string_view>

#include "evidence/evidence.h"

/// Small parts of evidence that follow from others: computed when a cell is graded, and again when
/// its evidence is read (consistency.h).
namespace assay {

/// The metric that counts accepted cases in which kernels of the submission ran. What checkers did
/// not find says something only where there are any.
inline constexpr std::string_view kDeviceCasesRight = "device_cases_right";

/// Not run because of what was before it: the submission hung, or died, in case after case.
[[nodiscard]] bool WasGivenUp(const CaseEvidence& one);

/// In one line: `racecheck: read after write at f.cu:3 in F`.
[[nodiscard]] std::string ToString(const DeviceFinding& finding);

/// Equal but for case and the space around.
[[nodiscard]] bool SameWords(std::string_view a, std::string_view b);

/// The finite decimal number that `text` is, and nothing else, but blanks around it, and a `+` in
/// front and a `_` between digits, which YAML lets a number have.
[[nodiscard]] std::optional<double> NumberOf(std::string_view text);

/// A claim holds when the metric was measured and lies within 1 % of what is claimed.
[[nodiscard]] bool ClaimHolds(double claimed, std::optional<double> measured);

/// Per 1000 code lines of the implementation, counted as one where there is none.
[[nodiscard]] double WarningsPer1000Lines(int warnings, int code_lines);

}  // namespace assay

#endif  // ASSAY_EVIDENCE_DERIVED_H_
