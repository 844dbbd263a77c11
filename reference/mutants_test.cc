// SPDX-License-Identifier: Apache-2.0
// Tests the suite of a challenge: it must accept the baseline and reject every mutant, each of
// which is the baseline but for one bug, in the cases that its signature says.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/temporary.h"
#include "base/text.h"
#include "chosen_cases.h"
#include "evidence/cell_verdict.h"
#include "exec/mutant_runs.h"
#include "exec/signature_store.h"
#include "grade/installation.h"
#include "kept_seeds.h"
#include "process/run.h"
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

/// Judges all runs; one judgement a run, in their order.
std::vector<Judgement> JudgeAll(const std::vector<HostRun>& runs) {
  const ReferenceUnderTest reference = Reference();
  const auto suites = RunHosts({.challenge = reference.challenge,
                                .limits = ChallengeUnderTest(reference).limits,
                                .installation = reference.installation,
                                .level = LevelUnderTest(),
                                .temporary_root = reference.TemporaryRoot(),
                                .runs = runs},
                               [](std::size_t) {});
  std::vector<Judgement> judgements;
  std::ranges::transform(suites, std::back_inserter(judgements), Judge);
  return judgements;
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

/// The challenge's entry points that an archive defines.
std::set<std::string> EntryPointsOf(const fs::path& library, const ChallengeSpec& challenge) {
  Command names;
  names.argv = {"nm", "--extern-only", "--defined-only", "--format=just-symbols", library.string()};
  const auto run = RunToCompletion(names);
  EXPECT_TRUE(run && run->Succeeded()) << library;
  std::set<std::string> functions;
  for (const std::string& name : SplitLines(run ? run->output : "")) {
    if (std::ranges::find(challenge.entry_points, name, &EntryPoint::name) !=
        challenge.entry_points.end()) {
      functions.insert(name);
    }
  }
  return functions;
}

// A program that a submission hands in as its test sees which functions it is linked with: by what
// a mutant lacks it would "find" every bug. One offers less, being written in another way.
TEST(MutantLibraries, OfferWhatTheBaselineOffers) {
  const ReferenceUnderTest reference = Reference();
  const auto mutants = MutantLibraries(reference.installation, reference.challenge);
  ASSERT_TRUE(mutants) << ToString(mutants.error());
  const ChallengeSpec challenge = ChallengeUnderTest(reference);
  const std::set<std::string> offered =
      EntryPointsOf(reference.installation.BaselineLibrary(reference.challenge), challenge);
  EXPECT_GE(offered.size(), 4);
  for (const auto& [mutant, library] : *mutants) {
    if (mutant != "writes_full_softmax") {
      EXPECT_EQ(EntryPointsOf(library, challenge), offered) << mutant;
    }
  }
}

/// What a program sees of an implementation that it is linked with as own tests are.
std::string ImageOf(const fs::path& library, const fs::path& folder) {
  const fs::path image = folder / "image";
  Command link;
  // Without a main, but not -shared: the host code of nvcc 11.8 is for executables alone.
  link.argv = {"g++",
               "-s",
               "-Wl,--build-id=none",
               "-Wl,--unresolved-symbols=ignore-all",
               "-Wl,--whole-archive",
               library.string(),
               "-Wl,--no-whole-archive",
               "-o",
               image.string()};
  const auto run = RunToCompletion(link);
  EXPECT_TRUE(run && run->Succeeded()) << library << (run ? run->errors : "");
  return ReadFile(image).value_or("");
}

// Nor may what a program reads in its own memory tell: names of types and kernels said of 48 of 49
// mutants that their steps were of no other file, and of which file.
TEST(MutantLibraries, NoNameTellsThemFromTheBaseline) {
  const ReferenceUnderTest reference = Reference();
  const auto mutants = MutantLibraries(reference.installation, reference.challenge);
  ASSERT_TRUE(mutants) << ToString(mutants.error());
  const auto folder = TemporaryDirectory::Create(reference.TemporaryRoot(), "images");
  ASSERT_TRUE(folder) << ToString(folder.error());
  constexpr std::string_view kOfOneFile = "_GLOBAL__N_";
  const std::string baseline =
      ImageOf(reference.installation.BaselineLibrary(reference.challenge), folder->path());
  ASSERT_NE(baseline, "");
  for (const auto& [mutant, library] : *mutants) {
    const std::string image = ImageOf(library, folder->path());
    EXPECT_EQ(image.contains(kOfOneFile), baseline.contains(kOfOneFile)) << mutant;
    EXPECT_FALSE(image.contains(mutant + "_cu") || image.contains("mutants/")) << mutant;
  }
}

class Mutants : public testing::Test {
 protected:
  void SetUp() override {
    auto hosts = MutantHosts(reference_.installation, reference_.challenge);
    ASSERT_TRUE(hosts) << ToString(hosts.error());
    hosts_ = *std::move(hosts);
    ASSERT_EQ(hosts_.size(), BuiltMutants(reference_).size());
    auto signatures = LoadSignatures(reference_.installation.sources, reference_.challenge);
    ASSERT_TRUE(signatures) << ToString(signatures.error());
    // That there is one of each mutant is signatures_test.cc's to say.
    signatures_ = std::move(*signatures).value_or(Signatures());
    cases_ = CasesOfSuite(reference_.installation, reference_.challenge);
    fmt::print("seed {}, sandbox {}, {}\n", SeedUnderTest(), ToString(LevelUnderTest()),
               ToString(ExtentUnderTest()));
  }

  [[nodiscard]] fs::path HostOf(const std::string& subject) const {
    return subject == kBaselineSubject ? reference_.installation.BaselineHost(reference_.challenge)
                                       : hosts_.at(subject);
  }

  /// A run of these cases; of none: of all.
  [[nodiscard]] HostRun RunOf(const std::string& subject, const std::vector<std::string>& cases,
                              std::uint64_t seed = SeedUnderTest()) const {
    return {
        .name = subject, .host = HostOf(subject), .seed = seed, .arguments = ArgumentsFor(cases)};
  }

  /// The baseline, in every case; two runs of half of them, beside each other.
  SuiteEvidence AcceptTheBaseline() {
    std::array<std::vector<std::string>, 2> halves;
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      halves[i % halves.size()].push_back(cases_[i]);
    }
    const std::string name(kBaselineSubject);
    SuiteEvidence whole;
    for (const Judgement& half : JudgeAll({RunOf(name, halves[0]), RunOf(name, halves[1])})) {
      PrintRow(name, half);
      EXPECT_EQ(half.cell.verdict, Verdict::kAccepted) << half.cell.detail;
      std::ranges::copy(half.suite.cases, std::back_inserter(whole.cases));
    }
    EXPECT_EQ(whole.cases.size(), cases_.size());
    return whole;
  }

  [[nodiscard]] const MutantSignature* FindSignature(const std::string& mutant) const {
    const auto found = signatures_.mutants.find(mutant);
    return found == signatures_.mutants.end() ? nullptr : &found->second;
  }

  ReferenceUnderTest reference_ = Reference();
  std::map<std::string, fs::path> hosts_;
  Signatures signatures_;
  std::vector<std::string> cases_;
};

