// SPDX-License-Identifier: Apache-2.0
// Tests the suite of a challenge: it must accept the baseline and reject every mutant, each of
// which is the baseline but for one bug, in the cases that its signature says.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "exec/mutant_runs.h"
#include "exec/signature_store.h"
#include "grade/cell_verdict.h"
#include "reference_test_support.h"
#include "score/diagnosis.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

struct Judgement {
  CellVerdict cell;
  SuiteEvidence suite;
};

Judgement Judge(const Result<SuiteEvidence>& suite) {
  if (!suite) {
    return {.cell = {Verdict::kJudgeError, ToString(suite.error())}, .suite = {}};
  }
  Evidence evidence;
  evidence.release.verdict = Verdict::kAccepted;
  evidence.suite = *suite;
  return {.cell = DecideVerdict(evidence), .suite = *suite};
}

/// Judges all hosts.
std::map<std::string, Judgement> JudgeAll(const std::map<std::string, fs::path>& hosts) {
  const ReferenceUnderTest reference = Reference();
  HostRunsRequest request{.challenge = reference.challenge,
                          .limits = ChallengeUnderTest(reference).limits,
                          .installation = reference.installation,
                          .level = LevelUnderTest(),
                          .temporary_root = reference.TemporaryRoot(),
                          .runs = {}};
  for (const auto& [name, host] : hosts) {
    request.runs.push_back({.name = name, .host = host, .seed = SeedUnderTest()});
  }
  const auto suites = RunHosts(request, [](std::size_t) {});
  std::map<std::string, Judgement> judgements;
  for (std::size_t i = 0; i < suites.size(); ++i) {
    judgements[request.runs[i].name] = Judge(suites[i]);
  }
  return judgements;
}

/// How many of these runs failed the case.
int RunsThatFailed(const CaseOutcomes& outcomes) {
  int failed = 0;
  for (const auto& [verdict, runs] : outcomes) {
    failed += verdict == Verdict::kSkipped ? 0 : runs;
  }
  return failed;
}

/// How many cases failed in some runs of a mutant and not in others.
std::size_t CountUnsteady(const MutantSignature& signature) {
  return static_cast<std::size_t>(std::ranges::count_if(signature.cases, [](const auto& one) {
    const int failed = RunsThatFailed(one.second);
    return failed > 0 && failed < kSignatureRuns;
  }));
}

/// How many cases failed in some run of a mutant; one that was only ever skipped did not.
std::size_t CountFailedOnce(const MutantSignature& signature) {
  return static_cast<std::size_t>(std::ranges::count_if(
      signature.cases, [](const auto& one) { return RunsThatFailed(one.second) > 0; }));
}

/// The cases in which a run differs from a mutant's signature: that passed although they failed in
/// each of its runs, or failed although they failed in none.
std::vector<std::string> Differing(const SuiteEvidence& suite, const MutantSignature& signature) {
  std::vector<std::string> differing;
  for (const CaseEvidence& one : suite.cases) {
    const auto found = signature.cases.find(one.name);
    const bool never_failed = found == signature.cases.end();
    const bool always_failed = !never_failed && RunsThatFailed(found->second) == kSignatureRuns;
    if ((never_failed && IsGatingFailure(one)) ||
        (always_failed && one.verdict == Verdict::kAccepted)) {
      differing.push_back(one.name);
    }
  }
  return differing;
}

/// A case with random inputs may differ from run to run; a changed suite or harness shows in many.
void ExpectItsSignature(const std::string& mutant, const SuiteEvidence& suite,
                        const MutantSignature& signature) {
  const std::vector<std::string> differing = Differing(suite, signature);
  // Random cases that failed in all stored runs may pass in this one: of three runs, about a third
  // as many as failed in one or two of those.
  const std::size_t allowed =
      std::max({std::size_t{4}, CountFailedOnce(signature) / 4, CountUnsteady(signature)});
  EXPECT_LE(differing.size(), allowed)
      << mutant << " no longer fails as its signature says, first in " << differing.front()
      << "; run scripts/signatures --force " << Reference().challenge;
}

void PrintRow(std::string_view name, const Judgement& judgement) {
  const FailedCases failed = CountFailed(judgement.suite);
  fmt::print("{:<28} | {:<13} | {:>5} | {:<44} | {}\n", name, ToString(judgement.cell.verdict),
             failed.count, Column(failed.first, 44), Column(failed.detail, 80));
}

TEST(Mutants, SuiteAcceptsTheBaselineAndRejectsEveryMutant) {
  const ReferenceUnderTest reference = Reference();
  auto hosts = MutantHosts(reference.installation, reference.challenge);
  ASSERT_TRUE(hosts) << ToString(hosts.error());
  EXPECT_EQ(hosts->size(), BuiltMutants(reference).size());
  const auto signatures = LoadSignatures(reference.installation.root, reference.challenge);
  ASSERT_TRUE(signatures) << ToString(signatures.error());
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
      // That there is one of each mutant is signatures_test.cc's to say.
      if (*signatures && (*signatures)->mutants.contains(name)) {
        ExpectItsSignature(name, judgement.suite, (*signatures)->mutants.at(name));
      }
    }
  }
}

}  // namespace
}  // namespace assay
