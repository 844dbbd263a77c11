// SPDX-License-Identifier: Apache-2.0
#include "evidence/consistency.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

#include "evidence/cell_verdict.h"
#include "evidence/derived.h"
#include "evidence/statistics.h"

namespace assay {
namespace {

/// Equal as computed by two C libraries.
bool Same(double a, double b) {
  constexpr double kRounding = 1e-9;
  return a == b || (std::isnan(a) && std::isnan(b)) ||
         std::fabs(a - b) <= kRounding * std::max(std::fabs(a), std::fabs(b));
}

std::string YesOrNo(bool value) { return value ? "true" : "false"; }

/// Goes through evidence and keeps the first contradiction.
class Reader {
 public:
  std::optional<Contradiction> Read(const Evidence& evidence) {
    ReadSuite("suite", evidence.suite, evidence.entry_points);
    ReadSuite("sanitized_suite", evidence.sanitized_suite, evidence.entry_points);
    ReadBench(evidence.bench);
    ReadBuilds(evidence);
    ReadStatics(evidence);
    ReadOwnTests(evidence.own_tests);
    ReadAnswers(evidence.answers);
    ReadClaims(evidence);
    ReadVerdict(evidence);
    return std::move(found_);
  }

 private:
  void Expect(bool holds, std::string field, std::string says, std::string follows) {
    if (!holds && !found_) {
      found_ = {.field = std::move(field), .says = std::move(says), .follows = std::move(follows)};
    }
  }

  void ExpectNumber(std::string field, double says, double follows, std::string_view from) {
    Expect(Same(says, follows), std::move(field), fmt::format("{}", says),
           fmt::format("{}, from {}", follows, from));
  }

  void ReadSuite(std::string_view name, const SuiteEvidence& suite,
                 const std::vector<std::string>& entry_points) {
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < suite.cases.size() && !found_; ++i) {
      const std::string field = fmt::format("{}.cases[{}]", name, i);
      ReadCase(field, suite.cases[i]);
      Expect(names.insert(suite.cases[i].name).second, field + ".name", suite.cases[i].name,
             "another name, since a case before it has this one");
      for (const std::string& operation : suite.cases[i].answered) {
        Expect(std::ranges::find(entry_points, operation) != entry_points.end(),
               field + ".answered", operation, "an entry point that the host offers");
      }
    }
  }

  void ReadCase(const std::string& field, const CaseEvidence& one) {
    const std::string verdict(ToString(one.verdict));
    if (one.skip_cause) {
      Expect(one.verdict == Verdict::kSkipped && !one.given_up, field + ".skip_cause",
             std::string(ToString(*one.skip_cause)),
             fmt::format("none, since {} is {}", one.name,
                         one.given_up ? "given up" : ToString(one.verdict)));
    }
    const bool names_a_place = one.failing_operation || one.failing_output;
    Expect(
        !names_a_place || (one.verdict != Verdict::kAccepted && one.verdict != Verdict::kSkipped),
        field + ".verdict", verdict,
        fmt::format("a failure of {}, from the place where it failed", one.name));
    if (one.verdict != Verdict::kAccepted) {
      Expect(!one.detail.empty(), field + ".verdict", verdict,
             fmt::format("accepted, since {} has no detail of a failure", one.name));
      return;
    }
    Expect(one.detail.empty(), field + ".verdict", verdict,
           fmt::format("a failure of {}, from its detail \"{}\"", one.name, one.detail));
    Expect(!one.given_up, field + ".verdict", verdict,
           fmt::format("a failure of {}, since it was given up", one.name));
    Expect(!one.reproduction, field + ".verdict", verdict,
           fmt::format("a failure of {}, from its reproduction", one.name));
    const double error = one.error_over_bound.value_or(0);
    Expect(error <= 1, field + ".verdict", verdict,
           fmt::format("wrong_answer in {}, from its error of {:.3g} times the bound", one.name,
                       error));
  }

