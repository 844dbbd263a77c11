// SPDX-License-Identifier: Apache-2.0
#include "chosen_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <stdexcept>
#include <tuple>

#include "base/file.h"
#include "base/text.h"
#include "exec/list_cases.h"
#include "score/diagnosis.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kShareLine = "*";

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  return first == std::string_view::npos
             ? std::string_view()
             : text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string_view WithoutComment(std::string_view line) {
  return Trim(line.substr(0, line.find('#')));
}

/// `Edge` of `Edge/f32.NanInX` and of `Edge.NanInX`.
std::string_view TagOf(std::string_view name) { return name.substr(0, name.find_first_of("/.")); }

/// In powers of two, so that a case which takes a little longer this time is rarely dearer.
int CostOfSeconds(double seconds) {
  constexpr double kCheapest_s = 0.004;
  return std::ilogb(std::max(seconds, kCheapest_s));
}

int CostOf(double seconds, const CaseOutcomes& outcomes) {
  constexpr int kDearest = 100;
  return outcomes.contains(Verdict::kTimeLimit) ? kDearest : CostOfSeconds(seconds);
}

bool ShowsByChance(const MutantSignature& signature, int runs) {
  return std::ranges::any_of(signature.cases, [&](const auto& one) {
    const int failed = RunsThatFailed(one.second);
    return failed > 0 && failed < runs;
  });
}

}  // namespace

std::vector<std::string> CasesOfSuite(const Installation& installation,
                                      std::string_view challenge) {
  auto cases = ListCases(installation.Suite(challenge));
  if (!cases) {
    throw std::runtime_error(ToString(cases.error()));
  }
  return *std::move(cases);
}

std::vector<std::string> LinesByHand(const fs::path& file) {
  std::vector<std::string> lines;
  if (!fs::exists(file)) {
    return lines;
  }
  const auto text = ReadFile(file);
  if (!text) {
    throw std::runtime_error(ToString(text.error()));
  }
  for (const std::string& line : SplitLines(*text)) {
    if (const std::string_view said = WithoutComment(line); !said.empty()) {
      lines.emplace_back(said);
    }
  }
  return lines;
}

CasesNeeded CasesOfControl(const fs::path& control) {
  const fs::path file = control / kCasesFile;
  CasesNeeded needed{.named = LinesByHand(file)};
  needed.share = std::erase(needed.named, kShareLine) > 0;
  if (needed.All() && fs::exists(file)) {
    throw std::runtime_error(file.string() + " names no case; name one, or remove it to run all");
  }
  return needed;
}

std::vector<std::string> ShareOf(const std::vector<std::string>& cases, std::size_t place,
                                 std::size_t sharers) {
  std::vector<std::string> share;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::size_t round = i / sharers;
    if ((i + round) % sharers == place) {
      share.push_back(cases[i]);
    }
  }
  return share;
}

std::vector<std::string> OneOfEachType(const std::vector<std::string>& cases) {
  std::map<std::string, std::vector<std::size_t>> alike;
  std::vector<std::string> order;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::string& name = cases[i];
    const std::size_t point = name.find('.');
    const std::size_t slash = name.find('/');
    const bool has_type = slash < point && point != std::string::npos;
    const std::string key = has_type ? name.substr(0, slash) + name.substr(point) : name;
    std::vector<std::size_t>& places = alike[key];
    if (places.empty()) {
      order.push_back(key);
    }
    places.push_back(i);
  }
  std::vector<std::size_t> chosen;
  for (std::size_t turn = 0; turn < order.size(); ++turn) {
    const std::vector<std::size_t>& places = alike[order[turn]];
    chosen.push_back(places[turn % places.size()]);
  }
  std::ranges::sort(chosen);
  std::vector<std::string> names;
  names.reserve(chosen.size());
  for (const std::size_t place : chosen) {
    names.push_back(cases[place]);
  }
  return names;
}

std::vector<std::string> NamedInVain(const std::vector<std::string>& named,
                                     const std::vector<std::string>& cases,
                                     std::string_view place) {
  std::vector<std::string> faults;
  for (const std::string& name : named) {
    if (std::ranges::find(cases, name) == cases.end()) {
      faults.push_back(
          fmt::format("{} names the case {}, which the suite does not have; `suite "
                      "--gtest_list_tests` lists those it has",
                      place, name));
    }
  }
  return faults;
}

std::vector<std::string> ArgumentsFor(const std::vector<std::string>& cases) {
  return cases.empty() ? std::vector<std::string>()
                       : std::vector<std::string>{"--gtest_filter=" + Join(cases, ":")};
}

CaseSeconds SecondsOf(const SuiteEvidence& suite) {
  CaseSeconds seconds;
  for (const CaseEvidence& one : suite.cases) {
    seconds[one.name] = one.seconds;
  }
  return seconds;
}

std::vector<std::string> CheapestKillers(const MutantSignature& signature, int runs,
                                         const CaseSeconds& seconds) {
  struct Killer {
    int nth_of_tag = 0;
    int cost = 0;
    std::string name;
  };
  std::vector<Killer> killers;
  for (const auto& [name, outcomes] : signature.cases) {
    const auto took = seconds.find(name);
    if (took != seconds.end() && RunsThatFailed(outcomes) == runs) {
      killers.push_back({.cost = CostOf(took->second, outcomes), .name = name});
    }
  }
  std::ranges::sort(killers, {}, [](const Killer& one) { return std::tie(one.cost, one.name); });
  std::map<std::string_view, int> of_tag;
  for (Killer& killer : killers) {
    killer.nth_of_tag = of_tag[TagOf(killer.name)]++;
  }
  std::ranges::sort(killers, {},
                    [](const Killer& one) { return std::tie(one.nth_of_tag, one.cost, one.name); });
  const bool by_chance = ShowsByChance(signature, runs);
  const std::size_t wanted = by_chance ? kKillersOfChance : kKillers;
  std::vector<std::string> names;
  bool has_dear = false;
  for (const Killer& killer : killers) {
    const bool hangs = signature.cases.at(killer.name).contains(Verdict::kTimeLimit);
    const bool is_dear = hangs || (!by_chance && killer.cost >= CostOfSeconds(kDearKiller_s));
    // One case that takes long says all that more of them would. It stands behind one that does
    // not, too: a cheap case may have seen a bug of the thousandth call by what ran before it.
    const std::size_t enough = hangs ? 1 : is_dear ? 2 : wanted;
    if (names.size() < enough && !(is_dear && has_dear)) {
      names.push_back(killer.name);
      has_dear = has_dear || is_dear;
    }
  }
  return names;
}

std::uint64_t SeedsFor(double seconds, std::uint64_t seeds) {
  if (seconds <= kSecondsOfASeed) {
    return seeds;
  }
  const double affordable = static_cast<double>(seeds) * kSecondsOfASeed / seconds;
  return std::max(static_cast<std::uint64_t>(affordable), std::uint64_t{1});
}

}  // namespace assay
