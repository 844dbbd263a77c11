// SPDX-License-Identifier: Apache-2.0
#include "score/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "base/text.h"
#include "score/failure_model.h"

namespace assay {
namespace {

constexpr double kLeastConfidence = 0.25;
constexpr double kLikely = 0.5;
constexpr double kStrong = 0.8;
// What makes a match strong, so chosen that bugs taken out of the lists are not: see README.md.
constexpr double kStrongLikeness = 0.97;
constexpr double kStrongMargin = 0.1;
constexpr std::size_t kStrongCases = 3;
constexpr double kAsGood = 0.9;  ///< Of another's rank: not told apart from it.
constexpr std::size_t kMostNames = 3;

/// A mutant against some of the facts, by index.
struct Standing {
  double confidence = 0;
  double rank = 0;
  std::vector<std::size_t> cases_for;
  std::vector<std::size_t> cases_against;
};

/// The chance that of `drawn` cases out of `all`, of which `failing` fail, at least `hits` fail.
double ChanceOfHits(std::size_t all, std::size_t failing, std::size_t drawn, std::size_t hits) {
  std::vector<double> log_factorial(all + 1, 0.0);
  for (std::size_t i = 1; i <= all; ++i) {
    log_factorial[i] = log_factorial[i - 1] + std::log(static_cast<double>(i));
  }
  const auto log_choose = [&](std::size_t n, std::size_t k) {
    return log_factorial[n] - log_factorial[k] - log_factorial[n - k];
  };
  double chance = 0;
  for (std::size_t i = hits; i <= std::min(failing, drawn); ++i) {
    if (drawn - i <= all - failing) {
      chance += std::exp(log_choose(failing, i) + log_choose(all - failing, drawn - i) -
                         log_choose(all, drawn));
    }
  }
  return std::min(chance, 1.0);
}

/// Turns the cheapest explanation into matches, one after another.
class Matcher {
 public:
  explicit Matcher(const FailureModel& model)
      : model_(model), allowed_(model.suspects.size(), true) {
    while (!MatchAll(CheapestExplanation(model_, allowed_))) {
    }
    for (std::size_t i = 0; i < matches_.size(); ++i) {
      const Standing alone = StandingOf(model_.suspects[chosen_[i]], MayFailByOthers(i));
      matches_[i].cases_alone = NamesOfFacts(alone.cases_for);
      matches_[i].is_strong = IsStrong(i, alone);
    }
  }

  [[nodiscard]] Diagnosis Result() && {
    Diagnosis diagnosis{.failing = 0, .matches = std::move(matches_), .unexplained = {}};
    for (std::size_t i = 0; i < model_.facts.size(); ++i) {
      diagnosis.failing += model_.facts[i].failed ? 1 : 0;
      if (model_.facts[i].failed && !explained_[i]) {
        diagnosis.unexplained.push_back(model_.facts[i].name);
      }
    }
    return diagnosis;
  }

 private:
  /// False when some member is no match: it is ruled out.
  bool MatchAll(std::vector<std::size_t> members) {
    explained_.assign(model_.facts.size(), false);
    matches_.clear();
    chosen_.clear();
    while (!members.empty()) {
      std::vector<Standing> standings;
      standings.reserve(members.size());
      for (const std::size_t member : members) {
        standings.push_back(StandingOf(model_.suspects[member], explained_));
      }
      const auto best =
          std::ranges::max_element(standings, {}, &Standing::rank) - standings.begin();
      const auto chosen = members.begin() + best;
      const Standing& standing = standings[static_cast<std::size_t>(best)];
      if (standing.confidence < kLeastConfidence) {
        allowed_[*chosen] = false;
        return false;
      }
      AddMatch(*chosen, standing);
      chosen_.push_back(*chosen);
      members.erase(chosen);
    }
    return true;
  }

