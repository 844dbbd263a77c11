// SPDX-License-Identifier: Apache-2.0
// Tests that one bug costs once, on the cells that are graded and with the bugs of all mutants,
// without running any: "One bug costs once" in harness/score/README.md.

#include "score/cost_once.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "exec/evidence_store.h"
#include "reference_test_support.h"
#include "score/diagnosis.h"
#include "score/scorecard.h"

namespace assay {
namespace {

ChallengeView View() { return ViewUnderTest(Reference()); }

std::vector<Evidence> GradedCells() {
  StoredEvidence stored = LoadAllEvidence(Reference().installation.sources).value();
  std::erase_if(stored.cells,
                [](const Evidence& cell) { return cell.challenge != Reference().challenge; });
  return std::move(stored.cells);
}

/// `cell` with every case of `names` ended so that ran in it.
Evidence With(Evidence cell, const std::set<std::string>& names, Verdict verdict) {
  for (CaseEvidence& one : cell.suite.cases) {
    if (names.contains(one.name) && one.verdict != Verdict::kSkipped) {
      one.verdict = verdict;
    }
  }
  return cell;
}

std::set<std::string> GatingFailures(const Evidence& cell) {
  std::set<std::string> names;
  for (const CaseEvidence& one : cell.suite.cases) {
    if (IsGatingFailure(one)) {
      names.insert(one.name);
    }
  }
  return names;
}

/// The cases that failed in every run of the mutant.
std::set<std::string> AlwaysFailing(const MutantSignature& mutant, int runs) {
  std::set<std::string> names;
  for (const auto& [name, outcomes] : mutant.cases) {
    if (RunsThatFailed(outcomes) == runs) {
      names.insert(name);
    }
  }
  return names;
}

/// `cell` with a bug that fails those cases in every run, wrong as they are there.
Evidence WithBug(Evidence cell, const MutantSignature& mutant, const std::set<std::string>& names) {
  for (CaseEvidence& one : cell.suite.cases) {
    if (names.contains(one.name) && one.verdict != Verdict::kSkipped) {
      FailLike(Verdict::kWrongAnswer, *mutant.kinds.at(one.name).begin(), one);
    }
  }
  return cell;
}

bool HasTagOf(const Criterion& criterion, const CaseEvidence& one) {
  return std::ranges::find(one.tags, criterion.value.arguments.front()) != one.tags.end();
}

double OverallOf(const ChallengeView& view, const Evidence& cell) {
  return ScoreCell(view, cell).overall.value();
}

TEST(CostOnce, EveryMutantFailsACaseOfItsHome) {
  const ChallengeView view = View();
  for (const Evidence& cell : GradedCells()) {
    for (const auto& [mutant, signature] : view.signatures->mutants) {
      const Criterion& home = *FindCriterion(view.rubric, view.homes.at(mutant));
      EXPECT_TRUE(std::ranges::any_of(cell.suite.cases,
                                      [&](const CaseEvidence& one) {
                                        return HasTagOf(home, one) &&
                                               signature.cases.contains(one.name);
                                      }))
          << mutant << " fails no case of " << home.id;
    }
  }
}

/// `cell` with every gating failure right: what is left is what the submission refuses.
Evidence Cured(const Evidence& cell) {
  return With(cell, GatingFailures(cell), Verdict::kAccepted);
}

// Whoever plants a bug of the public list, so that rows drop out, gains nothing.
TEST(CostOnce, AddingAKnownBugNeverRaisesAScoreNorPaysMoreThanRefusing) {
  const ChallengeView view = View();
  int strong = 0;
  for (const Evidence& graded : GradedCells()) {
    const Evidence right = Cured(graded);
    for (const Evidence* cell : {&right, &graded}) {
      const double without = OverallOf(view, *cell);
      for (const auto& [mutant, signature] : view.signatures->mutants) {
        const std::set<std::string> fails = AlwaysFailing(signature, view.signatures->runs);
        const Evidence wrong = WithBug(*cell, signature, fails);
        const double with = OverallOf(view, wrong);
        const std::string where = fmt::format("{} with {}", graded.model, mutant);
        EXPECT_LE(with, OverallOf(view, With(*cell, fails, Verdict::kSkipped))) << where;
        if (cell == &right) {
          EXPECT_LE(with, without) << where;
          strong += std::ranges::any_of(DiagnoseCell(view, wrong)->matches, &Match::is_strong);
        }
      }
    }
  }
  EXPECT_GT(strong, 0) << "nothing was charged once";
}

/// By mutant.
std::map<std::string, std::set<std::string>> CasesThatAlwaysFail(const Signatures& signatures) {
  std::map<std::string, std::set<std::string>> fails;
  for (const auto& [mutant, signature] : signatures.mutants) {
    fails[mutant] = AlwaysFailing(signature, signatures.runs);
  }
  return fails;
}

// Nor by a second one beside it: how sure a diagnosis is of one bug must not follow from another.
// Where one of the two covers the other, one match explains all, and what is refused is evidence of
// that one: it may be less sure then.
TEST(CostOnce, BesideAnotherKnownBugBeingWrongPaysNoMoreThanRefusing) {
  constexpr std::size_t kPairsPerSample = 7;  // All pairs of the largest challenge take minutes.
  const ChallengeView view = View();
  const auto fails = CasesThatAlwaysFail(*view.signatures);
  std::size_t pair = 0;
  std::size_t beside = 0;
  for (const Evidence& graded : GradedCells()) {
    const Evidence right = Cured(graded);
    for (const auto& [first, cases_of_first] : fails) {
      const Evidence cell = WithBug(right, view.signatures->mutants.at(first), cases_of_first);
      for (const auto& [second, cases_of_second] : fails) {
        if (++pair % kPairsPerSample != 0) {
          continue;
        }
        const Evidence wrong = WithBug(cell, view.signatures->mutants.at(second), cases_of_second);
        const Diagnosis diagnosis = DiagnoseCell(view, wrong).value();
        if (diagnosis.matches.size() != 1 || !diagnosis.unexplained.empty()) {
          ++beside;
          EXPECT_LE(OverallOf(view, wrong),
                    OverallOf(view, With(cell, cases_of_second, Verdict::kSkipped)))
              << graded.model << " with " << first << " and " << second;
        }
      }
    }
  }
  EXPECT_GT(beside, pair / kPairsPerSample / 3) << "hardly any are two bugs";
}

/// What a cell would score if the cases of one bug were right, by criterion in points of the
/// overall score, of rows whose weight is the same in both.
std::map<std::string, double> GainsOf(const ChallengeView& view, const Evidence& cell,
                                      const Match& match) {
  const Evidence cured =
      With(cell, {match.cases_for.begin(), match.cases_for.end()}, Verdict::kAccepted);
  const Scorecard before = ScoreCell(view, cell);
  const Scorecard after = ScoreCell(view, cured);
  std::map<std::string, double> gains;
  for (std::size_t i = 0; i < before.criteria.size(); ++i) {
    gains[before.criteria[i].criterion] =
        before.criteria[i].points_lost - after.criteria[i].points_lost;
  }
  return gains;
}

/// Whether fewer than a quarter of a row's cases are left to judge it by ("Few answers").
bool HasFewAnswers(const Criterion& criterion, const Evidence& cell, const CostOnce& cost) {
  std::size_t tagged = 0;
  std::size_t answered = 0;
  for (const CaseEvidence& one : cell.suite.cases) {
    if (std::ranges::find(one.tags, criterion.value.arguments.front()) != one.tags.end()) {
      ++tagged;
      answered += cost.VerdictIn(criterion, one) == Verdict::kSkipped ? 0U : 1U;
    }
  }
  return 4 * answered < tagged;
}

/// Whether a row costs what was refused: it counts what is there, or little of it is left.
bool CostsWhatIsRefused(const Criterion& criterion, const Evidence& cell, const CostOnce& cost) {
  return criterion.value.function != ValueFunction::kRightRate ||
         HasFewAnswers(criterion, cell, cost);
}

// What a cure gains lies in the bug's home, in the count of bugs, and in rows that a refusal costs
// as well: with the cases that these rows are about left out, they have little to show. A bug that
// breaks three quarters of a row's cases is therefore not charged once alone.
TEST(CostOnce, CuringABugMovesItsOwnRowAndRowsThatARefusalCosts) {
  constexpr double kMostElsewhere = 1;
  const ChallengeView view = View();
  for (const Evidence& cell : GradedCells()) {
    const CostOnce cost(view, cell);
    const Diagnosis diagnosis = DiagnoseCell(view, cell).value();
    for (const Match& match : diagnosis.matches) {
      const Criterion* const home = HomeOf(match, view, cell);
      if (home == nullptr) {
        continue;
      }
      double elsewhere = 0;
      for (const auto& [id, gain] : GainsOf(view, cell, match)) {
        const Criterion& criterion = *FindCriterion(view.rubric, id);
        if (std::abs(gain) > 0.005) {
          fmt::print("{:<14} | {:<24} | {:<24} | {:+.2f}{}\n", cell.model, MutantsOf(match), id,
                     gain,
                     &criterion == home                          ? " its home"
                     : CostsWhatIsRefused(criterion, cell, cost) ? " as if refused"
                                                                 : "");
        }
        if (&criterion != home && !CostsWhatIsRefused(criterion, cell, cost)) {
          elsewhere += std::abs(gain);
        }
      }
      EXPECT_LE(elsewhere, kMostElsewhere) << cell.model << ": " << MutantsOf(match);
    }
  }
}

/// The row in which the bug of a match costs, whether the match is strong or not; null where its
/// mutants have several.
const Criterion* OwnRowOf(const ChallengeView& view, const Match& match) {
  std::set<std::string> homes;
  for (const std::string& mutant : match.mutants) {
    homes.insert(view.homes.at(mutant));
  }
  return homes.size() == 1 ? FindCriterion(view.rubric, *homes.begin()) : nullptr;
}

bool IsOfCombinations(const Criterion& criterion) {
  const std::vector<std::string>& tags = criterion.value.arguments;
  return std::ranges::find(tags, "combinations") != tags.end();
}

// Cases are about one thing, so that a bug fails those of its feature and those of several features
// at once; and where it fails others all the same, a strong match charges it once.
TEST(CostOnce, CuringABugMovesItsOwnRowAndCombinations) {
  constexpr double kMostElsewhere = 1;
  const ChallengeView view = View();
  for (const Evidence& cell : GradedCells()) {
    const Diagnosis diagnosis = DiagnoseCell(view, cell).value();
    for (const Match& match : diagnosis.matches) {
      const Criterion* const own = OwnRowOf(view, match);
      ASSERT_NE(own, nullptr) << cell.model << ": " << MutantsOf(match);
      double elsewhere = 0;
      std::string rows;
      for (const auto& [id, gain] : GainsOf(view, cell, match)) {
        const Criterion& criterion = *FindCriterion(view.rubric, id);
        if (&criterion != own && !IsOfCombinations(criterion)) {
          elsewhere += std::abs(gain);
          rows += std::abs(gain) > 0.005 ? fmt::format(" {} {:+.2f}", id, gain) : "";
        }
      }
      EXPECT_LE(elsewhere, kMostElsewhere) << cell.model << ": " << MutantsOf(match) << ":" << rows;
    }
  }
}

TEST(CostOnce, TheOrderOfThePublishedModelsHolds) {
  const ChallengeView view = View();
  std::map<std::string, double> overall;
  for (const Evidence& cell : GradedCells()) {
    overall[cell.model] = OverallOf(view, cell);
  }
  ASSERT_TRUE(overall.contains("qwen3.6-27b") && overall.contains("glm-5") &&
              overall.contains("minimax-m2.7"));
  EXPECT_GT(overall["qwen3.6-27b"], overall["glm-5"]);
  EXPECT_GT(overall["glm-5"], overall["minimax-m2.7"]);
}

}  // namespace
}  // namespace assay
