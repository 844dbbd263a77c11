// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_TRY_RUN_H_
#define ASSAY_CLI_TRY_RUN_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "build/build_host.h"
#include "cli/symbol_advice.h"
#include "evidence/evidence.h"
#include "grade/installation.h"
#include "grade/run_suite.h"
#include "sandbox/capabilities.h"
#include "score/signatures.h"
#include "spec/challenge_spec.h"
#include "spec/submission_spec.h"

namespace assay {

/// What `try` does to the machine: tests bring others.
struct TryServices {
  std::function<SandboxCapabilities()> detect_capabilities;
  std::function<Status(const Installation&, const SubmissionSpec&)> check_built;
  std::function<Result<BuildOutcome>(const BuildInputs&)> build;
  std::function<Result<SourceSymbols>(const ObjectFile&)> read_symbols;
  std::function<Result<std::vector<std::string>>(const std::filesystem::path& suite)> list_cases;
  std::function<Result<RunResults>(const SuiteRun&, const std::filesystem::path& scratch)>
      run_suite;
};
[[nodiscard]] TryServices RealTryServices();

/// One try of a submission.
struct TryRequest {
  ChallengeSpec challenge;
  SubmissionSpec submission;
  Installation installation;
  std::optional<Signatures> signatures;
  SandboxLevel level = SandboxLevel::kFull;
  std::uint64_t seed = 1;
  /// The cases that it names, with the limits of grading. Nothing: telling ones, with limits that a
  /// person waits for.
  std::optional<std::string> case_pattern;
  std::filesystem::path scratch;  ///< An existing folder, for the build and the results.
};

/// What came of it. Everything but numbers may be hostile text.
struct TryOutcome {
  std::string challenge;
  Verdict build = Verdict::kSkipped;
  std::string diagnostics;  ///< Of a build that failed.
  std::string repaired_by;  ///< The patch without which it does not build; empty: none was needed.
  int warnings = 0;
  double build_seconds = 0;
  std::vector<SymbolAdvice> symbol_advice;
  std::size_t cases_in_suite = 0;
  std::vector<CaseEvidence> cases;  ///< Those that were run, in that order.
  std::vector<std::string> device_lacks;
  double suite_seconds = 0;
};

/// Of a try without a pattern: how many cases, how long one call and all of them may take.
inline constexpr std::size_t kTellingCases = 20;
inline constexpr std::int64_t kTryCallLimit_ms = 3000;
inline constexpr std::int64_t kTryRunLimit_ms = 4500;

/// Builds as grading does, looks at the symbols of what was built, and runs cases. Every failure of
/// the submission is an outcome. An error of kind kConfiguration: a pattern that no case matches.
[[nodiscard]] Result<TryOutcome> TrySubmission(const TryRequest& request,
                                               const TryServices& services);

/// Neither accepted nor skipped; and not because all cases together took their time.
[[nodiscard]] bool HasFailed(const CaseEvidence& one);

/// Not over, or not begun, when all cases together had taken their time.
[[nodiscard]] bool IsUnfinished(const CaseEvidence& one);

/// Whether a required function is not found: then only cases that were asked for are run.
[[nodiscard]] bool LacksRequired(const TryOutcome& outcome);

[[nodiscard]] bool IsRight(const CaseEvidence& one);

/// Whether it builds, defines all that is asked as it must, and cases are right and none failed.
[[nodiscard]] bool IsFine(const TryOutcome& outcome);

}  // namespace assay

#endif  // ASSAY_CLI_TRY_RUN_H_
