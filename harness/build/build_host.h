// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_BUILD_BUILD_HOST_H_
#define ASSAY_BUILD_BUILD_HOST_H_

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "build/cuda_toolkit.h"
#include "build/tool.h"
#include "build/toolchain.h"
#include "evidence/evidence.h"
#include "evidence/verdict.h"
#include "spec/submission_spec.h"

namespace assay {

/// What one build reads and where it writes. The compiler sees, read-only: a copy of the
/// submission's sources and headers (/submission), interface.h (/challenge) and the toolchain; the
/// adapter is compiled apart, with the host's headers (/harness) and without the submission.
struct BuildInputs {
  SubmissionSpec submission;
  std::filesystem::path challenge_directory;  ///< Holds interface.h and adapter.cc.
  std::filesystem::path harness_directory;    ///< Holds host/, wire/ and gpu/adapter/.
  std::filesystem::path host_library;         ///< libassay_host.a.
  std::filesystem::path cuda_host_library;    ///< libassay_cuda_host.a: for .cu sources.
  /// An existing folder of the caller's, best a TemporaryDirectory. `<flavor>/` is made in it, in
  /// place of what an earlier build left there, and holds all that BuildOutcome names.
  std::filesystem::path output_directory;
  ToolSettings tools;
  /// Functions without all of which there is nothing to run; a host that lacks some is accepted,
  /// with a line of diagnostics.
  std::vector<std::string> required_entry_points = {};
  std::filesystem::path compiler = kCompilerPath;
  CudaToolkit cuda = InstalledCuda();
};

/// One compiled source of the submission.
struct ObjectFile {
  std::string source;
  std::filesystem::path path;
};

struct BuildOutcome {
  /// kAccepted or kCompileError. A compiler that meets a limit is also a compile error: the
  /// diagnostics name the limit.
  Verdict verdict = Verdict::kCompileError;
  /// Of the submission as handed in; when that was accepted, which entry points it lacks.
  std::string diagnostics;
  std::string failed_step;  ///< `compiling a.cc` or `linking`; empty when none failed.
  int warnings = 0;         ///< Of -Wall -Wextra in the submission's own files; release only.
  double seconds = 0;       ///< Wall time of the whole build.
  std::filesystem::path host_executable;  ///< Set when accepted; likewise `objects`.
  std::vector<ObjectFile> objects;
  /// The submission as it was built: `directory` is the staged (perhaps repaired) copy.
  SubmissionSpec built;
  std::optional<Repair> repair;  ///< Set when the patch was needed and made it build.
};

[[nodiscard]] BuildEvidence ToEvidence(const BuildOutcome& outcome);

/// Stages, compiles and links `inputs.submission` into a host. Where it does not compile and
/// submission.yaml names a patch, the patch is applied to the staged copy, in the sandbox, and the
/// build is tried once more. Every failure of the submission is an outcome; an Error is a missing
/// compiler (kConfiguration; of nvcc where there are .cu sources), a full disk, or a sandbox that
/// does not start.
[[nodiscard]] Result<BuildOutcome> BuildHost(const BuildInputs& inputs, BuildFlavor flavor);

}  // namespace assay

#endif  // ASSAY_BUILD_BUILD_HOST_H_
