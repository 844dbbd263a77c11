// SPDX-License-Identifier: Apache-2.0
#include "score/applicable_mutants.h"

#include <algorithm>
#include <string_view>

#include "score/work.h"

namespace assay {

std::set<std::string> ApplicableMutants(const ChallengeView& challenge, const Evidence& evidence) {
  std::set<std::string_view> done;
  for (const CaseEvidence& one : evidence.suite.cases) {
    if (!IsLeftOut(one)) {
      done.insert(one.name);
    }
  }
  const auto applies = [&](const std::string& mutant) {
    if (!challenge.signatures || evidence.suite.cases.empty()) {
      return true;
    }
    const auto signature = challenge.signatures->mutants.find(mutant);
    return signature == challenge.signatures->mutants.end() || signature->second.cases.empty() ||
           std::ranges::any_of(signature->second.cases,
                               [&](const auto& outcome) { return done.contains(outcome.first); });
  };
  std::set<std::string> applicable(evidence.own_tests.mutants_killed.begin(),
                                   evidence.own_tests.mutants_killed.end());
  std::ranges::copy_if(evidence.own_tests.mutants_survived,
                       std::inserter(applicable, applicable.end()), applies);
  return applicable;
}

std::set<std::string> ApplicableMutantsOf(std::string_view home, const ChallengeView& challenge,
                                          const Evidence& evidence) {
  std::set<std::string> of_home = ApplicableMutants(challenge, evidence);
  std::erase_if(of_home, [&](const std::string& mutant) {
    const auto found = challenge.homes.find(mutant);
    return found == challenge.homes.end() || found->second != home;
  });
  return of_home;
}

}  // namespace assay