  void ReadBench(const BenchEvidence& bench) {
    if (const double mean = bench.runs ? MeanBandwidth(*bench.runs) : 0; mean > 0) {
      ExpectNumber("bench.bandwidth_bytes_per_second", bench.bandwidth_bytes_per_second, mean,
                   "the runs");
    }
    const TimeEstimates estimates = EstimateTimes(bench);
    ReadWorkloads("bench.workloads", bench.workloads, estimates.workloads, bench.runs);
    ReadWorkloads("bench.controls", bench.controls, estimates.controls, bench.runs);
    for (std::size_t i = 0; bench.runs && i < bench.runs->size() && !found_; ++i) {
      ReadRun(fmt::format("bench.runs[{}]", i), static_cast<int>(i), bench);
    }
  }

  void ReadRun(const std::string& field, int run, const BenchEvidence& bench) {
    const BenchRunEvidence& one = bench.runs->at(static_cast<std::size_t>(run));
    ExpectNumber(field + ".blocks", one.blocks, CountBlocks(bench.workloads, run), "the workloads");
    ExpectNumber(field + ".control_blocks", one.control_blocks, CountBlocks(bench.controls, run),
                 "the controls");
    ExpectNumber(field + ".control_scatter", one.control_scatter, ControlScatter(bench, run),
                 "the controls");
  }

  void ReadWorkloads(std::string_view name, const std::vector<WorkloadEvidence>& workloads,
                     const std::vector<TimeEstimate>& estimates,
                     const std::optional<std::vector<BenchRunEvidence>>& runs) {
    for (std::size_t i = 0; i < workloads.size() && !found_; ++i) {
      const std::string field = fmt::format("{}[{}]", name, i);
      ReadWorkload(field, workloads[i], estimates[i]);
      for (const TimeBlock& block : workloads[i].blocks) {
        const int last = runs ? static_cast<int>(runs->size()) - 1 : -1;
        const int run = block.run.value_or(-1);
        Expect(runs ? run >= 0 && run <= last : !block.run, field + ".blocks",
               fmt::format("a block of run {}", run),
               fmt::format("one of a run up to {}, from the runs", last));
      }
    }
  }

  /// Each workload is reached: what was not timed, and did not fail, was declined.
  void ReadRefusal(const std::string& field, const WorkloadEvidence& one) {
    Expect(
        one.refused == (one.verdict == Verdict::kSkipped), field + ".refused", YesOrNo(one.refused),
        fmt::format("{}, since {} is {}", YesOrNo(!one.refused), one.name, ToString(one.verdict)));
  }

  void ReadWorkload(const std::string& field, const WorkloadEvidence& one,
                    const TimeEstimate& follows) {
    const std::string verdict(ToString(one.verdict));
    Expect(!one.skip_cause || one.verdict == Verdict::kSkipped, field + ".skip_cause",
           std::string(one.skip_cause ? ToString(*one.skip_cause) : ""),
           fmt::format("none, since {} is {}", one.name, verdict));
    if (one.verdict != Verdict::kAccepted) {
      Expect(!one.detail.empty() && one.blocks.empty(), field + ".verdict", verdict,
             fmt::format("accepted, since {} was timed", one.name));
      ReadRefusal(field, one);
      return;
    }
    Expect(one.detail.empty(), field + ".verdict", verdict,
           fmt::format("a failure of {}, from its detail \"{}\"", one.name, one.detail));
    ReadRefusal(field, one);
    constexpr std::string_view kBlocks = "its blocks";
    constexpr std::string_view kShare = "its blocks, least_bytes and the bandwidths";
    ExpectNumber(field + ".ratio", one.ratio, follows.ratio.ratio, kBlocks);
    ExpectNumber(field + ".ratio_low", one.ratio_low, follows.ratio.low, kBlocks);
    ExpectNumber(field + ".ratio_high", one.ratio_high, follows.ratio.high, kBlocks);
    ExpectNumber(field + ".share_of_bandwidth", one.share_of_bandwidth, follows.share.ratio,
                 kShare);
    ExpectNumber(field + ".share_low", one.share_low.value_or(follows.share.low), follows.share.low,
                 kShare);
    ExpectNumber(field + ".share_high", one.share_high.value_or(follows.share.high),
                 follows.share.high, kShare);
  }

