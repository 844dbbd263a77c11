// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GRADE_OWN_PROGRAMS_H_
#define ASSAY_GRADE_OWN_PROGRAMS_H_

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "build/run_sandboxed.h"
#include "grade/own_tests.h"
#include "grade/test_checks.h"
#include "sandbox/mount.h"
#include "sandbox/request.h"

namespace assay {

/// What a program is linked with: the objects of the submission itself, or the library of a
/// baseline or mutant.
struct Implementation {
  std::vector<std::filesystem::path> objects;
  std::vector<std::filesystem::path> libraries;
};

/// A program of `tests:` or `benchmarks:`.
struct OwnProgram {
  std::string source;
  std::filesystem::path object;  ///< Empty when it does not compile.
  std::string diagnostics;       ///< Why not.
  std::chrono::nanoseconds limit{};
};

/// How a program ended with one implementation; of one that did not link, how the linker ended.
struct OwnProgramRun {
  bool linked = false;
  SandboxedRun run;

  [[nodiscard]] bool passed() const { return linked && run.succeeded(); }
  [[nodiscard]] TestChecks checks() const { return linked ? ReadTestChecks(run) : TestChecks(); }
};

/// How it ended and the last lines it printed.
[[nodiscard]] std::string Ending(const OwnProgramRun& of_program);

/// Compiles, links and runs the programs of a submission, each in a sandbox. Files are made in
/// `own-tests/` of the output folder. Errors as of RunOwnTests. `inputs` outlives it.
class OwnPrograms {
 public:
  explicit OwnPrograms(const OwnTestsInputs& inputs);

  /// Empties the folder. Before all others.
  [[nodiscard]] Status Prepare();
  /// The programs of `tests:`, then those of `benchmarks:`.
  [[nodiscard]] Result<std::vector<OwnProgram>> Compile();
  /// The submission, without the object of the program's own source: one file may be both an
  /// implementation and, with ASSAY_PROGRAM, a program.
  [[nodiscard]] Implementation SubmissionFor(const OwnProgram& program) const;
  [[nodiscard]] Result<std::vector<OwnProgramRun>> LinkAndRun(
      const OwnProgram& program, const std::vector<Implementation>& implementations);
  /// A benchmark with the submission behind a recorder of sizes (size_recorder.h), which is made
  /// once for all of them.
  [[nodiscard]] Result<OwnProgramRun> RunRecorded(const OwnProgram& benchmark);

 private:
  /// The submission behind the recorder, or how the tool ended that could not make it.
  struct Recorded {
    Implementation implementation;
    std::optional<SandboxedRun> failure;
  };
  [[nodiscard]] Result<Recorded> Record();
  [[nodiscard]] bool IsTest(std::size_t program) const;
  [[nodiscard]] std::chrono::seconds Limit(std::size_t program) const;
  [[nodiscard]] Result<std::filesystem::path> NewFolder();
  [[nodiscard]] SandboxRequest Request(const std::filesystem::path& executable,
                                       std::chrono::nanoseconds limit) const;

  const OwnTestsInputs& inputs_;
  std::filesystem::path folder_;
  bool cuda_;                         // Whether a file of the submission needs nvcc.
  std::optional<Mount> runtime_;      // The CUDA runtime, where it is built.
  std::optional<Recorded> recorded_;  // Once a benchmark asked for it.
  int steps_ = 0;
};

}  // namespace assay

#endif  // ASSAY_GRADE_OWN_PROGRAMS_H_
