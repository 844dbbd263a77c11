// SPDX-License-Identifier: Apache-2.0
#include "score/diagnosis.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>

#include "score/synthetic.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Ge;
using testing::IsEmpty;
using testing::Lt;
using testing::SizeIs;

constexpr int kRuns = 3;
constexpr int kCases = 40;

std::string CaseName(int index) { return fmt::format("Case.{:02}", index); }

/// Failing in `failed` of the runs, from case `first` to before `end`.
void Fail(MutantSignature& mutant, int first, int end, int failed = kRuns,
          Verdict verdict = Verdict::kWrongAnswer) {
  for (int i = first; i < end; ++i) {
    mutant.cases[CaseName(i)][verdict] = failed;
  }
}

/// A suite of 40 cases, of which those given fail.
SuiteEvidence SuiteFailing(const std::set<int>& failing, Verdict verdict = Verdict::kWrongAnswer) {
  SuiteEvidence suite;
  for (int i = 0; i < kCases; ++i) {
    suite.cases.push_back(
        synthetic::MakeCase(CaseName(i), {}, failing.contains(i) ? verdict : Verdict::kAccepted));
  }
  return suite;
}

std::set<int> From(int first, int end) {
  std::set<int> indices;
  for (int i = first; i < end; ++i) {
    indices.insert(i);
  }
  return indices;
}

std::set<int> Union(std::set<int> a, const std::set<int>& b) {
  a.insert(b.begin(), b.end());
  return a;
}

/// Signatures of bugs that are like those of a KV cache: one breaks much, others a corner of it.
struct DiagnosisTest : testing::Test {
  DiagnosisTest() {
    signatures.runs = kRuns;
    Fail(signatures.mutants["inverted_mask"], 0, 12);
    Fail(signatures.mutants["mask_off_by_one"], 4, 12);
    Fail(signatures.mutants["one_cache_for_all"], 10, 20);
    Fail(signatures.mutants["never_stored"], 18, 30);
    Fail(signatures.mutants["rounds_once"], 33, 34);
    Fail(signatures.mutants["at_times"], 30, 33, 1);
    Fail(signatures.mutants["crashes"], 34, 37, kRuns, Verdict::kRuntimeError);
  }

  [[nodiscard]] std::vector<std::string> MutantsFound(const SuiteEvidence& suite) const {
    std::vector<std::string> found;
    for (const Match& match : Diagnose(suite, signatures).matches) {
      found.push_back(MutantsOf(match));
    }
    return found;
  }

  Signatures signatures;
};

TEST_F(DiagnosisTest, NothingFailsAndNothingIsFound) {
  EXPECT_EQ(Diagnose(SuiteFailing({}), signatures), Diagnosis{});
  EXPECT_EQ(Diagnose({}, signatures), Diagnosis{});
  EXPECT_EQ(CountDistinct(Diagnosis{}), 0);
}

TEST_F(DiagnosisTest, OneBugExactly) {
  const Diagnosis diagnosis = Diagnose(SuiteFailing(From(0, 12)), signatures);
  ASSERT_THAT(diagnosis.matches, SizeIs(1));
  EXPECT_THAT(diagnosis.matches[0].mutants, ElementsAre("inverted_mask"));
  EXPECT_GT(diagnosis.matches[0].confidence, 0.99);
  EXPECT_THAT(diagnosis.matches[0].cases_for, SizeIs(12));
  EXPECT_THAT(diagnosis.matches[0].cases_against, IsEmpty());
  EXPECT_THAT(diagnosis.unexplained, IsEmpty());
  EXPECT_EQ(diagnosis.failing, 12);
  EXPECT_EQ(CountDistinct(diagnosis), 1);
}

TEST_F(DiagnosisTest, ABugWhoseCasesAreAllOfOneIsThatOne) {
  EXPECT_THAT(MutantsFound(SuiteFailing(From(4, 12))), ElementsAre("mask_off_by_one"));
  EXPECT_THAT(MutantsFound(SuiteFailing({33})), ElementsAre("rounds_once"));
}

/// A suite that fails from `first` to before `end`, wrong in that way.
SuiteEvidence SuiteFailingBy(int first, int end, std::string_view output, double error) {
  SuiteEvidence suite = SuiteFailing(From(first, end));
  for (int i = first; i < end; ++i) {
    suite.cases[static_cast<std::size_t>(i)].failing_output = output;
    suite.cases[static_cast<std::size_t>(i)].error_over_bound = error;
  }
  return suite;
}

