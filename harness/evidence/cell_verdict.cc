// SPDX-License-Identifier: Apache-2.0
#include "evidence/cell_verdict.h"

#include <fmt/format.h>

#include <algorithm>

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

// Silence is no acceptance; and where the submission kept silent, it is no fault of ours either.
CellVerdict NoneRan(const SuiteEvidence& suite) {
  const auto first = std::ranges::find_if(suite.cases, &CaseEvidence::gates);
  if (first == suite.cases.end()) {
    return {Verdict::kJudgeError, "the suite has no gating case"};
  }
  return {Verdict::kWrongAnswer, fmt::format("no gating case could be run; the first is {}: {}",
                                             first->name, first->detail)};
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
    return NoneRan(evidence.suite);
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
