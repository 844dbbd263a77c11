// SPDX-License-Identifier: Apache-2.0
// Tests what a diagnosis says of bugs that nobody wrote for it: those that scripts/mutate planted
// in the baseline, by what their suites failed (mutants/by_machine.json), without running any. In
// which criteria such a bug may rightly cost was said by a reader, by its code alone
// (homes_by_machine.txt).

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "reference_test_support.h"
#include "score/diagnosis.h"
#include "spec/rubric.h"

namespace assay {
namespace {

std::string ReadList(const char* name) {
  auto text = ReadFile(Reference().Directory() / "mutants" / name);
  return text ? *std::move(text) : throw std::runtime_error(ToString(text.error()));
}

struct PlantedBug {
  std::string name;  ///< `file | text of the line | old -> new`.
  SuiteEvidence suite;
};

/// The cases that the suite had when it ran: accepted, unless the run says otherwise.
SuiteEvidence SuiteOf(const nlohmann::json& failures, const std::vector<std::string>& case_names) {
  std::map<std::string, CaseEvidence> cases;
  for (const std::string& name : case_names) {
    cases[name].verdict = Verdict::kAccepted;
  }
  for (const auto& [verdict, operation, output, error, names] :
       failures.get<std::vector<std::tuple<std::string, nlohmann::json, nlohmann::json,
                                           nlohmann::json, std::vector<std::string>>>>()) {
    for (const std::string& name : names) {
      CaseEvidence& one = cases[name];
      one.verdict = VerdictFromString(verdict).value();
      if (!operation.is_null()) {
        one.failing_operation = operation.get<std::string>();
      }
      if (!output.is_null()) {
        one.failing_output = output.get<std::string>();
      }
      if (!error.is_null()) {
        one.error_over_bound = std::stod(error.get<std::string>());
      }
    }
  }
  SuiteEvidence suite;
  for (auto& [name, one] : cases) {
    one.name = name;
    suite.cases.push_back(std::move(one));
  }
  return suite;
}

std::vector<PlantedBug> PlantedBugs() {
  const auto document = nlohmann::json::parse(ReadList("by_machine.json"));
  const auto case_names = document.at("cases").get<std::vector<std::string>>();
  std::vector<PlantedBug> bugs;
  for (const auto& one : document.at("killed")) {
    bugs.push_back({.name = one.at("mutant").get<std::string>(),
                    .suite = SuiteOf(one.at("failures"), case_names)});
  }
  return bugs;
}

/// By the name of a bug: the criteria in which it may rightly cost.
std::map<std::string, std::set<std::string>> HomesByHand() {
  std::map<std::string, std::set<std::string>> homes;
  for (const std::string& line : SplitLines(ReadList("homes_by_machine.txt"))) {
    const std::size_t bar = line.rfind(" | ");
    if (line.starts_with('#') || bar == std::string::npos) {
      continue;
    }
    std::istringstream words(line.substr(bar + 3));
    homes[line.substr(0, bar)] = {std::istream_iterator<std::string>(words), {}};
  }
  return homes;
}

TEST(ByMachine, OfEachBugAReaderSaidWhereItBelongs) {
  const ChallengeView view = ViewUnderTest(Reference());
  const auto by_hand = HomesByHand();
  for (const PlantedBug& bug : PlantedBugs()) {
    ASSERT_TRUE(by_hand.contains(bug.name)) << "homes_by_machine.txt lacks " << bug.name;
    for (const std::string& home : by_hand.at(bug.name)) {
      EXPECT_NE(FindCriterion(view.rubric, home), nullptr)
          << home << " is no criterion: " << bug.name;
    }
  }
}

// A strong match decides in which row a bug costs.
TEST(ByMachine, StrongIsRight) {
  constexpr double kLeastRight = 0.95;
  const ChallengeView view = ViewUnderTest(Reference());
  const auto by_hand = HomesByHand();
  std::map<std::string, int> said;  ///< By certainty.
  std::map<std::string, int> right;
  std::string wrong;
  for (const PlantedBug& bug : PlantedBugs()) {
    for (const Match& match : Diagnose(bug.suite, *view.signatures).matches) {
      const std::string certainty(CertaintyOf(match));
      const bool is_right = std::ranges::all_of(match.mutants, [&](const std::string& mutant) {
        return by_hand.at(bug.name).contains(view.homes.at(mutant));
      });
      ++said[certainty];
      right[certainty] += is_right ? 1 : 0;
      if (match.is_strong && !is_right) {
        wrong += fmt::format("{} is said to be like {} ({})\n", bug.name, MutantsOf(match),
                             GroundsOf(match));
      }
    }
  }
  EXPECT_GT(said["strong"], 0) << "a strong match that never is says nothing";
  EXPECT_GE(right["strong"], kLeastRight * said["strong"])
      << "harness/score/README.md says when a match is strong: make that stricter\n"
      << wrong;
  for (const auto& [certainty, count] : said) {
    fmt::print("{}: {} of {} right\n", certainty, right[certainty], count);
  }
}

}  // namespace
}  // namespace assay
