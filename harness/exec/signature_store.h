// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EXEC_SIGNATURE_STORE_H_
#define ASSAY_EXEC_SIGNATURE_STORE_H_

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "exec/suite_source.h"
#include "score/signatures.h"
#include "spec/challenge_spec.h"

namespace assay {

/// How often the suite is run on each mutant: cases with random inputs fail only at times.
inline constexpr int kSignatureRuns = 3;

/// `<root>/reference/<challenge>/signatures.json`.
[[nodiscard]] std::filesystem::path SignaturesPath(const std::filesystem::path& root,
                                                   std::string_view challenge);

/// One line a mutant, sorted: equal signatures give equal bytes. reference/README.md shows it.
[[nodiscard]] std::string SignaturesToJson(const Signatures& signatures);

/// The signatures that are kept for a challenge, or nothing when there are none. A file that cannot
/// be read is an error of kind kConfiguration that names the place in it.
[[nodiscard]] Result<std::optional<Signatures>> LoadSignatures(const std::filesystem::path& root,
                                                               std::string_view challenge);

[[nodiscard]] Status SaveSignatures(const std::filesystem::path& root, std::string_view challenge,
                                    const Signatures& signatures);

/// What signatures are computed from: SHA-256 each.
struct SignatureSources {
  /// Of the challenge and its reference, but for `suite*.cc`, what only hosts are compiled of, and
  /// what cannot change how a case of a mutant ends: prose, tests, rubric, bench, controls, and
  /// challenge.yaml but for the limits of a case.
  std::string shared;
  std::map<std::string, SuiteSource> suite_files;  ///< Each `suite*.cc` of the challenge.
  /// Of each, all of reference/ that its host is compiled of: its source, what that includes, and
  /// the baseline. A mutant of the CPU half has none of the CUDA half but in a challenge in CUDA.
  std::map<std::string, std::string> mutants;
};
[[nodiscard]] Result<SignatureSources> ReadSignatureSources(const std::filesystem::path& root,
                                                            const ChallengeSpec& challenge);

/// The suite's files that differ between `kept` and `now`: changed, new or gone.
[[nodiscard]] std::set<std::string> ChangedSuiteFiles(const Signatures& kept,
                                                      const SignatureSources& now);

/// What of `now` is kept beside signatures.
[[nodiscard]] std::map<std::string, SuiteFileDigests> DigestsOf(const SignatureSources& now);

/// Why `kept` is not what `now` would give, one reason a line; empty when it is. The harness does
/// not count: a change of it that moves a case shows in <challenge>_mutants_test.
[[nodiscard]] std::vector<std::string> WhyStale(const std::optional<Signatures>& kept,
                                                const SignatureSources& now);

}  // namespace assay

#endif  // ASSAY_EXEC_SIGNATURE_STORE_H_
