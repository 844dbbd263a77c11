// SPDX-License-Identifier: Apache-2.0
#include "score/cost_once.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "score/value_parts.h"

namespace assay {
namespace {

/// Whether a refused case leaves the row, and a wrong one does not. In all others both cost alike.
bool LeavesOutWhatIsRefused(const Criterion& criterion) {
  return criterion.value.function == ValueFunction::kRightRate;
}

/// The home of all mutants that a match names; null where they have several, or one has none.
const Criterion* CommonHome(const Match& match, const ChallengeView& challenge) {
  const Criterion* home = nullptr;
  for (const std::string& mutant : match.mutants) {
    const auto found = challenge.homes.find(mutant);
    const Criterion* const own =
        found == challenge.homes.end() ? nullptr : FindCriterion(challenge.rubric, found->second);
    if (own == nullptr || (home != nullptr && own != home)) {
      return nullptr;
    }
    home = own;
  }
  return home;
}

std::vector<ChargedBug> FindBugs(const ChallengeView& challenge, const Evidence& evidence,
                                 const std::optional<Diagnosis>& diagnosis) {
  std::vector<ChargedBug> bugs;
  if (!diagnosis || challenge.homes.empty() ||
      std::ranges::none_of(challenge.rubric.criteria, &LeavesOutWhatIsRefused)) {
    return bugs;
  }
  for (const Match& match : diagnosis->matches) {
    if (const Criterion* const home = HomeOf(match, challenge, evidence)) {
      bugs.push_back({.mutants = MutantsOf(match), .home = home->id, .cases = match.cases_alone});
    }
  }
  return bugs;
}

}  // namespace

const Criterion* HomeOf(const Match& match, const ChallengeView& challenge,
                        const Evidence& evidence) {
  const Criterion* const home = match.is_strong ? CommonHome(match, challenge) : nullptr;
  // A bug that its home does not see would cost nowhere.
  const bool costs_there =
      home != nullptr &&
      Evaluate(*home, challenge, evidence).state == CriterionValue::State::kMeasured &&
      std::ranges::any_of(evidence.suite.cases, [&](const CaseEvidence& one) {
        return IsAbout(*home, one.tags) && Contains(match.cases_alone, one.name);
      });
  return costs_there ? home : nullptr;
}

std::string WhereItCosts(const Match& match, const ChallengeView& challenge,
                         const Evidence& evidence) {
  const Criterion* const home = HomeOf(match, challenge, evidence);
  return home == nullptr ? "" : fmt::format("; costs in {}, elsewhere as if refused", home->title);
}

CostOnce::CostOnce(const ChallengeView& challenge, const Evidence& evidence)
    : CostOnce(challenge, evidence, DiagnoseCell(challenge, evidence)) {}

CostOnce::CostOnce(const ChallengeView& challenge, const Evidence& evidence,
                   std::optional<Diagnosis> diagnosis)
    : challenge_(challenge),
      evidence_(evidence),
      diagnosis_(std::move(diagnosis)),
      bugs_(FindBugs(challenge, evidence, diagnosis_)) {}

CriterionValue CostOnce::Evaluate(const Criterion& criterion) const {
  const std::string explained = ExplainedIn(criterion);
  if (explained.empty()) {
    return assay::Evaluate(criterion, challenge_, evidence_, diagnosis_);
  }
  // What is printed are the cases as they ended: a wrong one is not called refused.
  const CriterionValue as_ended = assay::Evaluate(criterion, challenge_, evidence_, diagnosis_);
  CriterionValue value = assay::Evaluate(criterion, challenge_, WithRefused(criterion), diagnosis_);
  value.note = as_ended.note + explained;
  value.note_is = as_ended.note_is;
  return value;
}

const ChargedBug* CostOnce::ElsewhereCharged(const Criterion& criterion,
                                             std::string_view case_name) const {
  if (!LeavesOutWhatIsRefused(criterion)) {
    return nullptr;
  }
  const auto found = std::ranges::find_if(bugs_, [&](const ChargedBug& bug) {
    return bug.home != criterion.id && Contains(bug.cases, case_name);
  });
  return found == bugs_.end() ? nullptr : &*found;
}

Verdict CostOnce::VerdictIn(const Criterion& criterion, const CaseEvidence& one) const {
  return ElsewhereCharged(criterion, one.name) == nullptr ? one.verdict : Verdict::kSkipped;
}

Evidence CostOnce::WithRefused(const Criterion& criterion) const {
  Evidence refused = evidence_;
  for (CaseEvidence& one : refused.suite.cases) {
    if (ElsewhereCharged(criterion, one.name) != nullptr) {
      one.verdict = Verdict::kSkipped;
      one.skip_cause = SkipCause::kRefused;
    }
  }
  return refused;
}

std::string CostOnce::ExplainedIn(const Criterion& criterion) const {
  std::string text;
  for (const ChargedBug& bug : bugs_) {
    const auto count = std::ranges::count_if(evidence_.suite.cases, [&](const CaseEvidence& one) {
      return IsAbout(criterion, one.tags) && ElsewhereCharged(criterion, one.name) == &bug;
    });
    if (count > 0) {
      text += fmt::format("; {} explained by {}, which costs in {}", count, bug.mutants,
                          FindCriterion(challenge_.rubric, bug.home)->title);
    }
  }
  return text;
}

}  // namespace assay