TEST_F(DiagnosisTest, OfBugsThatFailTheSameCasesTheOneThatIsWrongAlikeIsNamed) {
  for (const auto& [name, output, decade] :
       {std::tuple("slightly_wrong", "y", 0), {"very_wrong", "y", 5}, {"elsewhere", "dx", 5}}) {
    MutantSignature& mutant = signatures.mutants[name];
    Fail(mutant, 20, 28);
    for (int i = 20; i < 28; ++i) {
      mutant.kinds[CaseName(i)] = {{.operation = "f", .output = output, .decade = decade}};
    }
  }
  const auto found = [&](std::string_view output, double error) {
    return MutantsFound(SuiteFailingBy(20, 28, output, error));
  };
  EXPECT_THAT(found("y", 3.0), ElementsAre("slightly_wrong"));
  EXPECT_THAT(found("y", 4e5), ElementsAre("very_wrong"));
  EXPECT_THAT(found("dx", 4e5), ElementsAre("elsewhere"));
}

TEST_F(DiagnosisTest, AMatchThatIsWrongOtherwiseIsNotStrong) {
  MutantSignature& mutant = signatures.mutants["slightly_wrong"];
  Fail(mutant, 20, 28);
  for (int i = 20; i < 28; ++i) {
    mutant.kinds[CaseName(i)] = {{.operation = "f", .output = "y", .decade = 0}};
  }
  const auto first = [&](double error) {
    return Diagnose(SuiteFailingBy(20, 28, "y", error), signatures).matches.at(0);
  };
  EXPECT_THAT(first(3).mutants, ElementsAre("slightly_wrong"));
  EXPECT_TRUE(first(3).is_strong);
  EXPECT_FALSE(first(3e6).is_strong);
  EXPECT_NEAR(first(3e6).confidence, first(3).confidence / 2, 1e-9) << "as much against as for it";
}

TEST_F(DiagnosisTest, CasesThatPassAreEvidenceAgainst) {
  const Diagnosis diagnosis = Diagnose(SuiteFailing(From(0, 9)), signatures);
  ASSERT_THAT(diagnosis.matches, SizeIs(1));
  EXPECT_THAT(diagnosis.matches[0].mutants, ElementsAre("inverted_mask"));
  EXPECT_THAT(diagnosis.matches[0].cases_against, ElementsAre("Case.09", "Case.10", "Case.11"));
  EXPECT_THAT(diagnosis.matches[0].confidence, AllOf(Ge(0.5), Lt(0.9)));
}

TEST_F(DiagnosisTest, ACaseThatFailsAtTimesIsNoEvidenceWhenItPasses) {
  const Diagnosis diagnosis = Diagnose(SuiteFailing({30, 31}), signatures);
  ASSERT_THAT(diagnosis.matches, SizeIs(1));
  EXPECT_THAT(diagnosis.matches[0].mutants, ElementsAre("at_times"));
  EXPECT_THAT(diagnosis.matches[0].cases_against, IsEmpty());
  EXPECT_GT(diagnosis.matches[0].confidence, 0.8);
}

TEST_F(DiagnosisTest, SeveralBugsAtOnceAreEachNamed) {
  EXPECT_THAT(MutantsFound(SuiteFailing(Union(From(0, 12), From(18, 30)))),
              testing::UnorderedElementsAre("inverted_mask", "never_stored"));
  EXPECT_THAT(MutantsFound(SuiteFailing(From(0, 30))),
              testing::UnorderedElementsAre("inverted_mask", "one_cache_for_all", "never_stored"));
}

TEST_F(DiagnosisTest, AMatchCountsOnlyWhatTheOnesBeforeLeave) {
  const Diagnosis diagnosis = Diagnose(SuiteFailing(From(0, 20)), signatures);
  ASSERT_THAT(diagnosis.matches, SizeIs(2));
  EXPECT_THAT(diagnosis.matches[1].mutants, ElementsAre("one_cache_for_all"));
  EXPECT_THAT(diagnosis.matches[1].cases_for, SizeIs(8));
  EXPECT_EQ(diagnosis.matches[1].agreeing, 2);
  EXPECT_EQ(FindMatch(diagnosis, "Case.11"), diagnosis.matches.data());
  EXPECT_EQ(FindMatch(diagnosis, "Case.12"), &diagnosis.matches[1]);
  EXPECT_EQ(FindMatch(diagnosis, "Case.39"), nullptr);
}

