// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EVIDENCE_TRUST_IN_TIMES_H_
#define ASSAY_EVIDENCE_TRUST_IN_TIMES_H_

#include <cstdint>

#include "evidence/evidence.h"

namespace assay {

/// What the controls of a bench, the baseline timed against itself, say of its times.
enum class TimesTrust : std::uint8_t {
  kTrusted,
  kWithoutControls,  ///< Workloads were timed, and no control.
  kUneven,           ///< The baseline beat itself in more controls than chance allows.
  kImprecise,        ///< Half of the controls are not known to kCoarsestControls.
};

/// As wide as the ties of rubrics: controls known less well could not see what decides a row.
inline constexpr double kCoarsestControls = 0.10;

/// With c controls, w of which the baseline won against itself (CountFalseWins), kUneven where
/// P(X >= w) < 5 % for X binomial of c trials of 5 %; kImprecise where ControlPrecision is over
/// kCoarsestControls, asked of a bench of several runs only: of one run intervals are as wide as
/// its few blocks make them. The first that holds, in the enumeration's order. A bench that timed
/// nothing is trusted.
[[nodiscard]] TimesTrust TrustInTimes(const BenchEvidence& bench);

/// Whether the machine was the reason, which may pass: another run can help.
[[nodiscard]] constexpr bool IsNoisy(TimesTrust trust) {
  return trust == TimesTrust::kUneven || trust == TimesTrust::kImprecise;
}

}  // namespace assay

#endif  // ASSAY_EVIDENCE_TRUST_IN_TIMES_H_