  /// What did not build did not run.
  void ReadBuilds(const Evidence& evidence) {
    const bool ran = !evidence.suite.cases.empty() || !evidence.bench.workloads.empty() ||
                     !evidence.entry_points.empty() || !evidence.claims.empty();
    Expect(!ran || evidence.release.verdict == Verdict::kAccepted, "release.verdict",
           std::string(ToString(evidence.release.verdict)), "accepted, since the build was run");
    const bool ran_sanitized =
        !evidence.sanitized_suite.cases.empty() || !evidence.sanitizer_findings.empty();
    Expect(!ran_sanitized || evidence.sanitized.verdict == Verdict::kAccepted, "sanitized.verdict",
           std::string(ToString(evidence.sanitized.verdict)), "accepted, since the build was run");
  }

  void ReadStatics(const Evidence& evidence) {
    const StaticEvidence& statics = evidence.statics;
    const std::optional<int> lines =
        statics.source_code_lines ? statics.source_code_lines : statics.code_lines;
    if (lines && statics.warnings_per_1000_lines) {
      ExpectNumber("statics.warnings_per_1000_lines", *statics.warnings_per_1000_lines,
                   WarningsPer1000Lines(evidence.release.warnings, *lines),
                   "release.warnings and source_code_lines");
    }
  }

  void ReadOwnTests(const OwnTestsEvidence& tests) {
    const auto at_most = [this](std::string field, int part, int whole) {
      Expect(part >= 0 && part <= whole, std::move(field), fmt::format("{}", part),
             fmt::format("at most {}, from the number that it ships", whole));
    };
    at_most("own_tests.passing_on_itself", tests.passing_on_itself, tests.shipped);
    at_most("own_tests.passing_on_baseline", tests.passing_on_baseline, tests.shipped);
    at_most("own_tests.benchmarks_running", tests.benchmarks_running, tests.benchmarks_shipped);
    Expect(tests.mutants_killed.empty() || tests.passing_on_baseline > 0,
           "own_tests.mutants_killed", fmt::format("{} mutants", tests.mutants_killed.size()),
           "none, since no test passes on the baseline");
    for (const std::string& mutant : tests.mutants_killed) {
      Expect(std::ranges::count(tests.mutants_killed, mutant) == 1 &&
                 std::ranges::count(tests.mutants_survived, mutant) == 0,
             "own_tests.mutants_killed", mutant, "that it is named once, killed or survived");
    }
  }

  void ReadAnswers(const std::vector<AnswerEvidence>& answers) {
    std::set<std::string_view> questions;
    for (std::size_t i = 0; i < answers.size() && !found_; ++i) {
      const AnswerEvidence& answer = answers[i];
      const std::string field = fmt::format("answers[{}]", i);
      Expect(questions.insert(answer.question).second, field + ".question", answer.question,
             "another question, since one before it is this");
      // How far a number may be off is the suite's; a word is right or not.
      const bool could_be_right = NumberOf(answer.expected)
                                      ? NumberOf(answer.answered).has_value()
                                      : SameWords(answer.answered, answer.expected);
      const bool must_be_right = !NumberOf(answer.expected) && could_be_right;
      Expect(answer.right ? could_be_right : !must_be_right, field + ".right",
             YesOrNo(answer.right),
             fmt::format("{}, from \"{}\" answered where \"{}\" is right", YesOrNo(must_be_right),
                         answer.answered, answer.expected));
    }
  }

