// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GRADE_INSTALLATION_H_
#define ASSAY_GRADE_INSTALLATION_H_

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/error.h"

namespace assay {

enum class InstallationKind {
  kBuildTree,  ///< `build/<preset>` of a checkout.
  kPackage,  ///< What `cmake --install` laid out: `<prefix>/lib/assay` and `<prefix>/share/assay`.
};

/// What prebuilt code may use, where it is built more than once. A build for this machine alone has
/// one baseline, with all that the machine has.
enum class InstructionSet {
  kX86_64_v3,  ///< AVX2 and FMA.
  kX86_64_v4,  ///< AVX-512.
};
/// Of this processor.
[[nodiscard]] InstructionSet WidestInstructionSet();

/// Where the parts of Assay lie. Every name follows from a challenge's, as
/// harness/cmake/AddChallenge.cmake lays them out; a package keeps that layout, so that each part
/// has one name in both.
struct Installation {
  InstallationKind kind = InstallationKind::kBuildTree;
  /// Holds challenges/, reference/ and harness/: the checkout, or `<prefix>/share/assay` with those
  /// files of it that grading reads.
  std::filesystem::path sources;
  std::filesystem::path build;  ///< What was compiled: the build tree, or `<prefix>/lib/assay`.
  InstructionSet instruction_set = InstructionSet::kX86_64_v3;

  [[nodiscard]] std::filesystem::path HarnessInclude() const { return sources / "harness"; }
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
  /// The one for `instruction_set`, where there is one.
  [[nodiscard]] std::filesystem::path BaselineHost(std::string_view challenge) const;
  /// What own tests must pass on: compiled as mutants are, which it must not be told from.
  [[nodiscard]] std::filesystem::path BaselineLibrary(std::string_view challenge) const;
};

/// The installation that the program `executable` (an absolute path) is part of: a package when
/// `../lib/assay` and `../share/assay` lie beside its folder, else a build tree, whose checkout is
/// above it or named by its CMakeCache.txt. An error of kind kConfiguration when it is neither.
[[nodiscard]] Result<Installation> FindInstallation(const std::filesystem::path& executable);

/// The library of each mutant of a challenge, by the mutant's name.
[[nodiscard]] Result<std::map<std::string, std::filesystem::path>> MutantLibraries(
    const Installation& installation, std::string_view challenge);

/// The host of each mutant of a challenge, by the mutant's name. A package has none: they serve
/// the making of signatures.
[[nodiscard]] Result<std::map<std::string, std::filesystem::path>> MutantHosts(
    const Installation& installation, std::string_view challenge);

/// Whether all that grading `challenge` needs is there, and runs on this processor; if not, an
/// error (kind kConfiguration) that names what is missing and how to get it.
[[nodiscard]] Status CheckBuilt(const Installation& installation, std::string_view challenge);
/// The same of what submissions with .cu files need besides.
[[nodiscard]] Status CheckCudaBuilt(const Installation& installation);

}  // namespace assay

#endif  // ASSAY_GRADE_INSTALLATION_H_
