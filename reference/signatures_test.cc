// SPDX-License-Identifier: Apache-2.0
// Tests what is kept of a challenge's mutants, without running any: that it is of the sources as
// they are, and that a submission which fails as a mutant does is matched to that mutant.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "exec/signature_store.h"
#include "reference_test_support.h"
#include "score/diagnosis.h"

namespace assay {
namespace {

Signatures Kept() { return ViewUnderTest(Reference()).signatures.value_or(Signatures()); }

TEST(Signatures, AreOfTheSourcesAsTheyAre) {
  const ReferenceUnderTest reference = Reference();
  const auto& root = reference.installation.sources;
  const auto kept = LoadSignatures(root, reference.challenge);
  ASSERT_TRUE(kept.has_value()) << ToString(kept.error());
  const auto now = ReadSignatureSources(root, ChallengeUnderTest(reference));
  ASSERT_TRUE(now.has_value()) << ToString(now.error());
  for (const std::string& reason : WhyStale(*kept, *now)) {
    ADD_FAILURE() << SignaturesPath("", reference.challenge).string() << ": " << reason
                  << "; run scripts/signatures " << reference.challenge;
  }
}

/// How a case ends that does so in all runs: most often so, where the verdicts differ. Accepted
/// where some run has it accepted.
Verdict UsualEnd(const CaseOutcomes& outcomes, int runs) {
  Verdict usual = Verdict::kAccepted;
  int most = 0;
  int ended = 0;
  for (const auto& [verdict, count] : outcomes) {
    ended += count;
    if (count > most) {
      most = count;
      usual = verdict;
    }
  }
  return ended == runs ? usual : Verdict::kAccepted;
}

/// Ends a case with a verdict of the mutant's runs, wrong as it is in one of them.
void FailAsIn(const MutantSignature& mutant, Verdict verdict, CaseEvidence& one) {
  const auto kinds = mutant.kinds.find(one.name);
  FailLike(verdict, kinds == mutant.kinds.end() ? FailureKind() : *kinds->second.begin(), one);
}

/// A run in which exactly the cases fail that the mutant fails in every run.
SuiteEvidence FailingLike(const MutantSignature& mutant, const Signatures& signatures) {
  std::set<std::string> names;
  for (const auto& [other, signature] : signatures.mutants) {
    for (const auto& [name, outcomes] : signature.cases) {
      names.insert(name);
    }
  }
  SuiteEvidence suite;
  for (const std::string& name : names) {
    CaseEvidence one;
    one.name = name;
    one.verdict = Verdict::kAccepted;
    const auto found = mutant.cases.find(name);
    if (found != mutant.cases.end()) {
      FailAsIn(mutant, UsualEnd(found->second, signatures.runs), one);
    }
    suite.cases.push_back(one);
  }
  return suite;
}

/// A run in which the cases fail that failed in more than `least` of the mutant's runs: with other
/// seeds more cases fail that do so at times, or fewer.
SuiteEvidence RunOf(const MutantSignature& mutant, const Signatures& signatures, int least) {
  SuiteEvidence suite = FailingLike(mutant, signatures);
  for (CaseEvidence& one : suite.cases) {
    const auto found = mutant.cases.find(one.name);
    if (found == mutant.cases.end()) {
      continue;
    }
    for (const auto& [verdict, count] : found->second) {
      if (verdict != Verdict::kSkipped && count > least) {
        FailAsIn(mutant, verdict, one);
      }
    }
  }
  return suite;
}

bool SomeCasePasses(const SuiteEvidence& suite) {
  return std::ranges::any_of(
      suite.cases, [](const CaseEvidence& one) { return one.verdict == Verdict::kAccepted; });
}

// The likeliest run: each case ends as in most of the mutant's. One that is wrong once in thousands
// of answers fails other cases each time, and hardly ever none but those that it always fails.
TEST(Signatures, WhatFailsLikeAMutantIsMatchedToIt) {
  const Signatures signatures = Kept();
  for (const auto& [name, mutant] : signatures.mutants) {
    const SuiteEvidence suite = RunOf(mutant, signatures, signatures.runs / 2);
    if (CountGatingFailures(suite) == 0 || !SomeCasePasses(suite)) {
      continue;  // Never the same twice, or like a dead host: nothing to match.
    }
    const Diagnosis diagnosis = Diagnose(suite, signatures);
    ASSERT_FALSE(diagnosis.matches.empty()) << name;
    const Match& match = diagnosis.matches.front();
    EXPECT_TRUE(std::ranges::find(match.mutants, name) != match.mutants.end())
        << name << " fails like " << MutantsOf(match) << " (" << GroundsOf(match) << ")";
  }
}

// Nobody's bug is in our list: take each out, and see what its runs are said to be like. A strong
// match decides in which row a bug costs, so that has to be right. Two bugs of one feature may fail
// the very same cases, since cases are about one thing; that one is then called by the other's name
// moves no point, and is to be seldom all the same.
TEST(Signatures, StrongIsRightOnBugsThatAreNotListed) {
  constexpr double kMostInAnotherRow = 0.05;
  constexpr double kMostByAnotherName = 0.1;
  const Signatures signatures = Kept();
  const MutantHomes homes = ViewUnderTest(Reference()).homes;
  int runs = 0;
  std::string in_another_row;
  std::string by_another_name;
  int rows = 0;
  int names = 0;
  for (const auto& [name, mutant] : signatures.mutants) {
    Signatures others = signatures;
    others.mutants.erase(name);
    for (int least = 0; least < signatures.runs; ++least) {
      const Diagnosis diagnosis = Diagnose(RunOf(mutant, signatures, least), others);
      if (diagnosis.failing == 0) {
        continue;
      }
      ++runs;
      const auto strong = std::ranges::find_if(diagnosis.matches, &Match::is_strong);
      if (strong == diagnosis.matches.end()) {
        continue;
      }
      const std::string line = fmt::format("{} is said to be like {} ({})\n", name,
                                           MutantsOf(*strong), GroundsOf(*strong));
      ++names;
      by_another_name += line;
      if (std::ranges::any_of(strong->mutants, [&](const std::string& other) {
            return homes.at(other) != homes.at(name);
          })) {
        ++rows;
        in_another_row += line;
      }
    }
  }
  EXPECT_LE(rows, kMostInAnotherRow * runs)
      << "harness/score/README.md says when a match is strong: make that stricter\n"
      << in_another_row;
  EXPECT_LE(names, kMostByAnotherName * runs) << by_another_name;
}

TEST(Signatures, RunsWithOtherSeedsAreRecognised) {
  constexpr double kLeastNamed = 0.9;
  constexpr double kLeastStrong = 0.3;
  const Signatures signatures = Kept();
  int runs = 0;
  int named = 0;
  int strong = 0;
  for (const auto& [name, mutant] : signatures.mutants) {
    for (int least = 0; least < signatures.runs; ++least) {
      const SuiteEvidence suite = RunOf(mutant, signatures, least);
      if (CountGatingFailures(suite) == 0 || !SomeCasePasses(suite)) {
        continue;
      }
      ++runs;
      const Diagnosis diagnosis = Diagnose(suite, signatures);
      for (const Match& match : diagnosis.matches) {
        if (std::ranges::find(match.mutants, name) != match.mutants.end()) {
          ++named;
          strong += match.is_strong ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GE(named, kLeastNamed * runs);
  EXPECT_GE(strong, kLeastStrong * runs) << "a strong match that never is says nothing";
  RecordProperty("runs", runs);
  RecordProperty("named", named);
  RecordProperty("strong", strong);
}

}  // namespace
}  // namespace assay
