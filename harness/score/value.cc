// SPDX-License-Identifier: Apache-2.0
#include "score/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "evidence/derived.h"
#include "score/diagnosis.h"
#include "score/reviews.h"
#include "score/value_of_curves.h"
#include "score/value_of_findings.h"
#include "score/value_of_metrics.h"
#include "score/value_of_own_tests.h"
#include "score/value_of_times.h"
#include "score/value_parts.h"
#include "score/work.h"

namespace assay {
namespace {

using State = CriterionValue::State;

/// `; 5 refused`; nothing for none.
std::string Counting(std::size_t count, std::string_view what) {
  return count == 0 ? "" : fmt::format("; {} {}", count, what);
}

/// The cases of a row, by what became of them.
struct CaseCounts {
  std::size_t accepted = 0;
  std::size_t wrong = 0;  ///< Given up too.
  std::size_t refused = 0;
  std::size_t not_implemented = 0;
  std::size_t beyond_device = 0;
  std::size_t left_out = 0;  ///< For a cause that the evidence does not have.

  [[nodiscard]] std::size_t Answered() const { return accepted + wrong; }
  [[nodiscard]] std::size_t All() const {
    return Answered() + refused + not_implemented + beyond_device + left_out;
  }
  /// `; 5 refused; 2 not implemented`: what was neither right nor wrong.
  [[nodiscard]] std::string Rest() const {
    return Counting(refused, "refused") + Counting(not_implemented, "not implemented") +
           Counting(beyond_device, "beyond the emulated GPU") +
           Counting(left_out, "left out or refused");
  }
  void Add(const CaseEvidence& one) {
    if (!IsLeftOut(one)) {
      (one.verdict == Verdict::kAccepted ? accepted : wrong) += 1;
    } else if (IsNotImplemented(one)) {
      ++not_implemented;
    } else if (one.skip_cause == SkipCause::kRefused) {
      ++refused;
    } else {
      (one.skip_cause == SkipCause::kDeviceLacks ? beyond_device : left_out) += 1;
    }
  }
};

/// A rate of what was answered is one of a quarter of all cases at least: a submission with the
/// least that a challenge asks for is asked a quarter of them, and who refuses more answers fewer.
std::size_t LeastAnswered(std::size_t cases) { return (cases + 3) / 4; }

CriterionValue PassRate(const Criterion& criterion, const SuiteEvidence& suite) {
  if (suite.cases.empty()) {
    return NotMeasured("the suite was not run");
  }
  CaseCounts counts;
  bool is_known = false;
  for (const CaseEvidence& one : suite.cases) {
    if (!IsAbout(criterion, one.tags)) {
      continue;
    }
    if (one.verdict == Verdict::kJudgeError) {
      return NotMeasured(fmt::format("judge_error in {}", one.name));
    }
    is_known = true;
    if (IsAsked(one)) {
      counts.Add(one);
    }
  }
  if (counts.All() == 0) {
    const std::string tags = Join(criterion.value.arguments, " or ");
    return NotMeasured(is_known ? fmt::format("no case with the tag {} is asked here", tags)
                                : fmt::format("no case has the tag {}", tags));
  }
  const bool is_of_answered = criterion.value.function == ValueFunction::kRightRate;
  if (is_of_answered && counts.Answered() == 0) {
    return Failed(fmt::format("none of {} cases answered{}", counts.All(), counts.Rest()));
  }
  CriterionValue value = CountOf(
      counts.accepted,
      is_of_answered ? std::max(counts.Answered(), LeastAnswered(counts.All())) : counts.All());
  value.note += counts.Rest();
  return value;
}

CriterionValue CodeLinesPerOperation(const Rubric& rubric, const Evidence& evidence) {
  if (!evidence.statics.source_code_lines.has_value()) {
    return NotMeasured("the tool that reads it is missing or failed");
  }
  const std::size_t working = CountSeenToWork(rubric, evidence);
  if (working == 0) {
    return Failed("no operation was seen to work");
  }
  const int lines = *evidence.statics.source_code_lines;
  return Measured(static_cast<double>(lines) / static_cast<double>(working),
                  fmt::format("{} lines without tests, {} operations", lines, working));
}

std::optional<double> LargestFileLines(const StaticEvidence& statics) {
  if (!statics.source_code_lines || !statics.largest_file_share) {
    return std::nullopt;
  }
  return std::round(*statics.largest_file_share * *statics.source_code_lines);
}

CriterionValue StaticField(std::string_view field, const StaticEvidence& statics) {
  const std::map<std::string_view, std::optional<double>> fields = {
      {"files", statics.files},
      {"code_lines", statics.code_lines},
      {"source_code_lines", statics.source_code_lines},
      {"largest_file_share", statics.largest_file_share},
      {"largest_file_lines", LargestFileLines(statics)},
      {"longest_function_lines", statics.longest_function_lines},
      {"cognitive_complexity", statics.cognitive_complexity},
      {"warnings_per_1000_lines", statics.warnings_per_1000_lines},
      {"unused_device_functions", statics.unused_device_functions},
      {"duplicated_share", statics.duplicated_share},
      {"document_sections", statics.document_sections},
      {"broken_links", statics.broken_links}};
  const auto found = fields.find(field);
  if (found == fields.end()) {
    return NotMeasured(fmt::format("static evidence has no field {}", field));
  }
  const bool is_of_functions = field == "longest_function_lines" || field == "cognitive_complexity";
  if (found->second.has_value()) {
    const double parsed = is_of_functions ? statics.parsed_share.value_or(1) : 1;
    return Measured(*found->second,
                    parsed < 1 ? fmt::format("{:.0f} % of the code read by tokens, not by clang",
                                             100 * (1 - parsed))
                               : "");
  }
  if (is_of_functions && statics.parsed_share.has_value()) {
    return Failed("no function could be read in its sources");
  }
  if (field == "unused_device_functions") {
    return NotMeasured("it has no CUDA sources that could be read");
  }
  return NotMeasured(field == "broken_links" ? "it has no document that could be read"
                                             : "the tool that reads it is missing or failed");
}

CriterionValue Answers(std::string_view group, const ChallengeSpec& challenge,
                       const std::vector<AnswerEvidence>& answers) {
  std::size_t asked = 0;
  std::size_t right = 0;
  for (const Question& question : challenge.questions) {
    if (group != "all" && question.group != group) {
      continue;
    }
    ++asked;
    const bool is_right =
        std::any_of(answers.begin(), answers.end(), [&](const AnswerEvidence& answer) {
          return answer.question == question.id && answer.right;
        });
    right += is_right ? 1U : 0U;
  }
  return asked == 0 ? NotMeasured(fmt::format("nothing is asked in the group {}", group))
                    : CountOf(right, asked);
}

CriterionValue EntryPoints(const std::vector<std::string>& wanted, const Rubric& rubric,
                           const Evidence& evidence) {
  const auto found = std::ranges::count_if(
      wanted, [&](const std::string& name) { return IsSeenToWork(name, rubric, evidence); });
  return MeasuredOf(static_cast<double>(found), std::ssize(wanted));
}

CriterionValue BuildsAsHandedIn(const std::optional<Repair>& repair) {
  return repair ? Measured(0, "a patch was needed") : Measured(1, "");
}

CriterionValue Claims(const std::vector<ClaimEvidence>& claims) {
  if (claims.empty()) {
    return NotMeasured("it claims nothing");
  }
  const auto holding = std::count_if(claims.begin(), claims.end(),
                                     [](const ClaimEvidence& claim) { return claim.holds; });
  return CountOf(static_cast<std::size_t>(holding), claims.size());
}

CriterionValue Review(const Criterion& criterion, const ChallengeView& challenge,
                      const Evidence& evidence) {
  const auto summary = Summarise(challenge.reviews, criterion.id, evidence.model);
  if (!summary) {
    return NotMeasured("no review");
  }
  if (evidence.verdict == Verdict::kRejected) {
    return Failed("the submission is rejected");
  }
  if (summary->not_scored.empty()) {
    return Measured(summary->median, DescribeSpread(*summary));
  }
  return {.state = State::kNotMeasured,
          .note = fmt::format("{:g} of {} ({})", summary->median, kHighestMark,
                              DescribeSpread(*summary)),
          .note_is = CriterionValue::Note::kShownNotScored};
}

bool OffersCuda(const ChallengeSpec& challenge) { return Contains(challenge.languages, "cuda"); }

bool NeedsRunningCode(ValueFunction function) {
  return function != ValueFunction::kStatic && function != ValueFunction::kAnswers &&
         function != ValueFunction::kReview;
}

/// Rows that are not of the submission's code: what it says of the problem, and tests, which are
/// measured on code that is not its own.
bool IsEarnedByWork(ValueFunction function) {
  return function != ValueFunction::kAnswers && function != ValueFunction::kOwnTests &&
         function != ValueFunction::kReview;
}

bool IsRate(ValueFunction function) {
  return function == ValueFunction::kPassRate || function == ValueFunction::kRightRate;
}

/// The value of a row that needs cases, where all of them are left out or none is right.
std::optional<CriterionValue> WithoutCasesItNeeds(const Criterion& criterion,
                                                  const SuiteEvidence& suite) {
  const std::string& tag = criterion.needs_cases;
  if (tag.empty()) {
    return std::nullopt;
  }
  if (LeavesOutAll(tag, suite)) {
    return CriterionValue{.state = State::kNotMeasured,
                          .note = fmt::format("not implemented: all cases of {} left out", tag),
                          .note_is = CriterionValue::Note::kNotImplemented};
  }
  if (IsNowhereRight(tag, suite)) {
    return Failed(fmt::format("no case of {} is right", tag));
  }
  return std::nullopt;
}

/// The work that earns a row; nothing where the row is whole whatever works.
std::optional<Work> WorkThatEarns(const Criterion& criterion, const Rubric& rubric,
                                  const Evidence& evidence) {
  if (rubric.work.empty() || !IsEarnedByWork(criterion.value.function)) {
    return std::nullopt;
  }
  Work work;
  if (evidence.release.verdict == Verdict::kAccepted) {
    if (evidence.suite.cases.empty()) {
      return std::nullopt;  // Nobody saw whether it works.
    }
    work = WorkOf(rubric, evidence.suite, criterion.needs);
  }
  if (work.right == 0 && !evidence.suite.device_lacks.empty()) {
    return std::nullopt;  // It had no chance to.
  }
  return work;
}

/// `value` as far as work earns it.
CriterionValue Earn(const Criterion& criterion, const Rubric& rubric, const Evidence& evidence,
                    CriterionValue value) {
  if (value.state != State::kMeasured) {
    return value;
  }
  const std::optional<Work> earning = WorkThatEarns(criterion, rubric, evidence);
  if (!earning) {
    return value;
  }
  const Work& work = *earning;
  value.earned = EarnedBy(work);
  if (value.earned == 1 || IsRate(criterion.value.function)) {
    return value;
  }
  const std::string why = evidence.release.verdict == Verdict::kAccepted
                              ? fmt::format("right in {} of {} cases that ask for work", work.right,
                                            work.right + work.wrong)
                              : "it does not build";
  if (value.earned == 0) {
    return Failed("not earned: " + why);
  }
  if (value.note_is == CriterionValue::Note::kRemark) {
    value.note += fmt::format("{}{:.0f} % of the points: {}", value.note.empty() ? "" : "; ",
                              value.earned * 100, why);
  }
  return value;
}

CriterionValue EvaluateFunction(const Criterion& criterion, const ChallengeView& challenge,
                                const Evidence& evidence,
                                const std::optional<Diagnosis>& diagnosis) {
  switch (criterion.value.function) {
    case ValueFunction::kPassRate:
    case ValueFunction::kRightRate:
      return PassRate(criterion, evidence.suite);
    case ValueFunction::kMetric:
    case ValueFunction::kAtLargest:
    case ValueFunction::kWorstOf:
      return ValueOfMetric(criterion, evidence.suite);
    case ValueFunction::kCurve:
      return ValueOfCurve(criterion.value.arguments, evidence.suite);
    case ValueFunction::kStatic:
      return Argument(criterion) == "code_lines_per_operation"
                 ? CodeLinesPerOperation(challenge.rubric, evidence)
                 : StaticField(Argument(criterion), evidence.statics);
    case ValueFunction::kOwnTests:
      return ValueOfOwnTests(criterion.value.arguments, challenge, evidence);
    case ValueFunction::kAnswers:
      return Answers(Argument(criterion), challenge.spec, evidence.answers);
    case ValueFunction::kEntryPoints:
      return EntryPoints(criterion.value.arguments, challenge.rubric, evidence);
    case ValueFunction::kBuildsAsHandedIn:
      return BuildsAsHandedIn(evidence.repair);
    case ValueFunction::kSanitizerFindings:
      return SanitizerFindings(evidence);
    case ValueFunction::kDeviceFindings:
      return DeviceFindings(criterion, evidence.suite);
    case ValueFunction::kDistinctFailures:
      return DistinctFailures(evidence, diagnosis);
    case ValueFunction::kBenchRatio:
    case ValueFunction::kBenchShare:
      return ValueOfTimes(criterion, evidence.bench, evidence.suite);
    case ValueFunction::kClaims:
      return Claims(evidence.claims);
    case ValueFunction::kReview:
      return Review(criterion, challenge, evidence);
  }
  return NotMeasured("unknown function");
}

}  // namespace

double EarnedShare(const Criterion& criterion, const Rubric& rubric, const Evidence& evidence) {
  const std::optional<Work> work = WorkThatEarns(criterion, rubric, evidence);
  return work ? EarnedBy(*work) : 1;
}

CriterionValue Evaluate(const Criterion& criterion, const ChallengeView& challenge,
                        const Evidence& evidence) {
  return Evaluate(criterion, challenge, evidence,
                  criterion.value.function == ValueFunction::kDistinctFailures
                      ? DiagnoseCell(challenge, evidence)
                      : std::nullopt);
}

CriterionValue Evaluate(const Criterion& criterion, const ChallengeView& challenge,
                        const Evidence& evidence, const std::optional<Diagnosis>& diagnosis) {
  if (evidence.verdict == Verdict::kJudgeError || evidence.verdict == Verdict::kSkipped) {
    return NotMeasured(fmt::format("the cell is {}", ToString(evidence.verdict)));
  }
  if (criterion.value.function == ValueFunction::kReview) {
    return Review(criterion, challenge, evidence);
  }
  if (evidence.verdict == Verdict::kRejected) {
    return Failed("the submission is rejected");
  }
  if (criterion.kind == CriterionKind::kGpu && !OffersCuda(challenge.spec)) {
    return NotMeasured("the challenge takes no CUDA");
  }
  if (evidence.release.verdict != Verdict::kAccepted &&
      NeedsRunningCode(criterion.value.function)) {
    return Failed(fmt::format("does not build: {}", ToString(evidence.release.verdict)));
  }
  if (!OffersWhatItNeeds(criterion, evidence)) {
    return {.state = State::kNotMeasured,
            .note = "not implemented: " + Join(criterion.needs, ", "),
            .note_is = CriterionValue::Note::kNotImplemented};
  }
  if (auto none = WithoutCasesItNeeds(criterion, evidence.suite)) {
    return *std::move(none);
  }
  return Earn(criterion, challenge.rubric, evidence,
              EvaluateFunction(criterion, challenge, evidence, diagnosis));
}

}  // namespace assay