TEST_F(DiagnosisTest, AMutantThatTheOthersMakeNeedlessIsNotNamed) {
  signatures.mutants.clear();
  Fail(signatures.mutants["middle"], 2, 22);
  Fail(signatures.mutants["left"], 0, 12);
  Fail(signatures.mutants["right"], 12, 24);
  EXPECT_THAT(MutantsFound(SuiteFailing(From(0, 24))),
              testing::UnorderedElementsAre("left", "right"));
}

TEST_F(DiagnosisTest, AnUnknownBugIsLikeNone) {
  const Diagnosis diagnosis = Diagnose(SuiteFailing({37, 38, 39}), signatures);
  EXPECT_THAT(diagnosis.matches, IsEmpty());
  EXPECT_THAT(diagnosis.unexplained, ElementsAre("Case.37", "Case.38", "Case.39"));
  EXPECT_EQ(CountDistinct(diagnosis), 1);
  // One case in common with a bug that breaks twelve says nothing.
  EXPECT_THAT(Diagnose(SuiteFailing({0, 37, 38}), signatures).matches, IsEmpty());
}

TEST_F(DiagnosisTest, WhatIsLeftOfAKnownBugIsSaidToBeLikeNone) {
  const Diagnosis diagnosis = Diagnose(SuiteFailing(Union(From(0, 12), {38, 39})), signatures);
  ASSERT_THAT(diagnosis.matches, SizeIs(1));
  EXPECT_EQ(CertaintyOf(diagnosis.matches[0]), "likely");  // Not all is like it.
  EXPECT_THAT(diagnosis.unexplained, ElementsAre("Case.38", "Case.39"));
  EXPECT_EQ(CountDistinct(diagnosis), 2);
}

// A bug that is in no list broke 58 of 60 cases of one that is, and was "strong".
TEST_F(DiagnosisTest, StrongIsOnlyWhatFailsAllTheSame) {
  const Diagnosis same = Diagnose(SuiteFailing(From(18, 30)), signatures);
  const Diagnosis one_less = Diagnose(SuiteFailing(From(18, 29)), signatures);
  ASSERT_THAT(one_less.matches, SizeIs(1));
  EXPECT_EQ(CertaintyOf(same.matches[0]), "strong");
  EXPECT_GT(one_less.matches[0].confidence, 0.8);
  EXPECT_EQ(CertaintyOf(one_less.matches[0]), "likely");
}

/// The match that names this mutant first.
Match MatchOf(const Diagnosis& diagnosis, std::string_view mutant) {
  const auto found = std::ranges::find(diagnosis.matches, mutant,
                                       [](const Match& match) { return match.mutants.front(); });
  return found == diagnosis.matches.end() ? Match() : *found;
}

TEST_F(DiagnosisTest, TwoBugsThatFailAllTheSameAreBothStrong) {
  const Diagnosis diagnosis = Diagnose(SuiteFailing(Union(From(0, 12), From(18, 30))), signatures);
  EXPECT_TRUE(MatchOf(diagnosis, "inverted_mask").is_strong);
  EXPECT_TRUE(MatchOf(diagnosis, "never_stored").is_strong);
}

// Wrong in the cases of a planted bug, a submission had its own bug charged once; with the same
// cases refused it had not.
TEST_F(DiagnosisTest, NoOtherBugMakesAMatchStrong) {
  // That case 38 fails is too much beside 12 cases, and would be little beside 24.
  for (int i = 0; i < 7; ++i) {
    Fail(signatures.mutants[fmt::format("other_{}", i)], 38, 40);
  }
  const std::set<int> own = Union(From(18, 30), {38});
  SuiteEvidence refused = SuiteFailing(own);
  for (int i = 0; i < 12; ++i) {
    refused.cases[static_cast<std::size_t>(i)].verdict = Verdict::kSkipped;
  }
  EXPECT_FALSE(MatchOf(Diagnose(refused, signatures), "never_stored").is_strong);
  EXPECT_FALSE(MatchOf(Diagnose(SuiteFailing(Union(own, From(0, 12))), signatures), "never_stored")
                   .is_strong);
}