TEST_F(Mutants, SuiteAcceptsTheBaselineAndRejectsEveryMutant) {
  const CaseSeconds seconds = SecondsOf(AcceptTheBaseline());
  std::vector<HostRun> runs;
  std::vector<std::vector<std::string>> killers;
  for (const auto& [name, host] : hosts_) {
    const MutantSignature* const signature = FindSignature(name);
    const bool chosen = ExtentUnderTest() == Extent::kChosen && signature != nullptr;
    killers.push_back(chosen ? CheapestKillers(*signature, signatures_.runs, seconds)
                             : std::vector<std::string>());
    runs.push_back(RunOf(name, killers.back()));
  }
  const std::vector<Judgement> judgements = JudgeAll(runs);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string& name = runs[i].name;
    const CellVerdict& cell = judgements[i].cell;
    PrintRow(name, judgements[i]);
    EXPECT_NE(cell.verdict, Verdict::kJudgeError) << cell.detail;
    EXPECT_NE(cell.verdict, Verdict::kAccepted)
        << name << " was not found out by " << (killers[i].empty() ? "any case" : "its killers: ")
        << Join(killers[i], ", ");
    const MutantSignature* const signature = FindSignature(name);
    if (killers[i].empty() && signature != nullptr) {
      ExpectItsSignature(name, judgements[i].suite, *signature);
    }
  }
}

/// What fresh seeds found once: a case that the baseline failed, a mutant that passed.
TEST_F(Mutants, KeptSeedsGiveTheRightVerdict) {
  std::vector<HostRun> runs;
  for (const KeptSeed& kept : KeptSeedsIn(reference_.Directory())) {
    if (IsOfControl(kept)) {
      continue;
    }
    ASSERT_TRUE(kept.subject == kBaselineSubject || hosts_.contains(kept.subject))
        << PlaceOf(kept) << " is neither the baseline nor a mutant";
    for (const std::string& fault : NamedInVain(kept.cases, cases_, PlaceOf(kept))) {
      ADD_FAILURE() << fault;
    }
    runs.push_back(RunOf(kept.subject, kept.cases, kept.seed));
  }
  const std::vector<Judgement> judgements = JudgeAll(runs);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const CellVerdict& cell = judgements[i].cell;
    PrintRow(runs[i].name, judgements[i]);
    EXPECT_NE(cell.verdict, Verdict::kJudgeError) << cell.detail;
    EXPECT_EQ(cell.verdict == Verdict::kAccepted, runs[i].name == kBaselineSubject)
        << PlaceOf({.seed = runs[i].seed, .subject = runs[i].name, .cases = {}}) << ": "
        << ToString(cell.verdict) << " " << cell.detail;
  }
}

}  // namespace
}  // namespace assay
