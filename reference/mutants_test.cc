// SPDX-License-Identifier: Apache-2.0
// Tests the suite of a challenge: it must accept the baseline and reject every mutant, each of
// which is the baseline but for one bug.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <iterator>
#include <map>
#include <string>
#include <thread>

#include "base/temporary.h"
#include "grade/cell_verdict.h"
#include "grade/run_suite.h"
#include "reference_test_support.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

struct Judgement {
  CellVerdict cell;
  FailedCases failed;
};

/// Runs the suite with the host on processor `cpu`, and the suite on another.
Judgement Judge(const fs::path& host, int cpu) {
  const ReferenceUnderTest reference = Reference();
  const auto scratch = TemporaryDirectory::Create(reference.TemporaryRoot(), host.stem());
  if (!scratch) {
    throw std::runtime_error(ToString(scratch.error()));
  }
  NoProgress progress;
  const Result<RunResults> results =
      RunSuite({.program = reference.installation.Suite(reference.challenge),
                .host = host,
                .baseline = {},
                .limits = ChallengeUnderTest(reference).limits,
                .level = LevelUnderTest(),
                .seed = SeedUnderTest(),
                .arguments = {fmt::format("--assay_cpu={}", cpu)}},
               scratch->path(), progress);
  if (!results) {
    return {.cell = {Verdict::kJudgeError, ToString(results.error())}, .failed = {}};
  }
  Evidence evidence;
  evidence.release.verdict = Verdict::kAccepted;
  evidence.suite = results->suite;
  return {.cell = DecideVerdict(evidence), .failed = CountFailed(results->suite)};
}

/// Judges all hosts, two at a time: the oracle's side of one beside that of another.
std::map<std::string, Judgement> JudgeAll(const std::map<std::string, fs::path>& hosts) {
  std::map<std::string, Judgement> judgements;
  for (const auto& [name, host] : hosts) {
    judgements[name] = {};
  }
  std::atomic<std::size_t> next = 0;
  const auto work = [&](int cpu) {
    for (std::size_t k = next++; k < hosts.size(); k = next++) {
      const auto& [name, host] = *std::next(hosts.begin(), static_cast<std::ptrdiff_t>(k));
      judgements.at(name) = Judge(host, cpu);
    }
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  return judgements;
}

void PrintRow(std::string_view name, const Judgement& judgement) {
  fmt::print("{:<28} | {:<13} | {:>5} | {:<44} | {}\n", name, ToString(judgement.cell.verdict),
             judgement.failed.count, Column(judgement.failed.first, 44),
             Column(judgement.failed.detail, 80));
}

TEST(Mutants, SuiteAcceptsTheBaselineAndRejectsEveryMutant) {
  const ReferenceUnderTest reference = Reference();
  auto hosts = MutantHosts(reference.installation, reference.challenge);
  ASSERT_TRUE(hosts) << ToString(hosts.error());
  EXPECT_EQ(hosts->size(), NamesIn(reference.Directory() / "mutants").size());
  const std::string baseline = "(baseline)";
  hosts->emplace(baseline, reference.installation.BaselineHost(reference.challenge));

  fmt::print("seed {}, sandbox {}\n", SeedUnderTest(), ToString(LevelUnderTest()));
  fmt::print("{:<28} | {:<13} | {:>5} | {:<44} | {}\n", "mutant", "verdict", "fails",
             "first failing case", "why");
  for (const auto& [name, judgement] : JudgeAll(*hosts)) {
    PrintRow(name, judgement);
    EXPECT_NE(judgement.cell.verdict, Verdict::kJudgeError) << judgement.cell.detail;
    if (name == baseline) {
      EXPECT_EQ(judgement.cell.verdict, Verdict::kAccepted) << judgement.cell.detail;
    } else {
      EXPECT_NE(judgement.cell.verdict, Verdict::kAccepted) << name << " was not found out";
    }
  }
}

}  // namespace
}  // namespace assay