  void ReadClaims(const Evidence& evidence) {
    for (std::size_t i = 0; i < evidence.claims.size() && !found_; ++i) {
      const ClaimEvidence& claim = evidence.claims[i];
      const std::string field = fmt::format("claims[{}]", i);
      const bool is_metric =
          !claim.measured || std::ranges::any_of(evidence.suite.metrics, [&](const auto& metric) {
            return Same(metric.second, *claim.measured);
          });
      Expect(is_metric, field + ".measured", fmt::format("{}", claim.measured.value_or(0)),
             "another number, since no metric of the suite has this one");
      const bool holds = ClaimHolds(claim.claimed, claim.measured);
      Expect(claim.holds == holds, field + ".holds", YesOrNo(claim.holds),
             fmt::format("{}, from claimed and measured", YesOrNo(holds)));
    }
  }

  void ReadVerdict(const Evidence& evidence) {
    if (evidence.verdict == Verdict::kJudgeError) {
      return;  // Has no score and never holds; what was measured is kept beside it.
    }
    const CellVerdict follows = DecideVerdict(evidence);
    Expect(evidence.verdict == follows.verdict, "verdict", std::string(ToString(evidence.verdict)),
           fmt::format("{}{}{}", ToString(follows.verdict), follows.detail.empty() ? "" : ", from ",
                       follows.detail));
    Expect(evidence.verdict_detail == follows.detail, "verdict_detail",
           fmt::format("\"{}\"", evidence.verdict_detail), fmt::format("\"{}\"", follows.detail));
  }

  std::optional<Contradiction> found_;
};

bool SameJudge(const Digests& a, const Digests& b) {
  return a.challenge == b.challenge && a.reference == b.reference && a.harness == b.harness;
}

std::optional<Contradiction> CompareCases(std::string_view name, const SuiteEvidence& suite,
                                          const SuiteEvidence& other, std::string_view model) {
  if (suite.cases.empty() || other.cases.empty()) {
    return std::nullopt;
  }
  if (suite.cases.size() != other.cases.size()) {
    return Contradiction{.field = fmt::format("{}.cases", name),
                         .says = fmt::format("{} cases", suite.cases.size()),
                         .follows = fmt::format("{}, from {}", other.cases.size(), model)};
  }
  for (std::size_t i = 0; i < suite.cases.size(); ++i) {
    const CaseEvidence& one = suite.cases[i];
    const CaseEvidence& same = other.cases[i];
    const std::string field = fmt::format("{}.cases[{}]", name, i);
    if (one.name != same.name) {
      return Contradiction{.field = field + ".name",
                           .says = one.name,
                           .follows = fmt::format("{}, from {}", same.name, model)};
    }
    if (one.tags != same.tags) {
      return Contradiction{
          .field = field + ".tags",
          .says = fmt::format("{}", fmt::join(one.tags, " ")),
          .follows = fmt::format("{}, from {} in {}", fmt::join(same.tags, " "), one.name, model)};
    }
    if (one.gates != same.gates) {
      return Contradiction{
          .field = field + ".gates",
          .says = YesOrNo(one.gates),
          .follows = fmt::format("{}, from {} in {}", YesOrNo(same.gates), one.name, model)};
    }
  }
  return std::nullopt;
}

}  // namespace

std::string ToString(const Contradiction& contradiction) {
  return fmt::format("{} says {}; what follows is {}", contradiction.field, contradiction.says,
                     contradiction.follows);
}

std::optional<Contradiction> FindContradiction(const Evidence& evidence) {
  return Reader().Read(evidence);
}

std::optional<Contradiction> FindContradiction(const Evidence& evidence, const Evidence& other) {
  if (!SameJudge(evidence.digests, other.digests)) {
    return std::nullopt;
  }
  if (auto found = CompareCases("suite", evidence.suite, other.suite, other.model)) {
    return found;
  }
  return CompareCases("sanitized_suite", evidence.sanitized_suite, other.sanitized_suite,
                      other.model);
}

}  // namespace assay
