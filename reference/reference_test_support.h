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
#include "score/challenge_view.h"
#include "score/failure_kind.h"
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
/// With its rubric, its mutants' signatures and their homes. Throws where one is at fault.
[[nodiscard]] ChallengeView ViewUnderTest(const ReferenceUnderTest& reference);
/// The strongest of this machine.
[[nodiscard]] SandboxLevel LevelUnderTest();

/// How much a test of mutants and controls runs.
enum class Extent {
  kChosen,  ///< The cases that say most in the least time.
  kAll,     ///< Every case of everything: scripts/test --all, which sets ASSAY_TEST_EXTENT=all.
};
[[nodiscard]] std::string_view ToString(Extent extent);
/// Throws where ASSAY_TEST_EXTENT is neither `chosen`, the default, nor `all`.
[[nodiscard]] Extent ExtentUnderTest();

/// The same on every run, so that a change fails a test and luck does not. ASSAY_TEST_SEED gives
/// another: scripts/test --all a fresh one, so that no mutant or control is right by luck with one
/// seed. Printed with each table. Throws where that is no number.
[[nodiscard]] std::uint64_t SeedUnderTest();

/// How many seeds from SeedUnderTest() on the baseline is run with: ASSAY_TEST_SEEDS; without it a
/// hundred where all cases are run, and none elsewhere. Throws where that is no number.
[[nodiscard]] std::uint64_t SeedCountUnderTest();

/// Names of the directories in `directory`, in order.
[[nodiscard]] std::vector<std::string> FoldersIn(const std::filesystem::path& directory);

/// Names of the challenge's mutants; without those in CUDA where this build has no nvcc.
[[nodiscard]] std::vector<std::string> BuiltMutants(const ReferenceUnderTest& reference);

/// Makes a case fail with that verdict, and wrong in that way.
void FailLike(Verdict verdict, const FailureKind& kind, CaseEvidence& one);

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