TEST_F(DiagnosisTest, CasesThatAnotherBugFailsAreNotAMatchsAlone) {
  const Diagnosis diagnosis = Diagnose(SuiteFailing(From(0, 20)), signatures);
  const Match mask = MatchOf(diagnosis, "inverted_mask");
  const Match cache = MatchOf(diagnosis, "one_cache_for_all");
  EXPECT_THAT(mask.cases_for, SizeIs(12));
  EXPECT_THAT(mask.cases_alone, SizeIs(10));
  EXPECT_EQ(cache.cases_alone, cache.cases_for);
}

TEST_F(DiagnosisTest, NorAreCasesThatAnotherBugFailsAtTimes) {
  Fail(signatures.mutants["one_cache_for_all"], 0, 1, 1);
  const Diagnosis diagnosis = Diagnose(SuiteFailing(From(0, 20)), signatures);
  const Match mask = MatchOf(diagnosis, "inverted_mask");
  EXPECT_THAT(mask.cases_for, SizeIs(12));
  EXPECT_THAT(mask.cases_alone, SizeIs(9));
}

TEST_F(DiagnosisTest, WhereTheListHasBugsThatLookAlikeNoneIsStrong) {
  Fail(signatures.mutants["never_stored_nor_read"], 17, 30);
  const Diagnosis diagnosis = Diagnose(SuiteFailing(From(18, 30)), signatures);
  ASSERT_THAT(diagnosis.matches, SizeIs(1));
  EXPECT_EQ(diagnosis.matches[0].mutants.front(), "never_stored");
  EXPECT_EQ(CertaintyOf(diagnosis.matches[0]), "likely");
}

// Any crash was "in_place_input_mutation (strong, 1.00)".
TEST_F(DiagnosisTest, WhoOnlyDiesIsNeverStronglyLikeABug) {
  const Diagnosis diagnosis =
      Diagnose(SuiteFailing(From(34, 37), Verdict::kRuntimeError), signatures);
  ASSERT_THAT(diagnosis.matches, SizeIs(1));
  EXPECT_THAT(diagnosis.matches[0].mutants, ElementsAre("crashes"));
  EXPECT_GT(diagnosis.matches[0].confidence, 0.8);
  EXPECT_EQ(CertaintyOf(diagnosis.matches[0]), "likely");
}

TEST_F(DiagnosisTest, FewCasesOfManyAreWeakGrounds) {
  const Diagnosis alone = Diagnose(SuiteFailing({33}), signatures);
  const Diagnosis among = Diagnose(SuiteFailing({33, 37, 38, 39}), signatures);
  ASSERT_THAT(alone.matches, SizeIs(1));
  ASSERT_THAT(among.matches, SizeIs(1));
  EXPECT_GT(alone.matches[0].confidence, 0.8);
  EXPECT_EQ(CertaintyOf(alone.matches[0]), "likely");  // One case may fail by many a bug.
  EXPECT_LT(among.matches[0].confidence, 0.7);
}

TEST_F(DiagnosisTest, ADeadHostIsLikeNoBugInParticular) {
  const Diagnosis diagnosis =
      Diagnose(SuiteFailing(From(0, kCases), Verdict::kRuntimeError), signatures);
  EXPECT_THAT(diagnosis.matches, IsEmpty());
  EXPECT_THAT(diagnosis.unexplained, SizeIs(kCases));
  EXPECT_EQ(CountDistinct(diagnosis), 1);
}

TEST_F(DiagnosisTest, CasesThatWereNotRunSayNothing) {
  SuiteEvidence suite = SuiteFailing(From(0, 6));
  for (int i = 6; i < 12; ++i) {
    suite.cases[static_cast<std::size_t>(i)].verdict = Verdict::kSkipped;
  }
  const Diagnosis diagnosis = Diagnose(suite, signatures);
  ASSERT_THAT(diagnosis.matches, SizeIs(1));
  EXPECT_THAT(diagnosis.matches[0].mutants, ElementsAre("inverted_mask"));
  EXPECT_THAT(diagnosis.matches[0].cases_against, IsEmpty());
  EXPECT_EQ(CertaintyOf(diagnosis.matches[0]), "strong");
}