  void AddMatch(std::size_t member, const Standing& standing) {
    Match match{.mutants = {},
                .confidence = standing.confidence,
                .is_strong = false,
                .cases_for = NamesOfFacts(standing.cases_for),
                .cases_alone = {},
                .agreeing = 0,
                .cases_against = NamesOfFacts(standing.cases_against)};
    std::vector<const Suspect*> alike;
    for (const Suspect& suspect : model_.suspects) {
      const Standing other = StandingOf(suspect, explained_);
      if (&suspect == &model_.suspects[member] ||
          (other.cases_for == standing.cases_for && other.cases_against == standing.cases_against &&
           other.rank >= kAsGood * standing.rank)) {
        alike.push_back(&suspect);
      }
    }
    std::ranges::sort(alike, [](const Suspect* left, const Suspect* right) {
      return left->support != right->support ? left->support > right->support
                                             : left->mutant < right->mutant;
    });
    for (const Suspect* suspect : alike) {
      match.mutants.push_back(suspect->mutant);
    }
    for (std::size_t i = 0; i < explained_.size(); ++i) {
      match.agreeing += explained_[i] && model_.suspects[member].predictions[i].rate > 0 ? 1 : 0;
    }
    for (const std::size_t fact : standing.cases_for) {
      explained_[fact] = true;
    }
    matches_.push_back(std::move(match));
  }

  // A submission may plant a bug of the public list beside its own, so no other match may help this
  // one to be strong: refusing the same cases would then cost more than being wrong in them. What
  // speaks for a match are therefore the failing cases that it alone may fail, and what speaks
  // against it is all that the matches together miss, where only what another fails in every run is
  // explained by that. Another match can take from the first and add to the second, and no more: to
  // drop it with the cases that it always fails leaves a strong match strong.
  [[nodiscard]] bool IsStrong(std::size_t index, const Standing& alone) const {
    // Who dies says what died, and nothing of why.
    const bool only_dies = std::ranges::all_of(alone.cases_for, [&](std::size_t fact) {
      return model_.facts[fact].verdict == Verdict::kRuntimeError;
    });
    return alone.confidence >= kStrong && alone.cases_for.size() >= kStrongCases && !only_dies &&
           LikenessAlone(model_, chosen_[index], Others(index)) >= kStrongLikeness &&
           IsAloneInItsLikeness(index);
  }

  /// The other matches' suspects.
  [[nodiscard]] std::vector<std::size_t> Others(std::size_t index) const {
    std::vector<std::size_t> others = chosen_;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(index));
    return others;
  }

  /// By fact: whether it failed, and another match's mutant fails it in some run.
  [[nodiscard]] std::vector<bool> MayFailByOthers(std::size_t index) const {
    const std::vector<std::size_t> others = Others(index);
    std::vector<bool> may_fail(model_.facts.size());
    for (std::size_t i = 0; i < may_fail.size(); ++i) {
      may_fail[i] = model_.facts[i].failed && std::ranges::any_of(others, [&](std::size_t other) {
                      return model_.suspects[other].predictions[i].rate > 0;
                    });
    }
    return may_fail;
  }

  /// Whether the matches are less like the failures without this one, and with any other mutant in
  /// its place: where the list has bugs that look alike, so will others.
  [[nodiscard]] bool IsAloneInItsLikeness(std::size_t index) const {
    std::vector<std::size_t> others = Others(index);
    double next = Likeness(model_, others);
    for (std::size_t i = 0; i < model_.suspects.size(); ++i) {
      if (std::ranges::find(chosen_, i) == chosen_.end()) {
        others.push_back(i);
        next = std::max(next, Likeness(model_, others));
        others.pop_back();
      }
    }
    return Likeness(model_, chosen_) - next >= kStrongMargin;
  }

