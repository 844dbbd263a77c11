// SPDX-License-Identifier: Apache-2.0
#include "evidence/trust_in_times.h"

#include "evidence/statistics.h"

namespace assay {
namespace {

constexpr double kAlpha = 0.05;

bool AreUneven(const BenchEvidence& bench) {
  const int false_wins = CountFalseWins(bench);
  const int controls = static_cast<int>(bench.controls.size());
  return false_wins > 0 && 1 - BinomialCdf(false_wins - 1, controls, kAlpha) < kAlpha;
}

}  // namespace

TimesTrust TrustInTimes(const BenchEvidence& bench) {
  if (bench.controls.empty()) {
    return bench.workloads.empty() ? TimesTrust::kTrusted : TimesTrust::kWithoutControls;
  }
  if (AreUneven(bench)) {
    return TimesTrust::kUneven;
  }
  if (bench.runs && bench.runs->size() > 1 && !(ControlPrecision(bench) <= kCoarsestControls)) {
    return TimesTrust::kImprecise;
  }
  return TimesTrust::kTrusted;
}

}  // namespace assay
