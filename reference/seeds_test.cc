// SPDX-License-Identifier: Apache-2.0
// The baseline against its oracle with many seeds: a baseline that is wrong once in a thousand rows
// fails right submissions, and a fresh clone's first test run.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "chosen_cases.h"
#include "exec/mutant_runs.h"
#include "reference_test_support.h"
#include "score/diagnosis.h"

namespace assay {
namespace {

/// Runs whose results are held at once.
constexpr std::uint64_t kTogether = 64;

class Seeds : public testing::Test {
 protected:
  /// `seed` is run with `cases`; with all where there are none.
  [[nodiscard]] HostRun RunOf(std::uint64_t seed, const std::vector<std::string>& cases) const {
    return {.name = fmt::format("baseline_{}", seed),
            .host = reference_.installation.BaselineHost(reference_.challenge),
            .seed = seed,
            .arguments = ArgumentsFor(cases)};
  }

  /// Says of each case that fails what to keep of it, and counts those that ran.
  std::vector<SuiteEvidence> RunAll(const std::vector<HostRun>& runs) {
    const auto results = RunHosts({.challenge = reference_.challenge,
                                   .limits = ChallengeUnderTest(reference_).limits,
                                   .installation = reference_.installation,
                                   .level = LevelUnderTest(),
                                   .temporary_root = reference_.TemporaryRoot(),
                                   .runs = runs},
                                  [](std::size_t) {});
    std::vector<SuiteEvidence> suites;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (!results[i]) {
        ADD_FAILURE() << runs[i].seed << " baseline: " << ToString(results[i].error());
        continue;
      }
      for (const CaseEvidence& one : results[i]->cases) {
        ++cases_run_;
        if (IsGatingFailure(one)) {
          ADD_FAILURE() << runs[i].seed << " baseline " << one.name
                        << "   # for kept_seeds: " << one.detail;
        }
      }
      suites.push_back(*results[i]);
    }
    return suites;
  }

  ReferenceUnderTest reference_ = Reference();
  std::uint64_t cases_run_ = 0;
};

TEST_F(Seeds, BaselineIsRightWithMany) {
  const std::uint64_t seeds = SeedCountUnderTest();
  if (seeds == 0) {
    GTEST_SKIP() << "scripts/test --all runs it, or ASSAY_TEST_SEEDS=<how many>";
  }
  const auto start = std::chrono::steady_clock::now();
  const std::uint64_t first = SeedUnderTest();
  const std::vector<SuiteEvidence> timed = RunAll({RunOf(first, {})});
  if (HasFailure()) {
    return;
  }
  std::vector<std::pair<std::uint64_t, std::string>> cases;  // With how many seeds, and which.
  for (const CaseEvidence& one : timed.front().cases) {
    if (one.verdict == Verdict::kAccepted) {
      cases.emplace_back(SeedsFor(one.seconds, seeds), one.name);
    }
  }
  for (std::uint64_t done = 1; done < seeds && !HasFailure(); done += kTogether) {
    std::vector<HostRun> runs;
    for (std::uint64_t seed = done; seed < std::min(seeds, done + kTogether); ++seed) {
      std::vector<std::string> names;
      for (const auto& [count, name] : cases) {
        if (seed < count) {
          names.push_back(name);
        }
      }
      if (!names.empty()) {
        runs.push_back(RunOf(first + seed, names));
      }
    }
    RunAll(runs);
  }
  std::ranges::sort(cases);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  fmt::print(
      "seeds_{:<22} | seeds {} to {} | {} of {} cases with all, half with {} and more, "
      "the longest with {} | {} in all | {:.0f} s\n",
      reference_.challenge, first, first + seeds - 1,
      std::ranges::count(cases, seeds, [](const auto& one) { return one.first; }), cases.size(),
      cases[cases.size() / 2].first, cases.front().first, cases_run_, taken.count());
}

}  // namespace
}  // namespace assay