TEST_F(DiagnosisTest, CasesThatTheMutantDidNotRunSayNothing) {
  for (int i = 12; i < 20; ++i) {
    signatures.mutants["inverted_mask"].cases[CaseName(i)][Verdict::kSkipped] = kRuns;
  }
  const Diagnosis diagnosis = Diagnose(SuiteFailing(From(0, 12)), signatures);
  ASSERT_THAT(diagnosis.matches, SizeIs(1));
  EXPECT_THAT(diagnosis.matches[0].cases_against, IsEmpty());
}

TEST_F(DiagnosisTest, CasesThatDoNotGateSayNothing) {
  SuiteEvidence suite = SuiteFailing(From(0, 12));
  for (CaseEvidence& one : suite.cases) {
    one.gates = false;
  }
  EXPECT_EQ(Diagnose(suite, signatures), Diagnosis{});
}

TEST_F(DiagnosisTest, MutantsThatTheseCasesDoNotTellApartAreNamedTogether) {
  Fail(signatures.mutants["a_twin"], 0, 12);
  EXPECT_THAT(MutantsFound(SuiteFailing(From(0, 12))), ElementsAre("a_twin or inverted_mask"));
  EXPECT_EQ(CountDistinct(Diagnose(SuiteFailing(From(0, 12)), signatures)), 1);
  Fail(signatures.mutants["b_twin"], 0, 12);
  Fail(signatures.mutants["c_twin"], 0, 12);
  Fail(signatures.mutants["d_twin"], 0, 12);
  EXPECT_THAT(MutantsFound(SuiteFailing(From(0, 12))),
              ElementsAre("a_twin or b_twin or c_twin or 2 more"));
}

TEST_F(DiagnosisTest, TheKindOfFailureTellsMutantsApart) {
  Fail(signatures.mutants["a_wrong_twin"], 34, 37, kRuns, Verdict::kWrongAnswer);
  EXPECT_THAT(MutantsFound(SuiteFailing(From(34, 37), Verdict::kRuntimeError)),
              ElementsAre("crashes"));
  EXPECT_THAT(MutantsFound(SuiteFailing(From(34, 37), Verdict::kWrongAnswer)),
              ElementsAre("a_wrong_twin"));
}

TEST_F(DiagnosisTest, ACaseThatManyMutantsFailSaysLittle) {
  signatures.mutants.clear();
  for (int i = 0; i < 20; ++i) {  // Everybody fails case 0.
    Fail(signatures.mutants[fmt::format("other_{}", i)], 0, 1);
    Fail(signatures.mutants[fmt::format("other_{}", i)], 10 + i, 11 + i);
  }
  Fail(signatures.mutants["common"], 0, 1);
  Fail(signatures.mutants["rare"], 1, 2);
  EXPECT_THAT(MutantsFound(SuiteFailing({0})), IsEmpty());
  EXPECT_THAT(MutantsFound(SuiteFailing({1})), ElementsAre("rare"));
}

TEST_F(DiagnosisTest, ABugThatMuchSpeaksAgainstIsNotPreferredToTwoThatNothingDoes) {
  Fail(signatures.mutants["breaks_all"], 0, 36);
  EXPECT_THAT(MutantsFound(SuiteFailing(From(0, 30))),
              testing::UnorderedElementsAre("inverted_mask", "one_cache_for_all", "never_stored"));
}

TEST_F(DiagnosisTest, GroundsAreNamedInWords) {
  const Diagnosis diagnosis = Diagnose(SuiteFailing(From(0, 20)), signatures);
  ASSERT_THAT(diagnosis.matches, SizeIs(2));
  EXPECT_EQ(GroundsOf(diagnosis.matches[0]), "strong, 0.97: 12 cases for, none against");
  EXPECT_EQ(GroundsOf(diagnosis.matches[1]),
            "strong, 0.94: 8 cases for and 2 that agree, none against");
  Match match = diagnosis.matches[0];
  match.is_strong = false;
  EXPECT_EQ(CertaintyOf(match), "likely");
  match.confidence = 0.49;
  EXPECT_EQ(CertaintyOf(match), "weak");
}

TEST_F(DiagnosisTest, WithoutSignaturesThereIsNoDiagnosis) {
  Evidence cell = synthetic::MakeCell("m");
  cell.suite = SuiteFailing({1});
  EXPECT_FALSE(DiagnoseCell({}, cell).has_value());
  EXPECT_TRUE(DiagnoseCell({.spec = {}, .rubric = {}, .signatures = signatures}, cell).has_value());
}

}  // namespace
}  // namespace assay
