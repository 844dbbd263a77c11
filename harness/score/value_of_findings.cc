// SPDX-License-Identifier: Apache-2.0
#include "score/value_of_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>

#include "evidence/derived.h"
#include "score/value_parts.h"
#include "score/work.h"

namespace assay {
namespace {

/// Findings are counted in cases that are run: of a submission that ended its suite early, few.
CriterionValue Findings(std::ptrdiff_t count, const SuiteEvidence& suite) {
  const auto not_run = std::ranges::find_if(suite.cases, &WasGivenUp);
  return not_run == suite.cases.end()
             ? Measured(static_cast<double>(count))
             : Failed(fmt::format("{} found, and {} {}", count, not_run->name, not_run->detail));
}

/// Operations of it returned 0 in a case that was right.
bool ShowsAnythingRight(const SuiteEvidence& suite) {
  return std::ranges::any_of(suite.cases, [](const CaseEvidence& one) {
    return one.verdict == Verdict::kAccepted && !one.answered.empty();
  });
}

/// `2 cases like none`; nothing for 0.
std::string Counted(std::size_t count, std::string_view what, std::string_view which = "") {
  return count == 0 ? "" : fmt::format("{} {}{}{}", count, what, count == 1 ? "" : "s", which);
}

}  // namespace

CriterionValue SanitizerFindings(const Evidence& evidence) {
  if (evidence.sanitized.verdict == Verdict::kSkipped ||
      evidence.sanitized.verdict == Verdict::kJudgeError ||
      (evidence.sanitized.verdict == Verdict::kAccepted &&
       evidence.sanitized_suite.cases.empty())) {
    return NotMeasured("no run under the sanitizers");
  }
  if (evidence.sanitized.verdict != Verdict::kAccepted) {
    return Failed(
        fmt::format("does not build with sanitizers: {}", ToString(evidence.sanitized.verdict)));
  }
  // Code that refuses or is wrong before it does its work has nothing found in it.
  if (!ShowsAnythingRight(evidence.sanitized_suite)) {
    return Failed(fmt::format("{} found, and nothing of it worked under the sanitizers",
                              evidence.sanitizer_findings.size()));
  }
  return Findings(std::ssize(evidence.sanitizer_findings), evidence.sanitized_suite);
}

CriterionValue DeviceFindings(const Criterion& criterion, const SuiteEvidence& suite) {
  const std::string_view checker = Argument(criterion);
  if (suite.cases.empty()) {
    return NotMeasured("the suite was not run");
  }
  const auto found = std::ranges::count_if(
      suite.device_findings,
      [&](const DeviceFinding& finding) { return checker.empty() || finding.checker == checker; });
  const auto right = suite.metrics.find(std::string(kDeviceCasesRight));
  if (right == suite.metrics.end() || right->second < 1) {
    // A kernel that never ran, or was wrong wherever it did, has been seen to be free of nothing.
    return IsBeyondDevice(criterion, suite)
               ? NotMeasured(fmt::format("the emulated GPU lacks {}", suite.device_lacks.front()))
               : Failed(
                     fmt::format("{} found, and no case in which its kernels ran is right", found));
  }
  return Findings(found, suite);
}

CriterionValue DistinctFailures(const Evidence& evidence,
                                const std::optional<Diagnosis>& diagnosis) {
  CriterionValue findings = SanitizerFindings(evidence);
  if (findings.state != CriterionValue::State::kMeasured) {
    return findings;
  }
  if (evidence.suite.cases.empty()) {
    return NotMeasured("the suite was not run");
  }
  if (CountGatingFailures(evidence.suite) == 0) {
    return findings;
  }
  if (!diagnosis) {
    return NotMeasured("no signatures of mutants are kept");
  }
  const std::array<std::string, 3> parts = {
      Counted(diagnosis->matches.size(), "known bug"),
      Counted(diagnosis->unexplained.size(), "case", " like none"),
      Counted(evidence.sanitizer_findings.size(), "sanitizer finding")};
  std::string note;
  for (const std::string& part : parts) {
    note += (note.empty() || part.empty() ? "" : ", ") + part;
  }
  return Measured(findings.value + CountDistinct(*diagnosis), std::move(note));
}

}  // namespace assay
