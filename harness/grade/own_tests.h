// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GRADE_OWN_TESTS_H_
#define ASSAY_GRADE_OWN_TESTS_H_

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "build/build_host.h"
#include "build/tool.h"
#include "evidence/evidence.h"
#include "grade/progress.h"

namespace assay {

/// What the tests and benchmarks of a submission are run with.
struct OwnTestsInputs {
  const BuildOutcome& build;  ///< An accepted release build.
  std::filesystem::path challenge_directory;
  std::vector<std::string> functions;      ///< Of interface.h: the challenge's entry points.
  std::filesystem::path baseline_library;  ///< Compiled as the mutants are.
  std::map<std::string, std::filesystem::path> mutant_libraries;  ///< By the mutant's name.
  /// libassay_cudart.so. May be missing where nothing calls the CUDA runtime.
  std::filesystem::path cuda_runtime;
  std::filesystem::path output_directory;  ///< `own-tests/` is made in it.
  ToolSettings tools;
};

/// Measures how good a submission's own tests are. Each program of `tests:` is compiled once (with
/// ASSAY_PROGRAM defined), and linked and run with the submission itself, then with the baseline
/// and, when it passes on both, with every mutant: one on which it does not pass, twice, is
/// killed. A program may name its checks (test_checks.h): those that fail on itself or on the
/// baseline are left out, and the others still tell mutants. The baseline is run many times among
/// the mutants, in an order drawn at random: a program that fails on it in any of these kills
/// nothing, since it fails by chance, by the clock or by turns. One that passes everywhere, on
/// every mutant too, tests nothing, and does not count as passing. Nothing tells a program which
/// implementation it runs with: executables are stripped and have one name, and each starts in an
/// empty sandbox.
///
/// Programs may call the CUDA runtime, and may be .cu files: each then has an emulated GPU of the
/// graded kind in its own process, and more time.
///
/// Programs of `benchmarks:` run once with the submission itself. One that exits with 0 counts with
/// the configurations that it declares, and with no more than the distinct sizes with which it
/// called the interface (size_recorder.h). `detail` has a line for every program that did not work.
///
/// Every failure of a program is evidence. An Error is a sandbox that does not start, or a disk
/// that is full.
[[nodiscard]] Result<OwnTestsEvidence> RunOwnTests(const OwnTestsInputs& inputs,
                                                   ProgressSink& progress);

}  // namespace assay

#endif  // ASSAY_GRADE_OWN_TESTS_H_
