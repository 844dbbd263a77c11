// SPDX-License-Identifier: Apache-2.0
#include "grade/suite_processes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <map>
#include <mutex>
#include <span>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "process/processors.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using Curve = std::vector<std::pair<double, double>>;

/// One sink for two processes: counts what both have done. CaseDone is called from two threads.
class SharedProgress {
 public:
  explicit SharedProgress(ProgressSink& sink) : sink_(sink) {}

  void CaseDone(std::size_t process, int done, int total, std::string_view name) {
    const std::lock_guard lock(mutex_);
    done_.at(process) = done;
    total_.at(process) = total;
    sink_.CaseDone(done_[0] + done_[1], total_[0] + total_[1], name);
  }

 private:
  std::mutex mutex_;
  ProgressSink& sink_;
  std::array<int, 2> done_ = {};
  std::array<int, 2> total_ = {};
};

class ProgressOfOne : public ProgressSink {
 public:
  ProgressOfOne(SharedProgress& shared, std::size_t process) : shared_(shared), process_(process) {}
  void PhaseStarted(GradePhase /*phase*/) override {}
  void CaseDone(int done, int total, std::string_view name) override {
    shared_.CaseDone(process_, done, total, name);
  }

 private:
  SharedProgress& shared_;
  std::size_t process_;
};

/// As a filter of GoogleTest: `Edge` is `Edge.NanInX` and `Edge/f32.NanInX`.
std::string Pattern(const std::vector<std::string>& groups) {
  std::string pattern;
  for (const std::string& group : groups) {
    pattern += fmt::format("{}{}.*:{}/*", pattern.empty() ? "" : ":", group, group);
  }
  return pattern;
}

bool IsOfGroup(const CaseEvidence& one, std::string_view group) {
  return one.name.starts_with(group) &&
         std::string_view(one.name).substr(group.size()).find_first_of("./") == 0;
}

/// A group that was renamed would move to the first process, and nobody would see why it takes so
/// long.
Status CheckGroups(const std::vector<std::string>& groups, const std::vector<CaseEvidence>& cases,
                   const fs::path& suite) {
  for (const std::string& group : groups) {
    if (std::ranges::none_of(cases, [&](const auto& one) { return IsOfGroup(one, group); })) {
      return std::unexpected(
          Error{.kind = ErrorKind::kJudge,
                .where = suite.string(),
                .cause = fmt::format(
                    "the suite has no case of \"{}\", which second_process in challenge.yaml names",
                    group),
                .remedy = "write what stands before the first / or . of a case's name"});
    }
  }
  return {};
}

template <class T>
void AddMissing(std::vector<T>& kept, std::vector<T> further) {
  for (T& one : further) {
    if (std::ranges::find(kept, one) == kept.end()) {
      kept.push_back(std::move(one));
    }
  }
}

void JoinMetrics(RunResults& first, const RunResults& second) {
  for (const auto& [name, value] : second.suite.metrics) {
    const auto [at, is_new] = first.suite.metrics.try_emplace(name, value);
    const auto rule = second.metric_rules.find(name);
    if (!is_new && rule != second.metric_rules.end() && rule->second != MetricRule::kLast) {
      at->second = Combined(rule->second, at->second, value);
    }
  }
  first.metric_rules.insert(second.metric_rules.begin(), second.metric_rules.end());
}

/// All in the order of their places.
void JoinCases(RunResults& first, std::vector<CaseEvidence> cases, const std::vector<int>& places) {
  std::map<int, CaseEvidence> by_place;
  const auto add = [&](std::vector<CaseEvidence>& some, const std::vector<int>& their_places) {
    for (std::size_t i = 0; i < some.size(); ++i) {
      by_place.emplace(their_places.at(i), std::move(some[i]));
    }
  };
  add(first.suite.cases, first.places);
  add(cases, places);
  first.suite.cases.clear();
  first.places.clear();
  for (auto& [place, one] : by_place) {
    first.places.push_back(place);
    first.suite.cases.push_back(std::move(one));
  }
}

Curve JoinedCurve(const Curve& a, const Curve& b) {
  std::map<double, double> points;
  for (const Curve* const curve : {&a, &b}) {
    for (const auto& [x, y] : *curve) {
      const auto [at, is_new] = points.try_emplace(x, y);
      at->second = std::max(at->second, y);
    }
  }
  return {points.begin(), points.end()};
}

Result<RunResults> RunOne(SuiteRun run, std::string filter, std::span<const int> processors,
                          const fs::path& scratch, ProgressSink& progress) {
  std::error_code failure;
  fs::create_directories(scratch, failure);
  if (failure) {
    return std::unexpected(SystemError(scratch.string(), failure.value()));
  }
  run.arguments.push_back("--gtest_filter=" + std::move(filter));
  run.arguments.push_back(fmt::format("--assay_processors={}", fmt::join(processors, ",")));
  ASSAY_ASSIGN_OR_RETURN(RunResults results, RunSuite(run, scratch, progress));
  if (results.places.size() != results.suite.cases.size()) {
    return std::unexpected(Error{.kind = ErrorKind::kJudge,
                                 .where = run.program.string(),
                                 .cause = "its results do not say the place of each case",
                                 .remedy = "build it again; if it stays, it is a bug of Assay"});
  }
  return results;
}

}  // namespace

RunResults Joined(RunResults first, RunResults second) {
  JoinMetrics(first, second);
  for (auto& [name, curve] : second.suite.curves) {
    const auto [at, is_new] = first.suite.curves.try_emplace(name, curve);
    if (!is_new) {
      at->second = JoinedCurve(at->second, curve);
    }
  }
  JoinCases(first, std::move(second.suite.cases), second.places);
  std::ranges::move(second.suite.launches, std::back_inserter(first.suite.launches));
  AddMissing(first.suite.device_findings, std::move(second.suite.device_findings));
  AddMissing(first.suite.device_lacks, std::move(second.suite.device_lacks));
  AddMissing(first.sanitizer_findings, std::move(second.sanitizer_findings));
  if (first.entry_points.empty()) {
    first.entry_points = std::move(second.entry_points);
  }
  first.questions.merge(second.questions);
  return first;
}

Result<RunResults> RunSuiteInProcesses(const SuiteRun& run,
                                       const std::vector<std::string>& second_process,
                                       const fs::path& scratch, ProgressSink& progress) {
  if (second_process.empty()) {
    return RunSuite(run, scratch, progress);
  }
  const std::vector<int> usable = UsableProcessors();
  const std::span processors(usable);
  const std::size_t of_second = usable.size() / 2;
  const std::string pattern = Pattern(second_process);
  SharedProgress shared(progress);
  ProgressOfOne progress_of_first(shared, 0);
  ProgressOfOne progress_of_second(shared, 1);
  const auto run_second = [&] {
    return RunOne(run, pattern, of_second == 0 ? processors : processors.first(of_second),
                  scratch / "second_process", progress_of_second);
  };
  Result<RunResults> second = RunResults();
  std::thread beside;
  if (of_second > 0) {
    beside = std::thread([&] { second = run_second(); });
  }
  Result<RunResults> first = RunOne(run, "-" + pattern, processors.subspan(of_second),
                                    scratch / "first_process", progress_of_first);
  if (beside.joinable()) {
    beside.join();
  } else {
    second = run_second();
  }
  if (!first || !second) {
    return first ? second : first;
  }
  ASSAY_RETURN_IF_ERROR(CheckGroups(second_process, second->suite.cases, run.program));
  return Joined(*std::move(first), *std::move(second));
}

}  // namespace assay
