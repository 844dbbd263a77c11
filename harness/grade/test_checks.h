// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GRADE_TEST_CHECKS_H_
#define ASSAY_GRADE_TEST_CHECKS_H_

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "build/run_sandboxed.h"

namespace assay {

/// Two checks that every run of a test program makes, whatever it prints. No line is called so.
inline constexpr std::string_view kComesToItsEnd = "\nend";      ///< No signal, no limit.
inline constexpr std::string_view kExitStatusIsZero = "\nexit";  ///< All that some programs say.

/// What one run of a test program says.
struct TestChecks {
  std::set<std::string, std::less<>> passed;  ///< Hostile text, but for the two above.
  std::set<std::string, std::less<>> failed;
  bool operator==(const TestChecks&) const = default;
};

/// Reads the checks out of what a program printed: lines `ok NAME` and `not ok NAME`, which are
/// those of the Test Anything Protocol (testanything.org, version 14, test points), so that `ok 2 -
/// NAME` is NAME, a test point without a name is called by its place (`2`), and `# SKIP` and `#
/// TODO` behind a name say that it is no check. Indented lines (subtests) and all others are not
/// read. A name that stands there twice is passed when each of its lines says so.
[[nodiscard]] TestChecks ReadTestChecks(const SandboxedRun& run);

/// What a program is held to, from how it ran with the submission and with the baseline.
struct ExpectedChecks {
  std::set<std::string, std::less<>> passed;  ///< By both.
  /// Named, and failed by one of the two: no mutant is told by them, and none is lost for them.
  std::set<std::string, std::less<>> left_out;
  /// Whether it can tell a mutant: it came to its end on both, and on both its exit status is 0 or
  /// a named check passed. An exit status other than 0 beside checks that failed is of these.
  bool can_tell = false;
};
[[nodiscard]] ExpectedChecks Expect(const TestChecks& on_itself, const TestChecks& on_baseline);

/// Whether a run does not pass what the program passes elsewhere. A check that only this run names
/// says nothing: a name may hold what was computed, and would then be new on every mutant.
[[nodiscard]] bool FindsBug(const ExpectedChecks& expected, const TestChecks& run);

}  // namespace assay

#endif  // ASSAY_GRADE_TEST_CHECKS_H_