  /// In the facts that are not `closed`.
  [[nodiscard]] Standing StandingOf(const Suspect& suspect, const std::vector<bool>& closed) const {
    Standing standing;
    std::size_t open = 0;
    std::size_t failing = 0;
    std::size_t predicted = 0;
    double support = 0;
    double against = 0;
    double covered = 0;
    for (std::size_t i = 0; i < model_.facts.size(); ++i) {
      if (closed[i]) {
        continue;
      }
      const Fact& fact = model_.facts[i];
      const Prediction& prediction = suspect.predictions[i];
      ++open;
      failing += fact.failed ? 1U : 0U;
      predicted += prediction.rate > 0 ? 1U : 0U;
      if (fact.failed && prediction.rate > 0) {
        standing.cases_for.push_back(i);
        support += prediction.support;
        // What failed in another way speaks for it by one half, and against it by the other.
        against += fact.weight * prediction.rate - prediction.support;
        covered += fact.weight;
      } else if (!fact.failed && prediction.rate >= 1) {
        standing.cases_against.push_back(i);
        against += fact.weight;
      }
    }
    const std::size_t hits = standing.cases_for.size();
    if (hits == 0) {
      return standing;
    }
    const double agreement = support / (support + against);
    const double surprise = 1 - ChanceOfHits(open, failing, predicted, hits);
    const double left_over = 1 - covered / model_.failing_weight;
    const double scope = 1 - left_over / static_cast<double>(1 + hits);
    standing.confidence = agreement * surprise * scope;
    standing.rank = support * standing.confidence;
    return standing;
  }

  [[nodiscard]] std::vector<std::string> NamesOfFacts(const std::vector<std::size_t>& facts) const {
    std::vector<std::string> names;
    names.reserve(facts.size());
    for (const std::size_t fact : facts) {
      names.push_back(model_.facts[fact].name);
    }
    return names;
  }

  const FailureModel& model_;
  std::vector<bool> allowed_;
  std::vector<bool> explained_;
  std::vector<Match> matches_;
  std::vector<std::size_t> chosen_;  ///< The suspect of each.
};

std::string CountOrNone(std::size_t count) { return count == 0 ? "none" : std::to_string(count); }

}  // namespace

bool IsGatingFailure(const CaseEvidence& one) {
  return one.gates && one.verdict != Verdict::kAccepted && one.verdict != Verdict::kSkipped &&
         one.verdict != Verdict::kJudgeError;
}

int CountGatingFailures(const SuiteEvidence& suite) {
  return static_cast<int>(std::ranges::count_if(suite.cases, IsGatingFailure));
}

int RunsThatFailed(const CaseOutcomes& outcomes) {
  int failed = 0;
  for (const auto& [verdict, runs] : outcomes) {
    failed += verdict == Verdict::kSkipped ? 0 : runs;
  }
  return failed;
}

std::string_view CertaintyOf(const Match& match) {
  if (match.is_strong) {
    return "strong";
  }
  return match.confidence >= kLikely ? "likely" : "weak";
}

Diagnosis Diagnose(const SuiteEvidence& suite, const Signatures& signatures) {
  if (CountGatingFailures(suite) == 0) {
    return {};
  }
  const FailureModel model = MakeFailureModel(suite, signatures);
  return Matcher(model).Result();
}

std::optional<Diagnosis> DiagnoseCell(const ChallengeView& challenge, const Evidence& evidence) {
  if (!challenge.signatures) {
    return std::nullopt;
  }
  return Diagnose(evidence.suite, *challenge.signatures);
}

int CountDistinct(const Diagnosis& diagnosis) {
  return static_cast<int>(diagnosis.matches.size()) + (diagnosis.unexplained.empty() ? 0 : 1);
}

const Match* FindMatch(const Diagnosis& diagnosis, std::string_view case_name) {
  const auto found = std::ranges::find_if(diagnosis.matches, [&](const Match& match) {
    return std::ranges::find(match.cases_for, case_name) != match.cases_for.end();
  });
  return found == diagnosis.matches.end() ? nullptr : &*found;
}

std::string MutantsOf(const Match& match) {
  const std::size_t shown = std::min(match.mutants.size(), kMostNames);
  const std::vector<std::string> first(match.mutants.begin(),
                                       match.mutants.begin() + static_cast<std::ptrdiff_t>(shown));
  const std::string names = Join(first, " or ");
  return shown == match.mutants.size()
             ? names
             : fmt::format("{} or {} more", names, match.mutants.size() - shown);
}

std::string GroundsOf(const Match& match) {
  return fmt::format("{}, {:.2f}: {} case{} for{}, {} against", CertaintyOf(match),
                     match.confidence, match.cases_for.size(),
                     match.cases_for.size() == 1 ? "" : "s",
                     match.agreeing == 0 ? "" : fmt::format(" and {} that agree", match.agreeing),
                     CountOrNone(match.cases_against.size()));
}

}  // namespace assay
