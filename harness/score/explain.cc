// SPDX-License-Identifier: Apache-2.0
#include "score/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "evidence/derived.h"
#include "score/applicable_mutants.h"
#include "score/cost_once.h"
#include "score/format.h"
#include "score/launch_summary.h"
#include "score/value_parts.h"
#include "score/work.h"

namespace assay {
namespace {

using Lines = std::vector<EvidenceLine>;

/// What the rows of a cell are explained by.
struct Grounds {
  const ChallengeView& challenge;
  const Evidence& evidence;
  const CostOnce& cost;
};

/// The verdict, and why it was skipped: `skipped, refused`.
std::string BecameOf(const CaseEvidence& one) {
  return one.skip_cause ? fmt::format("{}, {}", ToString(one.verdict), ToString(*one.skip_cause))
                        : std::string(ToString(one.verdict));
}

/// What a failing case is like, in a few words; nothing when nobody knows.
std::string LikenessOf(const CaseEvidence& one, const Criterion& criterion,
                       const Grounds& grounds) {
  if (const ChargedBug* const bug = grounds.cost.ElsewhereCharged(criterion, one.name)) {
    return fmt::format("; explained by {}, which costs in {}: here as if refused", bug->mutants,
                       bug->home);
  }
  const std::optional<Diagnosis>& diagnosis = grounds.cost.diagnosis();
  const Match* const match = diagnosis ? FindMatch(*diagnosis, one.name) : nullptr;
  return match == nullptr ? "" : fmt::format("; fails like {}", MutantsOf(*match));
}

void AddCases(const Criterion& criterion, const Grounds& grounds, Lines& lines) {
  const bool leaves_out = criterion.value.function == ValueFunction::kRightRate;
  for (const CaseEvidence& one : grounds.evidence.suite.cases) {
    if (!IsAbout(criterion, one.tags) || one.verdict == Verdict::kAccepted ||
        (leaves_out && IsLeftOut(one))) {
      continue;
    }
    std::string says = BecameOf(one);
    if (!one.detail.empty()) {
      says += ": " + one.detail;
    }
    if (one.error_over_bound.has_value()) {
      says += fmt::format(" (error over bound {:.3g})", *one.error_over_bound);
    }
    if (one.reproduction.has_value()) {
      says += "; shortest calls that fail: " + *one.reproduction;
    }
    says += LikenessOf(one, criterion, grounds);
    lines.push_back({.thing = "case " + one.name, .says = std::move(says)});
  }
}

void AddDistinctFailures(const std::optional<Diagnosis>& diagnosis, Lines& lines) {
  if (!diagnosis) {
    return;
  }
  for (const Match& match : diagnosis->matches) {
    lines.push_back({.thing = "fails like " + MutantsOf(match),
                     .says = fmt::format(
                         "{}; for: {}; against: {}", GroundsOf(match), Join(match.cases_for, ", "),
                         match.cases_against.empty() ? "none" : Join(match.cases_against, ", "))});
  }
  if (!diagnosis->unexplained.empty()) {
    lines.push_back(
        {.thing = "fails like no known bug", .says = Join(diagnosis->unexplained, ", ")});
  }
}

void AddMetric(const std::string& name, const SuiteEvidence& suite, CriterionValue::State state,
               Lines& lines) {
  const auto found = suite.metrics.find(name);
  lines.push_back({.thing = "metric " + name,
                   .says = found == suite.metrics.end() ? "not written"
                                                        : fmt::format("{:.6g}", found->second)});
  if (state != CriterionValue::State::kFailed) {
    return;
  }
  // A case that would have written it was skipped; the suite does not say which of these.
  for (const CaseEvidence& one : suite.cases) {
    if (one.verdict == Verdict::kSkipped) {
      lines.push_back({.thing = "case " + one.name, .says = BecameOf(one) + ": " + one.detail});
    }
  }
}

/// `unit` is what the curve's x counts; empty where the rubric does not say.
void AddCurve(const std::string& name, std::string_view unit, const SuiteEvidence& suite,
              Lines& lines) {
  const auto found = suite.curves.find(name);
  if (found == suite.curves.end()) {
    lines.push_back({.thing = "curve " + name, .says = "not written"});
    return;
  }
  for (const auto& [x, y] : found->second) {
    lines.push_back(
        {.thing = fmt::format("curve {} at {:.15g}{}{}", name, x, unit.empty() ? "" : " ", unit),
         .says = fmt::format("{:.6g}", y)});
  }
}

/// The launches that counters were kept of; of the operations in `of`, where there are any.
void AddLaunches(const std::vector<std::string>& of, const SuiteEvidence& suite, Lines& lines) {
  for (const LaunchEvidence& launch : suite.launches) {
    const bool meant = of.empty() || !launch.operation || Contains(of, *launch.operation);
    if (meant) {
      lines.push_back({.thing = "launch " + launch.label,
                       .says = fmt::format("{}: {}", launch.kernel, DescribeLaunch(launch))});
    }
  }
}

void AddDeviceFindings(const Criterion& criterion, const SuiteEvidence& suite, Lines& lines) {
  const std::vector<std::string>& of = criterion.value.arguments;
  for (const DeviceFinding& finding : suite.device_findings) {
    if (of.empty() || finding.checker == of.front()) {
      lines.push_back({.thing = "device finding", .says = ToString(finding)});
    }
  }
}

/// How many bugs of each home are killed: "edge cases covered by its own tests" is one of these.
void AddHomes(const std::set<std::string>& applicable, const Grounds& grounds, Lines& lines) {
  const std::vector<std::string>& killed = grounds.evidence.own_tests.mutants_killed;
  for (const Criterion& home : grounds.challenge.rubric.criteria) {
    std::size_t of_home = 0;
    std::size_t killed_of_home = 0;
    for (const std::string& mutant : applicable) {
      const auto found = grounds.challenge.homes.find(mutant);
      if (found != grounds.challenge.homes.end() && found->second == home.id) {
        ++of_home;
        killed_of_home += Contains(killed, mutant) ? 1U : 0U;
      }
    }
    if (of_home > 0) {
      lines.push_back(
          {.thing = "mutants of " + home.title,
           .says = fmt::format("{} of {} that apply are killed", killed_of_home, of_home)});
    }
  }
}

/// All mutants; those of one home, where the row is of that.
void AddMutants(const Criterion& criterion, const Grounds& grounds, Lines& lines) {
  const OwnTestsEvidence& tests = grounds.evidence.own_tests;
  const std::set<std::string> applicable = ApplicableMutants(grounds.challenge, grounds.evidence);
  const std::vector<std::string>& arguments = criterion.value.arguments;
  if (arguments.size() == 1) {
    AddHomes(applicable, grounds, lines);
  }
  const auto add = [&](const std::string& mutant, std::string_view says) {
    const auto home = grounds.challenge.homes.find(mutant);
    if (arguments.size() > 1 &&
        (home == grounds.challenge.homes.end() || home->second != arguments[1])) {
      return;
    }
    lines.push_back(
        {.thing = "mutant " + mutant,
         .says = fmt::format(
             "{}{}", says,
             applicable.contains(mutant) ? "" : "; a bug in what the submission leaves out")});
  };
  for (const std::string& mutant : tests.mutants_survived) {
    add(mutant, "survives the submission's own tests");
  }
  for (const std::string& mutant : tests.mutants_killed) {
    add(mutant, "killed");
  }
}

void AddOwnTests(const Criterion& criterion, const Grounds& grounds, Lines& lines) {
  const std::string_view field = criterion.value.arguments.front();
  const OwnTestsEvidence& tests = grounds.evidence.own_tests;
  if (field.starts_with("benchmarks")) {
    lines.push_back(
        {.thing = "own benchmarks",
         .says = fmt::format("programs with {} of {} declared configurations run, and call the "
                             "interface with as many sizes; not scored",
                             tests.benchmarks_running, tests.benchmarks_shipped)});
  } else {
    lines.push_back(
        {.thing = "own tests",
         .says = fmt::format("{} shipped, {} pass on itself, {} on the baseline", tests.shipped,
                             tests.passing_on_itself, tests.passing_on_baseline)});
  }
  if (!tests.detail.empty()) {
    lines.push_back({.thing = "own tests", .says = tests.detail});
  }
  if (field.starts_with("mutants_killed")) {
    AddMutants(criterion, grounds, lines);
  }
}

void AddAnswers(std::string_view group, const ChallengeSpec& challenge,
                const std::vector<AnswerEvidence>& answers, Lines& lines) {
  for (const Question& question : challenge.questions) {
    if (group != "all" && question.group != group) {
      continue;
    }
    const auto found =
        std::find_if(answers.begin(), answers.end(),
                     [&](const AnswerEvidence& answer) { return answer.question == question.id; });
    if (found == answers.end() || found->answered.empty()) {
      lines.push_back({.thing = "question " + question.id, .says = "not answered"});
    } else if (!found->right) {
      lines.push_back(
          {.thing = "question " + question.id,
           .says = fmt::format("answered {}, right is {}", found->answered, found->expected)});
    }
  }
}

void AddEntryPoints(const std::vector<std::string>& wanted, const Rubric& rubric,
                    const Evidence& evidence, Lines& lines) {
  for (const std::string& name : wanted) {
    const bool offered = std::find(evidence.entry_points.begin(), evidence.entry_points.end(),
                                   name) != evidence.entry_points.end();
    if (!offered) {
      lines.push_back({.thing = "entry point " + name, .says = "not offered"});
    } else if (!IsSeenToWork(name, rubric, evidence)) {
      lines.push_back({.thing = "entry point " + name, .says = "offered, and not seen to work"});
    }
  }
}

void AddRepair(const std::optional<Repair>& repair, Lines& lines) {
  if (repair) {
    lines.push_back({.thing = repair->patch, .says = repair->reason});
  }
}

void AddWorkloads(const Criterion& criterion, const BenchEvidence& bench, Lines& lines) {
  std::string_view prefix = criterion.value.arguments.empty()
                                ? std::string_view()
                                : std::string_view(criterion.value.arguments.front());
  if (prefix.ends_with('*')) {
    prefix.remove_suffix(1);
  }
  for (const WorkloadEvidence& one : bench.workloads) {
    if (!one.name.starts_with(prefix)) {
      continue;
    }
    lines.push_back(
        {.thing = "workload " + one.name,
         .says = one.verdict == Verdict::kAccepted
                     ? fmt::format("{:.3f}x the baseline's time [{:.3f}, {:.3f}], {:.1f} % of the "
                                   "bandwidth, {} blocks of pairs{}",
                                   one.ratio, one.ratio_low, one.ratio_high,
                                   one.share_of_bandwidth * 100, one.blocks.size(),
                                   bench.runs ? fmt::format(" in {} runs", bench.runs->size()) : "")
                     : fmt::format("{}: {}", ToString(one.verdict), one.detail)});
  }
}

void AddClaims(const std::vector<ClaimEvidence>& claims, Lines& lines) {
  for (const ClaimEvidence& claim : claims) {
    lines.push_back(
        {.thing = "claim " + claim.claim,
         .says = fmt::format("claims {:.6g}, measured {}: {}", claim.claimed,
                             claim.measured ? fmt::format("{:.6g}", *claim.measured) : "nothing",
                             claim.holds ? "holds" : "does not hold")});
  }
}

void AddBuild(std::string_view build, const BuildEvidence& evidence, Lines& lines) {
  const std::vector<std::string> diagnostics = SplitLines(evidence.diagnostics);
  lines.push_back({.thing = fmt::format("{} build", build),
                   .says = fmt::format("{}{}", ToString(evidence.verdict),
                                       diagnostics.empty() ? "" : ": " + diagnostics.front())});
}

void AddSanitizerFindings(const Evidence& evidence, Lines& lines) {
  if (evidence.sanitized.verdict != Verdict::kAccepted) {
    AddBuild("sanitized", evidence.sanitized, lines);
  }
  for (const std::string& finding : evidence.sanitizer_findings) {
    lines.push_back({.thing = "sanitizer finding", .says = finding});
  }
}

void AddReviews(const std::string& criterion, const std::string& model, const Reviews& reviews,
                Lines& lines) {
  for (const ReviewRecord& review : reviews) {
    const auto mark = std::ranges::find(review.marks, criterion, &ReviewMark::criterion);
    if (review.model != model || mark == review.marks.end()) {
      continue;
    }
    const std::string standing = review.standing == ReviewStanding::kCounts
                                     ? ""
                                     : fmt::format(" [{}]", ToString(review.standing));
    lines.push_back({.thing = "review of " + review.reviewer,
                     .says = fmt::format("{} of {} ({}){}: {}", mark->mark, kHighestMark,
                                         Join(mark->places, ", "), standing, mark->reason)});
  }
}

Lines LinesBehind(const Criterion& criterion, const CriterionValue& value, const Grounds& grounds) {
  const Evidence& evidence = grounds.evidence;
  Lines lines;
  if (value.state == CriterionValue::State::kFailed &&
      evidence.release.verdict != Verdict::kAccepted) {
    AddBuild("release", evidence.release, lines);
    return lines;
  }
  switch (criterion.value.function) {
    case ValueFunction::kPassRate:
    case ValueFunction::kRightRate:
      AddCases(criterion, grounds, lines);
      break;
    case ValueFunction::kMetric:
      for (const std::string& name : criterion.value.arguments) {
        AddMetric(name, evidence.suite, value.state, lines);
      }
      if (criterion.kind == CriterionKind::kGpu) {
        AddLaunches(criterion.needs, evidence.suite, lines);
      }
      break;
    case ValueFunction::kAtLargest:
    case ValueFunction::kWorstOf:
      AddCurve(criterion.value.arguments[0], criterion.value.arguments[1], evidence.suite, lines);
      AddLaunches(criterion.needs, evidence.suite, lines);
      break;
    case ValueFunction::kCurve:
      AddCurve(criterion.value.arguments.front(), "", evidence.suite, lines);
      break;
    case ValueFunction::kStatic:
      for (const std::string& field : criterion.value.arguments) {
        lines.push_back({.thing = "static " + field, .says = FormatValue(criterion, value)});
      }
      break;
    case ValueFunction::kOwnTests:
      AddOwnTests(criterion, grounds, lines);
      break;
    case ValueFunction::kAnswers:
      for (const std::string& group : criterion.value.arguments) {
        AddAnswers(group, grounds.challenge.spec, evidence.answers, lines);
      }
      break;
    case ValueFunction::kEntryPoints:
      AddEntryPoints(criterion.value.arguments, grounds.challenge.rubric, evidence, lines);
      break;
    case ValueFunction::kBuildsAsHandedIn:
      AddRepair(evidence.repair, lines);
      break;
    case ValueFunction::kSanitizerFindings:
      AddSanitizerFindings(evidence, lines);
      break;
    case ValueFunction::kDeviceFindings:
      AddDeviceFindings(criterion, evidence.suite, lines);
      break;
    case ValueFunction::kDistinctFailures:
      AddDistinctFailures(grounds.cost.diagnosis(), lines);
      AddSanitizerFindings(evidence, lines);
      break;
    case ValueFunction::kBenchRatio:
    case ValueFunction::kBenchShare:
      AddWorkloads(criterion, evidence.bench, lines);
      break;
    case ValueFunction::kClaims:
      AddClaims(evidence.claims, lines);
      break;
    case ValueFunction::kReview:
      AddReviews(criterion.id, evidence.model, grounds.challenge.reviews, lines);
      break;
  }
  return lines;
}

}  // namespace

CellExplanation Explain(const ChallengeView& challenge, const Evidence& evidence, Scorecard card) {
  const CostOnce cost(challenge, evidence, card.diagnosis);
  const Grounds grounds{.challenge = challenge, .evidence = evidence, .cost = cost};
  CellExplanation explanation{.card = std::move(card), .criteria = {}};
  for (std::size_t i = 0; i < challenge.rubric.criteria.size(); ++i) {
    const CriterionScore& score = explanation.card.criteria[i];
    explanation.criteria.push_back(
        {.score = score, .lines = LinesBehind(challenge.rubric.criteria[i], score.value, grounds)});
  }
  return explanation;
}

}  // namespace assay
