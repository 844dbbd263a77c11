// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GRADE_GRADE_CELL_H_
#define ASSAY_GRADE_GRADE_CELL_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "evidence/evidence.h"
#include "grade/installation.h"
#include "grade/progress.h"
#include "sandbox/level.h"
#include "spec/challenge_spec.h"
#include "spec/model_spec.h"
#include "spec/submission_spec.h"

namespace assay {

/// How much of a cell is measured.
enum class GradeDepth {
  kVerdict,  ///< Release build and suite: what a control needs.
  kTimed,    ///< And the bench.
  kFull,     ///< And the sanitized build and suite, own tests, and reading the sources.
};

/// One cell to grade, and with what.
struct CellRequest {
  ChallengeSpec challenge;
  SubmissionSpec submission;
  ModelSpec model;
  Digests digests;  ///< Copied into the evidence.
  Installation installation;
  SandboxLevel level = SandboxLevel::kFull;
  std::uint64_t seed = 0;
  GradeDepth depth = GradeDepth::kFull;
  /// For each run of the suite. A cell whose suite is narrowed is for tests of grading alone.
  std::vector<std::string> suite_arguments = {};
  std::filesystem::path temporary_root;  ///< Holds the build while it is graded; then removed.
};

/// Builds, tests, times and reads one submission. Every failure of the submission is evidence with
/// a verdict. An Error is ours: a suite that died, a sandbox that does not start, a full disk, an
/// interruption; nothing is left behind then. Call it from a thread that outlives the call
/// (process/subprocess.h says why). Takes from seconds to a minute.
[[nodiscard]] Result<Evidence> GradeCell(const CellRequest& request, ProgressSink& progress);

/// What the evidence of a cell graded now would say of its environment; part of what decides
/// whether older evidence still holds.
[[nodiscard]] Result<Environment> DescribeEnvironment(SandboxLevel level, std::uint64_t seed);

/// The same for one submission: where a file of it needs nvcc, compiler and flags name it too.
[[nodiscard]] Environment EnvironmentFor(const SubmissionSpec& submission, Environment environment);

}  // namespace assay

#endif  // ASSAY_GRADE_GRADE_CELL_H_
