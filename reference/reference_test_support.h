// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_REFERENCE_TEST_SUPPORT_H_
#define ASSAY_REFERENCE_REFERENCE_TEST_SUPPORT_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/evidence.h"
#include "grade/installation.h"
#include "sandbox/level.h"
#include "spec/challenge_spec.h"

namespace assay {

/// What the tests that test a challenge's suite share. The challenge and the places are compiled
/// in (add_challenge).
struct ReferenceUnderTest {
  std::string challenge;
  Installation installation;

  [[nodiscard]] std::filesystem::path Directory() const;      ///< reference/<challenge>
  [[nodiscard]] std::filesystem::path TemporaryRoot() const;  ///< In the build directory.
};
[[nodiscard]] ReferenceUnderTest Reference();

/// With the limits of challenge.yaml. Throws where that is at fault.
[[nodiscard]] ChallengeSpec ChallengeUnderTest(const ReferenceUnderTest& reference);
/// The strongest of this machine.
[[nodiscard]] SandboxLevel LevelUnderTest();

/// Fresh on every run, so that no mutant or control is right by luck with one seed; printed with
/// each table, and ASSAY_TEST_SEED repeats it.
[[nodiscard]] std::uint64_t SeedUnderTest();

/// Names of the entries of `directory` in order: files without their extension, or directories.
[[nodiscard]] std::vector<std::string> NamesIn(const std::filesystem::path& directory);

/// Names of the challenge's mutants; without those in CUDA where this build has no nvcc.
[[nodiscard]] std::vector<std::string> BuiltMutants(const ReferenceUnderTest& reference);

/// `text` cut to a width and made printable, for a column of a table.
[[nodiscard]] std::string Column(std::string_view text, std::size_t width);

/// How many gating cases of a suite failed, and the first that did with its reason.
struct FailedCases {
  int count = 0;
  std::string first;
  std::string detail;
};
[[nodiscard]] FailedCases CountFailed(const SuiteEvidence& suite);

}  // namespace assay

#endif  // ASSAY_REFERENCE_REFERENCE_TEST_SUPPORT_H_
