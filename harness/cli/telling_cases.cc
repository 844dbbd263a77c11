// SPDX-License-Identifier: Apache-2.0
#include "cli/telling_cases.h"

#include <fnmatch.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace assay {
namespace {

constexpr double kNearlyTheMost = 0.8;

using Names = std::set<std::string, std::less<>>;

/// Which mutants each case finds in every run.
using Killers = std::map<std::string, Names, std::less<>>;

bool FailsEachTime(const CaseOutcomes& outcomes, int runs) {
  int failed = 0;
  for (const auto& [verdict, times] : outcomes) {
    failed += verdict == Verdict::kSkipped ? 0 : times;
  }
  return failed >= runs;
}

Killers KillersIn(const std::optional<Signatures>& signatures) {
  Killers killers;
  if (!signatures) {
    return killers;
  }
  for (const auto& [mutant, signature] : signatures->mutants) {
    for (const auto& [name, outcomes] : signature.cases) {
      if (FailsEachTime(outcomes, signatures->runs)) {
        killers[name].insert(mutant);
      }
    }
  }
  return killers;
}

class Chooser {
 public:
  Chooser(const std::vector<std::string>& cases, Killers killers, std::size_t most)
      : cases_(cases), killers_(std::move(killers)), most_(most) {}

  void Know(const CaseEvidence& tried) {
    taken_.insert(tried.name);
    groups_.emplace(GroupOf(tried.name));
    if (tried.verdict != Verdict::kSkipped) {
      Cover(tried.name);
    }
  }

  std::vector<std::string> Choose() {
    TakeKillers();
    TakeOneOfEachGroup();
    std::vector<std::string> chosen;
    std::ranges::copy_if(cases_, std::back_inserter(chosen), [&](const std::string& name) {
      return std::ranges::find(chosen_, name) != chosen_.end();
    });
    return chosen;
  }

 private:
  void Cover(const std::string& name) {
    const Names& killed = MutantsOf(name);
    covered_.insert(killed.begin(), killed.end());
  }

  [[nodiscard]] const Names& MutantsOf(const std::string& name) const {
    static const Names kNone;
    const auto at = killers_.find(name);
    return at == killers_.end() ? kNone : at->second;
  }

  void Take(const std::string& name) {
    taken_.insert(name);
    groups_.emplace(GroupOf(name));
    Cover(name);
    chosen_.push_back(name);
  }

  [[nodiscard]] std::ptrdiff_t CountNew(const std::string& name) const {
    return taken_.contains(name) ? 0
                                 : std::ranges::count_if(MutantsOf(name), [&](const auto& mutant) {
                                     return !covered_.contains(mutant);
                                   });
  }

  void TakeKillers() {
    while (chosen_.size() < most_) {
      std::ptrdiff_t best = 0;
      for (const std::string& name : cases_) {
        best = std::max(best, CountNew(name));
      }
      if (best == 0) {
        return;
      }
      Take(*std::ranges::find_if(cases_, [&](const std::string& name) {
        return static_cast<double>(CountNew(name)) >= kNearlyTheMost * static_cast<double>(best);
      }));
    }
  }

  void TakeOneOfEachGroup() {
    std::map<std::string_view, const std::string*> best_of;
    std::vector<std::string_view> order;
    for (const std::string& name : cases_) {
      const auto [at, is_first] = best_of.try_emplace(GroupOf(name), &name);
      if (is_first) {
        order.push_back(at->first);
      } else if (MutantsOf(name).size() > MutantsOf(*at->second).size()) {
        at->second = &name;
      }
    }
    for (const std::string_view group : order) {
      if (chosen_.size() < most_ && !groups_.contains(group)) {
        Take(*best_of.at(group));
      }
    }
  }

  const std::vector<std::string>& cases_;
  Killers killers_;
  std::size_t most_;
  Names taken_;
  Names groups_;
  Names covered_;
  std::vector<std::string> chosen_;
};

}  // namespace

std::vector<std::string> ChooseTellingCases(const std::vector<std::string>& cases,
                                            const std::optional<Signatures>& signatures,
                                            const std::vector<CaseEvidence>& tried,
                                            std::size_t most) {
  Chooser chooser(cases, KillersIn(signatures), most);
  for (const CaseEvidence& one : tried) {
    chooser.Know(one);
  }
  return chooser.Choose();
}

std::string_view GroupOf(std::string_view name) { return name.substr(0, name.find('.')); }

std::vector<std::string> CasesMatching(const std::vector<std::string>& cases,
                                       const std::string& pattern) {
  std::vector<std::string> matching;
  std::ranges::copy_if(cases, std::back_inserter(matching), [&](const std::string& name) {
    return ::fnmatch(pattern.c_str(), name.c_str(), FNM_NOESCAPE) == 0;
  });
  return matching;
}

}  // namespace assay
