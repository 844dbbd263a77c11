// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GRADE_INSTALLATION_H_
#define ASSAY_GRADE_INSTALLATION_H_

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/error.h"

namespace assay {

/// Where the built parts of Assay lie. Every name follows from a challenge's, as
/// harness/cmake/AddChallenge.cmake lays them out.
struct Installation {
  std::filesystem::path root;   ///< The repository.
  std::filesystem::path build;  ///< `build/<preset>` of it.

  [[nodiscard]] std::filesystem::path HarnessInclude() const { return root / "harness"; }
  [[nodiscard]] std::filesystem::path HostLibrary() const;
  /// The CUDA runtime of hosts, whose device is at the other end of the wire.
  [[nodiscard]] std::filesystem::path CudaHostLibrary() const;
  /// The CUDA runtime of programs, with the emulated GPU in their own process.
  [[nodiscard]] std::filesystem::path CudaRuntimeLibrary() const;
  [[nodiscard]] std::filesystem::path ChallengeDirectory(std::string_view challenge) const;
  [[nodiscard]] std::filesystem::path Suite(std::string_view challenge) const;
  [[nodiscard]] std::filesystem::path Bench(std::string_view challenge) const;
  /// The folder of baseline.cc and baseline.cu with the headers that they include.
  [[nodiscard]] std::filesystem::path BaselineSources(std::string_view challenge) const;
  [[nodiscard]] std::filesystem::path BaselineHost(std::string_view challenge) const;
  [[nodiscard]] std::filesystem::path BaselineLibrary(std::string_view challenge) const;
};

/// The library of each mutant of a challenge, by the mutant's name.
[[nodiscard]] Result<std::map<std::string, std::filesystem::path>> MutantLibraries(
    const Installation& installation, std::string_view challenge);

/// The host of each mutant of a challenge, by the mutant's name.
[[nodiscard]] Result<std::map<std::string, std::filesystem::path>> MutantHosts(
    const Installation& installation, std::string_view challenge);

/// Whether all that grading `challenge` needs has been built; if not, an error (kind
/// kConfiguration) that names what is missing and how to build it.
[[nodiscard]] Status CheckBuilt(const Installation& installation, std::string_view challenge);
/// The same of what submissions with .cu files need besides.
[[nodiscard]] Status CheckCudaBuilt(const Installation& installation);

}  // namespace assay

#endif  // ASSAY_GRADE_INSTALLATION_H_
