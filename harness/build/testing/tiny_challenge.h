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

  /// The same in CUDA: it launches a kernel as often as the result says, which then counts to it.
  static constexpr std::string_view kRightCuda =
      "#include \"interface.h\"\n"
      "#include <cuda_runtime.h>\n"
      "__global__ void Add(int* sum) { atomicAdd(sum, 1); }\n"
      "int twice(int x) {\n"
      "  void* sum = nullptr;\n"
      "  if (cudaMalloc(&sum, 4) != cudaSuccess) return -1;\n"
      "  cudaMemset(sum, 0, 4);\n"
      "  for (int i = 0; i < 2 * x; ++i) Add<<<1, 1>>>(static_cast<int*>(sum));\n"
      "  int launches = 0;\n"
      "  cudaMemcpy(&launches, sum, 4, cudaMemcpyDeviceToHost);\n"
      "  return launches;\n"
      "}\n";

  /// Throws std::runtime_error where the folder or the host library cannot be made.
  TinyChallenge();

  SubmissionSpec submission;  ///< Its one source is a.cc, which is not there yet.
  ToolSettings tools;
  std::filesystem::path cuda_host_library;  ///< Needed for .cu sources alone.

  [[nodiscard]] std::filesystem::path Path(const std::string& name) const;
  /// Writes a file below the temporary folder.
  void Write(const std::string& name, std::string_view content) const;
  /// Writes a.cc of the submission.
  void WriteSource(std::string_view content) const;
  /// Compiles each of `members` and puts the objects into the static library `name`, as CMake does
  /// with the host, baselines and mutants.
  [[nodiscard]] std::filesystem::path MakeLibrary(
      const std::string& name, const std::vector<std::string_view>& members) const;

  /// MakeLibrary of CUDA sources.
  [[nodiscard]] std::filesystem::path MakeCudaLibrary(
      const std::string& name, const std::vector<std::string_view>& members) const;

  /// Makes a.cu the one source, and a CUDA runtime for hosts of a few functions: it counts launches
  /// and writes their number to the memory that was allocated. Needs a CUDA toolkit.
  void UseCuda();

  [[nodiscard]] BuildInputs Inputs() const;
  /// How the host of an accepted build ends.
  [[nodiscard]] Result<SandboxedRun> Run(const BuildOutcome& outcome) const;

 private:
  [[nodiscard]] std::filesystem::path Archive(const std::string& name, std::string_view extension,
                                              const std::vector<std::string>& compiler,
                                              const std::vector<std::string_view>& members) const;

  TemporaryDirectory directory_;
};

}  // namespace assay

#endif  // ASSAY_BUILD_TESTING_TINY_CHALLENGE_H_
