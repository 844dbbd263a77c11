// SPDX-License-Identifier: Apache-2.0
#include "score/value_of_own_tests.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "score/applicable_mutants.h"
#include "score/value_parts.h"

namespace assay {
namespace {

CriterionValue KillsMutant(std::string_view mutant, const OwnTestsEvidence& tests) {
  if (Contains(tests.mutants_killed, mutant)) {
    return Measured(1, "killed");
  }
  if (tests.shipped == 0) {
    return Measured(0, "no own tests");
  }
  if (Contains(tests.mutants_survived, mutant)) {
    return Measured(0, "survives");
  }
  return NotMeasured(fmt::format("own tests were not run against {}", mutant));
}

// Of few mutants a share says little: who does next to nothing would have it whole with one kill.
constexpr std::size_t kLeastMutants = 10;

CriterionValue ShareOfMutantsKilled(const ChallengeView& challenge, const Evidence& evidence) {
  const std::set<std::string> applicable = ApplicableMutants(challenge, evidence);
  const std::size_t killed = evidence.own_tests.mutants_killed.size();
  return Measured(
      static_cast<double>(killed) / static_cast<double>(std::max(applicable.size(), kLeastMutants)),
      fmt::format("{} of {} that apply", killed, applicable.size()));
}

/// Of the bugs that the criterion `home` is about. Their number is the challenge's, so it is whole
/// with few too: a row of it is shown beside that of all.
CriterionValue ShareOfHomeKilled(std::string_view home, const ChallengeView& challenge,
                                 const Evidence& evidence) {
  const std::set<std::string> applicable = ApplicableMutantsOf(home, challenge, evidence);
  if (applicable.empty()) {
    return NotMeasured(fmt::format("no mutant of {} applies", home));
  }
  const auto killed = std::ranges::count_if(applicable, [&](const std::string& mutant) {
    return Contains(evidence.own_tests.mutants_killed, mutant);
  });
  return CountOf(static_cast<std::size_t>(killed), applicable.size());
}

}  // namespace

CriterionValue ValueOfOwnTests(const std::vector<std::string>& arguments,
                               const ChallengeView& challenge, const Evidence& evidence) {
  const OwnTestsEvidence& tests = evidence.own_tests;
  const std::string_view field = arguments.front();
  constexpr std::string_view kKills = "kills:";
  if (field.starts_with(kKills)) {
    return KillsMutant(field.substr(kKills.size()), tests);
  }
  if (field == "shipped") {
    return Measured(tests.shipped);
  }
  if (field == "passing_on_itself") {
    return MeasuredOf(tests.passing_on_itself, tests.shipped);
  }
  if (field == "passing_on_baseline") {
    return MeasuredOf(tests.passing_on_baseline, tests.shipped);
  }
  if (field == "benchmarks_shipped") {
    return Measured(tests.benchmarks_shipped);
  }
  if (field == "benchmarks_running") {
    return MeasuredOf(tests.benchmarks_running, tests.benchmarks_shipped);
  }
  if (field == "mutants_killed") {
    const std::ptrdiff_t killed = std::ssize(tests.mutants_killed);
    const std::ptrdiff_t mutants = killed + std::ssize(tests.mutants_survived);
    return mutants == 0 ? Measured(0) : MeasuredOf(static_cast<double>(killed), mutants);
  }
  if (field == "mutants_killed_share") {
    return arguments.size() > 1 ? ShareOfHomeKilled(arguments[1], challenge, evidence)
                                : ShareOfMutantsKilled(challenge, evidence);
  }
  return NotMeasured(fmt::format("own tests have no field {}", field));
}

}  // namespace assay
