// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_CHOSEN_CASES_H_
#define ASSAY_REFERENCE_CHOSEN_CASES_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/evidence.h"
#include "grade/installation.h"
#include "score/signatures.h"

namespace assay {

/// Which cases of a suite a test of reference/ runs: README.md has the rules. Names are
/// GoogleTest's full ones, `Edge/f32.NanInX`. What cannot be read throws.

/// All cases of a challenge's suite, in its order.
[[nodiscard]] std::vector<std::string> CasesOfSuite(const Installation& installation,
                                                    std::string_view challenge);

/// The lines of a file that is written by hand, without what follows a `#`, without blanks at
/// either end, and without those that are empty then. None where there is no file.
[[nodiscard]] std::vector<std::string> LinesByHand(const std::filesystem::path& file);

/// What says which cases a control's verdict needs, beside its submission.yaml: one a line. A line
/// `*` is a share of all.
inline constexpr std::string_view kCasesFile = "cases";
struct CasesNeeded {
  std::vector<std::string> named;
  bool share = false;  ///< And its share of all others (ShareOf).
  /// It has no such file.
  [[nodiscard]] bool All() const { return named.empty() && !share; }
  bool operator==(const CasesNeeded&) const = default;
};
/// A file that names no case throws.
[[nodiscard]] CasesNeeded CasesOfControl(const std::filesystem::path& control);

/// Of `cases` those of the place-th of `sharers`: each case is in one share, and a share is no more
/// than a case larger than another. Neighbours are of different shares, since they cost alike; no
/// share has but every second type of cases that take types in turn (OneOfEachType).
[[nodiscard]] std::vector<std::string> ShareOf(const std::vector<std::string>& cases,
                                               std::size_t place, std::size_t sharers);

/// One line for each case in `named` that is not among `cases`: what is wrong, and with `place`
/// where. Empty when all are.
[[nodiscard]] std::vector<std::string> NamedInVain(const std::vector<std::string>& named,
                                                   const std::vector<std::string>& cases,
                                                   std::string_view place);

/// Of the cases that differ in their type alone (`f32` in `Edge/f32.NanInX`), one: the next type
/// for each next name, so that every type is among them. All other cases, and all in the suite's
/// order.
[[nodiscard]] std::vector<std::string> OneOfEachType(const std::vector<std::string>& cases);

/// The arguments with which a suite runs these cases alone; none for none, which is all of them.
[[nodiscard]] std::vector<std::string> ArgumentsFor(const std::vector<std::string>& cases);

/// How long each case took with the baseline.
using CaseSeconds = std::map<std::string, double>;
[[nodiscard]] CaseSeconds SecondsOf(const SuiteEvidence& suite);

/// A few cases that kill a mutant: of those that failed in each of the `runs` of its signature and
/// that `seconds` knows, the cheapest, one of each tag before a second of any. A case that ended at
/// the time limit is the dearest, and there only as the first; of those that take kDearKiller_s one
/// at most, as the first or second. More of them, however long they take, for a mutant whose bug
/// shows by chance, which some case met in a part of the runs only: of its cases that failed each
/// time, some did so by luck. None where no case failed in each run.
[[nodiscard]] std::vector<std::string> CheapestKillers(const MutantSignature& signature, int runs,
                                                       const CaseSeconds& seconds);
inline constexpr std::size_t kKillers = 4;
inline constexpr std::size_t kKillersOfChance = 16;
inline constexpr double kDearKiller_s = 0.25;

/// With how many of `seeds` seeds a case is run that takes `seconds`: with all where that is no
/// more than kSecondsOfASeed, else with as many as take as long as that together; with one at
/// least.
[[nodiscard]] std::uint64_t SeedsFor(double seconds, std::uint64_t seeds);
inline constexpr double kSecondsOfASeed = 0.0025;

}  // namespace assay

#endif  // ASSAY_REFERENCE_CHOSEN_CASES_H_
