// SPDX-License-Identifier: Apache-2.0
#include "score/failure_model.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "score/diagnosis.h"

namespace assay {
namespace {

constexpr double kUnlike = 0.5;         ///< What a case counts whose failure is of another kind.
constexpr double kFidelity = 0.9;       ///< How surely a bug like a mutant's fails what it fails.
constexpr double kUnknownCause = 0.05;  ///< The chance that a case fails without any of the bugs.
constexpr double kCostOfABug = 1;       ///< In units of ln(number of mutants).

/// Of the runs in which the case was run.
double FailureRate(const CaseOutcomes& outcomes, int runs) {
  int failed = 0;
  for (const auto& [verdict, count] : outcomes) {
    if (verdict == Verdict::kSkipped) {
      runs -= count;
    } else {
      failed += count;
    }
  }
  return runs > 0 ? static_cast<double>(failed) / runs : 0;
}

/// What a case tells: the less, the more mutants fail it.
double WeightOf(const std::string& case_name, const Signatures& signatures) {
  int failing = 0;
  for (const auto& [name, mutant] : signatures.mutants) {
    const auto found = mutant.cases.find(case_name);
    failing += found != mutant.cases.end() && FailureRate(found->second, signatures.runs) > 0;
  }
  return std::log2(1 + static_cast<double>(signatures.mutants.size()) / std::max(failing, 1));
}

/// Of the end that the case came to, where a bug makes it fail at this rate.
double CostOf(const Fact& fact, double rate) {
  const double passes = (1 - kUnknownCause) * (1 - kFidelity * rate);
  return -fact.weight * std::log(fact.failed ? 1 - passes : passes);
}

/// Whether the case failed as it does in some run of the mutant.
bool FailedAlike(const Fact& fact, const MutantSignature& mutant, const CaseOutcomes& outcomes) {
  if (!outcomes.contains(fact.verdict)) {
    return false;
  }
  const auto kinds = mutant.kinds.find(fact.name);
  return kinds == mutant.kinds.end() ||
         std::ranges::any_of(kinds->second,
                             [&](const FailureKind& kind) { return AreAlike(fact.kind, kind); });
}

Prediction Predict(const MutantSignature& mutant, int runs, const Fact& fact) {
  const auto found = mutant.cases.find(fact.name);
  if (found == mutant.cases.end()) {
    return {.rate = 0, .cost = CostOf(fact, 0)};
  }
  const double rate = FailureRate(found->second, runs);
  if (!fact.failed) {
    return {.rate = rate, .cost = CostOf(fact, rate)};
  }
  const bool is_alike = FailedAlike(fact, mutant, found->second);
  const double likeness = is_alike ? rate : rate * kUnlike;
  return {.rate = rate,
          .support = fact.weight * likeness,
          .is_alike = is_alike,
          .cost = CostOf(fact, likeness)};
}

/// How much of a failing case a bug explains that may fail it.
double ShareOf(const Prediction& prediction) { return prediction.is_alike ? 1 : kUnlike; }

/// How good an explanation is: the cheaper, the better; of equals, what more speaks for.
struct Merit {
  double cost = 0;
  double support = 0;

