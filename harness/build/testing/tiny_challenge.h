// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_BUILD_TESTING_TINY_CHALLENGE_H_
#define ASSAY_BUILD_TESTING_TINY_CHALLENGE_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/temporary.h"
#include "build/build_host.h"
#include "build/run_sandboxed.h"

namespace assay {

/// For tests: a challenge, a host and one submission of a few lines in a temporary folder, so that
/// tests of building need nothing above this layer. The interface is `int twice(int)`; the host's
/// main exits with twice(21).
class TinyChallenge {
 public:
  /// An implementation that is right.
  static constexpr std::string_view kRight =
      "#include \"interface.h\"\nint twice(int x) { return x + x; }\n";

  /// Throws std::runtime_error where the folder or the host library cannot be made.
  TinyChallenge();

  SubmissionSpec submission;  ///< Its one source is a.cc, which is not there yet.
  ToolSettings tools;

  [[nodiscard]] std::filesystem::path Path(const std::string& name) const;
  /// Writes a file below the temporary folder.
  void Write(const std::string& name, std::string_view content) const;
  /// Writes a.cc of the submission.
  void WriteSource(std::string_view content) const;
  /// Compiles each of `members` and puts the objects into the static library `name`, as CMake does
  /// with the host, baselines and mutants.
  [[nodiscard]] std::filesystem::path MakeLibrary(
      const std::string& name, const std::vector<std::string_view>& members) const;

  [[nodiscard]] BuildInputs Inputs() const;
  /// How the host of an accepted build ends.
  [[nodiscard]] Result<SandboxedRun> Run(const BuildOutcome& outcome) const;

 private:
  TemporaryDirectory directory_;
};

}  // namespace assay

#endif  // ASSAY_BUILD_TESTING_TINY_CHALLENGE_H_
