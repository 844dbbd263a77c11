// SPDX-License-Identifier: Apache-2.0
#include "score/work.h"

#include <algorithm>

#include "evidence/derived.h"
#include "score/value_parts.h"

namespace assay {
namespace {

// A share of fewer cases is one of so many: three right answers are no body of work.
constexpr std::size_t kLeastCases = 20;
// What does nothing passes one case in twenty at most, where nothing is what is asked.
constexpr double kNothing = 0.05;
// Low, so that one bug that breaks most cases does not cost in the rows of quality too.
constexpr double kEnough = 0.125;

bool ShareOne(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::ranges::any_of(a, [&](const std::string& name) { return Contains(b, name); });
}

/// Whether there are cases with `tag`, and `holds` of all of them.
template <class Condition>
bool HasAll(std::string_view tag, const SuiteEvidence& suite, Condition holds) {
  bool is_asked = false;
  for (const CaseEvidence& one : suite.cases) {
    if (Contains(one.tags, tag) && IsAsked(one)) {
      is_asked = true;
      if (!holds(one)) {
        return false;
      }
    }
  }
  return is_asked;
}

}  // namespace

Work WorkOf(const Rubric& rubric, const SuiteEvidence& suite,
            const std::vector<std::string>& operations) {
  Work work;
  for (const CaseEvidence& one : suite.cases) {
    if (!ShareOne(one.tags, rubric.work) || IsLeftOut(one) || one.verdict == Verdict::kJudgeError) {
      continue;
    }
    const bool answered =
        operations.empty() ? !one.answered.empty() : ShareOne(one.answered, operations);
    if (one.verdict == Verdict::kAccepted) {
      work.right += answered ? 1U : 0U;
    } else if (answered || operations.empty()) {
      ++work.wrong;
    }
  }
  return work;
}

double EarnedBy(const Work& work) {
  const double share = static_cast<double>(work.right) /
                       static_cast<double>(std::max(work.right + work.wrong, kLeastCases));
  return std::clamp((share - kNothing) / (kEnough - kNothing), 0.0, 1.0);
}

bool IsSeenToWork(std::string_view operation, const Rubric& rubric, const Evidence& evidence) {
  if (!Contains(evidence.entry_points, operation)) {
    return false;
  }
  const Work work = WorkOf(rubric, evidence.suite, {std::string(operation)});
  // What the device lacks excuses what answered nothing, and no wrong answer.
  const bool nobody_saw = !evidence.suite.device_lacks.empty() && work.right + work.wrong == 0;
  return rubric.work.empty() || nobody_saw || EarnedBy(work) > 0;
}

bool IsLeftOut(const CaseEvidence& one) {
  return one.verdict == Verdict::kSkipped && !WasGivenUp(one);
}

bool IsNotImplemented(const CaseEvidence& one) {
  return one.skip_cause == SkipCause::kNotOffered || one.skip_cause == SkipCause::kNotReported;
}

bool IsAsked(const CaseEvidence& one) { return one.skip_cause != SkipCause::kNotAsked; }

bool OffersWhatItNeeds(const Criterion& criterion, const Evidence& evidence) {
  return criterion.needs.empty() || ShareOne(criterion.needs, evidence.entry_points);
}

bool IsBeyondDevice(const Criterion& criterion, const SuiteEvidence& suite) {
  return !suite.device_lacks.empty() &&
         std::ranges::none_of(suite.cases, [&](const CaseEvidence& one) {
           return one.verdict != Verdict::kAccepted && one.verdict != Verdict::kJudgeError &&
                  !IsLeftOut(one) && ShareOne(one.answered, criterion.needs);
         });
}

bool LeavesOutAll(std::string_view tag, const SuiteEvidence& suite) {
  return HasAll(tag, suite, &IsLeftOut);
}

bool IsNowhereRight(std::string_view tag, const SuiteEvidence& suite) {
  return HasAll(tag, suite,
                [](const CaseEvidence& one) { return one.verdict != Verdict::kAccepted; });
}

std::size_t CountSeenToWork(const Rubric& rubric, const Evidence& evidence) {
  return static_cast<std::size_t>(std::ranges::count_if(
      evidence.entry_points,
      [&](const std::string& operation) { return IsSeenToWork(operation, rubric, evidence); }));
}

}  // namespace assay