  [[nodiscard]] bool IsBetterThan(const Merit& other) const {
    // Sums in another order differ in their last bits: that is no gain.
    constexpr double kLeastGain = 1e-9;
    return cost < other.cost - kLeastGain ||
           (cost < other.cost + kLeastGain && support > other.support + kLeastGain);
  }
};

/// The cost of each fact's end where a submission has these bugs: a case fails by the bug that most
/// surely makes it fail, and its passing speaks against that one most.
std::vector<double> CostsOf(const FailureModel& model, const std::vector<std::size_t>& members) {
  std::vector<double> costs;
  costs.reserve(model.facts.size());
  for (std::size_t i = 0; i < model.facts.size(); ++i) {
    const Fact& fact = model.facts[i];
    double cost = fact.cost_without_a_bug;
    for (const std::size_t member : members) {
      const double other = model.suspects[member].predictions[i].cost;
      cost = fact.failed ? std::min(cost, other) : std::max(cost, other);
    }
    costs.push_back(cost);
  }
  return costs;
}

/// What the bugs cost and what speaks for them, without the facts.
Merit MeritOfBugs(const FailureModel& model, const std::vector<std::size_t>& members) {
  Merit merit;
  for (const std::size_t member : members) {
    merit.cost += kCostOfABug * std::log(static_cast<double>(model.suspects.size()));
    merit.support += model.suspects[member].support;
  }
  return merit;
}

/// A set of suspects under improvement. Nearly all of a diagnosis is to ask of a set what one more
/// suspect would cost, so the costs of the set are added up once, and a sum that is dear already is
/// not ended: no cost is negative.
class Explanation {
 public:
  Explanation(const FailureModel& model, const std::vector<std::size_t>& candidates,
              std::vector<std::size_t> members)
      : model_(model),
        candidates_(candidates),
        members_(std::move(members)),
        merit_(MeritOfBugs(model, members_)) {
    for (const double cost : CostsOf(model, members_)) {
      merit_.cost += cost;
    }
  }

  /// Adds, drops or exchanges a member, whichever gains most; false when nothing gains.
  bool Improve() {
    const std::vector<std::size_t> before = members_;
    bool improved = TakeBestWithOneMore(before, CostsOf(model_, before));
    for (std::size_t k = 0; k < before.size(); ++k) {
      std::vector<std::size_t> fewer = before;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
      const std::vector<double> costs = CostsOf(model_, fewer);
      improved = TakeIfBetter(fewer, costs) || improved;
      improved = TakeBestWithOneMore(fewer, costs) || improved;
    }
    return improved;
  }

  /// `costs` are the members'.
  bool TakeIfBetter(const std::vector<std::size_t>& members, const std::vector<double>& costs) {
    Merit merit = MeritOfBugs(model_, members);
    for (const double cost : costs) {
      merit.cost += cost;
    }
    return Take(merit, members);
  }

  [[nodiscard]] const std::vector<std::size_t>& members() const { return members_; }
  [[nodiscard]] std::vector<std::size_t> SortedMembers() const {
    std::vector<std::size_t> sorted = members_;
    std::ranges::sort(sorted);
    return sorted;
  }

 private:
  bool Take(const Merit& merit, const std::vector<std::size_t>& members) {
    if (!merit.IsBetterThan(merit_)) {
      return false;
    }
    merit_ = merit;
    members_ = members;
    return true;
  }

  bool TakeBestWithOneMore(const std::vector<std::size_t>& members,
                           const std::vector<double>& costs) {
    bool improved = false;
    std::vector<std::size_t> more = members;
    more.push_back(0);
    for (const std::size_t candidate : candidates_) {
      if (std::ranges::find(members, candidate) == members.end()) {
        more.back() = candidate;
        improved = Take(MeritWith(model_.suspects[candidate], more, costs), more) || improved;
      }
    }
    return improved;
  }

  // Of `more`, whose last member is `suspect` and of whose others these are the costs.
  [[nodiscard]] Merit MeritWith(const Suspect& suspect, const std::vector<std::size_t>& more,
                                const std::vector<double>& costs) const {
    Merit merit = MeritOfBugs(model_, more);
    const double too_dear = merit_.cost + 1;
    for (std::size_t i = 0; i < costs.size() && merit.cost < too_dear; ++i) {
      const double other = suspect.predictions[i].cost;
      merit.cost += model_.facts[i].failed ? std::min(costs[i], other) : std::max(costs[i], other);
    }
    return merit;
  }

