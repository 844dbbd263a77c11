// SPDX-License-Identifier: Apache-2.0
#include "grade/cell_verdict.h"

#include <fmt/format.h>

namespace assay {
namespace {

// Keeps the gravest so far; of equals the first, which is the one a reader should look at.
class Gravity {
 public:
  void Add(Verdict verdict, const std::string& name, const std::string& detail) {
    if (verdict == Verdict::kSkipped) {
      return;
    }
    if (verdict > gravest_.verdict) {
      gravest_.verdict = verdict;
      gravest_.detail = verdict == Verdict::kAccepted ? "" : fmt::format("{}: {}", name, detail);
    }
  }

  [[nodiscard]] const CellVerdict& gravest() const { return gravest_; }

 private:
  CellVerdict gravest_;
};

bool Counts(const CaseEvidence& result) {
  return result.gates || result.verdict == Verdict::kRejected ||
         result.verdict == Verdict::kJudgeError;
}

}  // namespace

CellVerdict DecideVerdict(const Evidence& evidence) {
  if (evidence.release.verdict != Verdict::kAccepted) {
    return {evidence.release.verdict, "build: " + evidence.release.diagnostics};
  }
  Gravity gravity;
  for (const CaseEvidence& result : evidence.suite.cases) {
    if (Counts(result)) {
      gravity.Add(result.verdict, result.name, result.detail);
    }
  }
  const std::vector<std::string>& lacks = evidence.suite.device_lacks;
  if (gravity.gravest().verdict == Verdict::kSkipped && lacks.empty()) {
    return {Verdict::kJudgeError, "no gating case of the suite ran"};
  }
  for (const CaseEvidence& result : evidence.sanitized_suite.cases) {
    if (result.verdict == Verdict::kRejected) {
      gravity.Add(result.verdict, result.name, result.detail);
    }
  }
  for (const WorkloadEvidence& workload : evidence.bench.workloads) {
    gravity.Add(workload.verdict, workload.name, workload.detail);
  }
  if (gravity.gravest().verdict <= Verdict::kAccepted && !lacks.empty()) {
    return {Verdict::kSkipped, "the emulated GPU lacks what it needs: " + lacks.front()};
  }
  return gravity.gravest();
}

}  // namespace assay
