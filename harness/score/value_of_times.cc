// SPDX-License-Identifier: Apache-2.0
#include "score/value_of_times.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/derived.h"
#include "evidence/statistics.h"
#include "score/time_rows.h"
#include "score/value_parts.h"

namespace assay {
namespace {

constexpr double kLeastRatio = 1.0 / 16;
constexpr double kWorstRatio = 16;
constexpr double kLeastShare = 0.01;

bool MatchesPrefix(std::string_view name, std::string_view prefix) {
  if (prefix.ends_with('*')) {
    prefix.remove_suffix(1);
  }
  return name.starts_with(prefix);
}

/// Where the suite saw the submission do what it declined when it was timed; null where it did not,
/// or where it declined nothing.
const CaseEvidence* ShownIn(const WorkloadEvidence& workload, const SuiteEvidence& suite) {
  if (!workload.refused) {
    return nullptr;
  }
  const auto shown = std::ranges::find_if(suite.cases, [&](const CaseEvidence& one) {
    return one.verdict == Verdict::kAccepted && Contains(one.answered, workload.operation) &&
           std::ranges::all_of(workload.shown_by,
                               [&](const std::string& tag) { return Contains(one.tags, tag); });
  });
  return shown == suite.cases.end() ? nullptr : &*shown;
}

/// Sums of logs over the workloads of a criterion, for geometric means.
struct WorkloadSums {
  int accepted = 0;
  int failed = 0;
  /// Why one was skipped: `: refused`; of several, the first.
  std::string declined;
  std::string slipped;  ///< What was declined when timed, and was seen to work.
  double log_value = 0;
  double log_low = 0;
  double log_high = 0;
};

double CappedLogRatio(double ratio) {
  // NaN counts as the worst: std::clamp would let it through.
  return std::log(ratio <= kWorstRatio ? std::max(ratio, kLeastRatio) : kWorstRatio);
}

double CappedLogShare(double share) { return std::log(share >= kLeastShare ? share : kLeastShare); }

void AddWorkload(ValueFunction function, const WorkloadEvidence& workload,
                 const SuiteEvidence& suite, WorkloadSums& sums) {
  const CaseEvidence* const shown = ShownIn(workload, suite);
  if (workload.verdict == Verdict::kJudgeError ||
      (workload.verdict == Verdict::kSkipped && shown == nullptr)) {
    if (workload.refused && workload.skip_cause && sums.declined.empty()) {
      sums.declined =
          *workload.skip_cause == SkipCause::kRefused ? ": refused" : ": not implemented";
    }
    return;
  }
  if (shown != nullptr && sums.slipped.empty()) {
    sums.slipped = fmt::format("{} is refused when timed, and {} worked in {}", workload.name,
                               workload.operation, shown->name);
  }
  const bool accepted = workload.verdict == Verdict::kAccepted;
  (accepted ? sums.accepted : sums.failed) += 1;
  if (function == ValueFunction::kBenchRatio) {
    sums.log_value += CappedLogRatio(accepted ? workload.ratio : kWorstRatio);
    sums.log_low += CappedLogRatio(accepted ? workload.ratio_low : kWorstRatio);
    sums.log_high += CappedLogRatio(accepted ? workload.ratio_high : kWorstRatio);
    return;
  }
  // Of one run a share has the interval of the ratio, mirrored about the estimate.
  const double share = accepted ? workload.share_of_bandwidth : kLeastShare;
  sums.log_value += CappedLogShare(share);
  const double mirrored_low = share * workload.ratio / workload.ratio_high;
  const double mirrored_high = share * workload.ratio / workload.ratio_low;
  sums.log_low += CappedLogShare(accepted ? workload.share_low.value_or(mirrored_low) : share);
  sums.log_high += CappedLogShare(accepted ? workload.share_high.value_or(mirrored_high) : share);
}

}  // namespace

CriterionValue TimesAsTaken(const Criterion& criterion, const BenchEvidence& bench,
                            const SuiteEvidence& suite) {
  const auto not_run = std::ranges::find_if(suite.cases, &WasGivenUp);
  if (bench.workloads.empty() && not_run != suite.cases.end()) {
    return Failed(fmt::format("not timed, as {} was {}", not_run->name, not_run->detail));
  }
  WorkloadSums sums;
  for (const WorkloadEvidence& workload : bench.workloads) {
    if (MatchesPrefix(workload.name, Argument(criterion))) {
      AddWorkload(criterion.value.function, workload, suite, sums);
    }
  }
  const int counted = sums.accepted + sums.failed;
  if (counted == 0) {
    return NotMeasured("no workload was timed" + sums.declined);
  }
  if (sums.accepted == 0) {
    return Failed(sums.slipped.empty() ? "every workload failed" : sums.slipped);
  }
  CriterionValue value = Measured(std::exp(sums.log_value / counted));
  value.interval = RatioEstimate{.ratio = value.value,
                                 .low = std::exp(sums.log_low / counted),
                                 .high = std::exp(sums.log_high / counted)};
  if (sums.failed > 0) {
    value.note = fmt::format("{} of {} workloads failed{}{}", sums.failed, counted,
                             sums.slipped.empty() ? "" : ": ", sums.slipped);
  }
  return value;
}

CriterionValue ValueOfTimes(const Criterion& criterion, const BenchEvidence& bench,
                            const SuiteEvidence& suite) {
  CriterionValue taken = TimesAsTaken(criterion, bench, suite);
  // Of several runs the controls see more: what they speak against is no measurement.
  std::string why = bench.runs ? WhyTimesAreNotTrusted(bench) : "";
  return taken.state == CriterionValue::State::kMeasured && !why.empty()
             ? NotMeasured(std::move(why))
             : taken;
}

}  // namespace assay