  const FailureModel& model_;
  const std::vector<std::size_t>& candidates_;
  std::vector<std::size_t> members_;
  Merit merit_;
};

/// Whether no case passes that the mutant fails in every run.
bool IsUnopposed(const FailureModel& model, const Suspect& suspect) {
  for (std::size_t i = 0; i < model.facts.size(); ++i) {
    if (!model.facts[i].failed && suspect.predictions[i].rate >= 1) {
      return false;
    }
  }
  return true;
}

}  // namespace

FailureModel MakeFailureModel(const SuiteEvidence& suite, const Signatures& signatures) {
  FailureModel model;
  for (const CaseEvidence& one : suite.cases) {
    const bool failed = IsGatingFailure(one);
    if (failed || (one.gates && one.verdict == Verdict::kAccepted)) {
      Fact& fact = model.facts.emplace_back(Fact{.name = one.name,
                                                 .failed = failed,
                                                 .verdict = one.verdict,
                                                 .kind = KindOfFailure(one),
                                                 .weight = WeightOf(one.name, signatures)});
      fact.cost_without_a_bug = CostOf(fact, 0);
      model.failing_weight += failed ? fact.weight : 0;
    }
  }
  for (const auto& [name, mutant] : signatures.mutants) {
    Suspect suspect{.mutant = name, .predictions = {}, .support = 0};
    for (std::size_t i = 0; i < model.facts.size(); ++i) {
      suspect.predictions.push_back(Predict(mutant, signatures.runs, model.facts[i]));
      suspect.support += suspect.predictions.back().support;
    }
    model.suspects.push_back(std::move(suspect));
  }
  return model;
}

double Likeness(const FailureModel& model, const std::vector<std::size_t>& members) {
  double both = 0;
  double either = 0;
  for (std::size_t i = 0; i < model.facts.size(); ++i) {
    const Fact& fact = model.facts[i];
    double share = 0;
    for (const std::size_t member : members) {
      const Prediction& prediction = model.suspects[member].predictions[i];
      if (fact.failed && prediction.rate > 0) {
        share = std::max(share, ShareOf(prediction));
      } else if (!fact.failed && prediction.rate >= 1) {
        share = 1;
      }
    }
    both += fact.failed ? fact.weight * share : 0;
    either += fact.failed ? fact.weight : fact.weight * share;
  }
  return either > 0 ? both / either : 0;
}

double LikenessAlone(const FailureModel& model, std::size_t member,
                     const std::vector<std::size_t>& others) {
  double alone = 0;
  double missed = 0;
  for (std::size_t i = 0; i < model.facts.size(); ++i) {
    const Fact& fact = model.facts[i];
    const Prediction& own = model.suspects[member].predictions[i];
    double explained = fact.failed && own.rate > 0 ? ShareOf(own) : 0;
    bool always_fails = own.rate >= 1;
    bool others_may_fail = false;
    for (const std::size_t other : others) {
      const Prediction& prediction = model.suspects[other].predictions[i];
      others_may_fail = others_may_fail || prediction.rate > 0;
      if (prediction.rate >= 1) {
        always_fails = true;
        explained = std::max(explained, ShareOf(prediction));
      }
    }
    if (fact.failed) {
      alone += own.rate > 0 && !others_may_fail ? fact.weight * explained : 0;
      missed += fact.weight * (1 - explained);
    } else {
      missed += always_fails ? fact.weight : 0;
    }
  }
  return alone > 0 ? alone / (alone + missed) : 0;
}

std::vector<std::size_t> CheapestExplanation(const FailureModel& model,
                                             const std::vector<bool>& allowed) {
  std::vector<std::size_t> candidates;
  std::vector<std::size_t> unopposed;
  for (std::size_t i = 0; i < model.suspects.size(); ++i) {
    if (allowed[i] && model.suspects[i].support > 0) {
      candidates.push_back(i);
      if (IsUnopposed(model, model.suspects[i])) {
        unopposed.push_back(i);
      }
    }
  }
  Explanation best(model, candidates, {});
  for (const auto* const group : {&candidates, &unopposed}) {
    // Most starts meet: what follows a set that was seen is known, and no better than `best`.
    std::set<std::vector<std::size_t>> seen;
    for (const std::size_t start : *group) {
      Explanation explanation(model, *group, {start});
      while (seen.insert(explanation.SortedMembers()).second && explanation.Improve()) {
      }
      best.TakeIfBetter(explanation.members(), CostsOf(model, explanation.members()));
    }
  }
  return best.members();
}

}  // namespace assay
