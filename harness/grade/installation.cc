// SPDX-License-Identifier: Apache-2.0
#include "grade/installation.h"

#include <fmt/format.h>

#include <fstream>
#include <functional>
#include <optional>
#include <system_error>
#include <vector>

#include "build/cuda_toolkit.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kReinstall =
    "install the package again: apt-get install --reinstall assay";

bool IsFolder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

// What somebody else's folder of that name, in /tmp or above a home, is not.
bool IsCheckout(const fs::path& folder) {
  // Below the empty path lie the working directory's folders.
  return folder.is_absolute() && IsFolder(folder / "challenges") && IsFolder(folder / "harness");
}

// The checkout that a build tree was configured for, as CMake has noted it there.
fs::path ConfiguredSources(const fs::path& build) {
  constexpr std::string_view kKey = "CMAKE_HOME_DIRECTORY:INTERNAL=";
  std::ifstream cache(build / "CMakeCache.txt");
  for (std::string line; std::getline(cache, line);) {
    if (line.starts_with(kKey)) {
      return line.substr(kKey.size());
    }
  }
  return {};
}

fs::path ReferenceDirectory(const Installation& installation, std::string_view challenge) {
  return installation.build / "reference" / challenge;
}

using NameOfMutant = std::function<std::optional<std::string>(const std::string& file_name)>;

// The files of the mutants' folder whose names `name_of` recognises, by mutant.
Result<std::map<std::string, fs::path>> ListMutants(const Installation& installation,
                                                    std::string_view challenge,
                                                    const NameOfMutant& name_of) {
  const fs::path directory = ReferenceDirectory(installation, challenge) / "mutants";
  std::map<std::string, fs::path> mutants;
  std::error_code failure;
  for (fs::directory_iterator it(directory, failure), end; !failure && it != end;
       it.increment(failure)) {
    if (const auto name = name_of(it->path().filename().string())) {
      mutants.emplace(*name, it->path());
    }
  }
  if (failure || mutants.empty()) {
    return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                 .where = directory.string(),
                                 .cause = "holds no built mutants",
                                 .remedy = installation.kind == InstallationKind::kPackage
                                               ? std::string(kReinstall)
                                               : "build the target assay_all"});
  }
  return mutants;
}

std::optional<std::string> Stripped(const std::string& text, std::string_view prefix,
                                    std::string_view suffix) {
  if (!text.starts_with(prefix) || !text.ends_with(suffix) ||
      text.size() <= prefix.size() + suffix.size()) {
    return std::nullopt;
  }
  return text.substr(prefix.size(), text.size() - prefix.size() - suffix.size());
}

std::string HowToGetParts(const Installation& installation) {
  if (installation.kind == InstallationKind::kPackage) {
    return std::string(kReinstall);
  }
  return InstalledCuda().nvcc.empty()
             ? "run scripts/grade, which builds it; for a challenge in CUDA run scripts/setup "
               "--cuda first: this build is without nvcc"
             : "run scripts/grade, which builds it, or build the target assay_all";
}

Status RequireBuilt(const Installation& installation, const std::vector<fs::path>& files,
                    const std::string& why) {
  for (const fs::path& needed : files) {
    std::error_code ignored;
    if (!fs::exists(needed, ignored)) {
      const bool packaged = installation.kind == InstallationKind::kPackage;
      return std::unexpected(
          Error{.kind = ErrorKind::kConfiguration,
                .where = needed.string(),
                .cause = (packaged ? "is missing, and " : "is not built, and ") + why,
                .remedy = HowToGetParts(installation)});
    }
  }
  return {};
}

// What a package holds is built for any machine of this level; a build, for its own.
Status RequireProcessor(const Installation& installation) {
  if (installation.kind == InstallationKind::kPackage && __builtin_cpu_supports("x86-64-v3") == 0) {
    return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                 .where = "/proc/cpuinfo",
                                 .cause = "this processor has no AVX2 (x86-64-v3), which the "
                                          "package is built for",
                                 .remedy = "grade on another machine"});
  }
  return {};
}

}  // namespace

InstructionSet WidestInstructionSet() {
  return __builtin_cpu_supports("x86-64-v4") != 0 ? InstructionSet::kX86_64_v4
                                                  : InstructionSet::kX86_64_v3;
}

Result<Installation> FindInstallation(const fs::path& executable) {
  const fs::path prefix = executable.parent_path().parent_path();
  if (IsFolder(prefix / "share/assay/challenges") && IsFolder(prefix / "lib/assay")) {
    return Installation{.kind = InstallationKind::kPackage,
                        .sources = prefix / "share/assay",
                        .build = prefix / "lib/assay",
                        .instruction_set = WidestInstructionSet()};
  }
  Installation found{.kind = InstallationKind::kBuildTree,
                     .sources = ConfiguredSources(prefix),
                     .build = prefix,
                     .instruction_set = WidestInstructionSet()};
  for (fs::path folder = prefix; folder != folder.parent_path(); folder = folder.parent_path()) {
    if (IsCheckout(folder)) {
      found.sources = folder;
      break;
    }
  }
  if (!IsCheckout(found.sources)) {
    return std::unexpected(
        Error{.kind = ErrorKind::kConfiguration,
              .where = executable.string(),
              .cause = "belongs to no installation and to no build tree: no folder above it holds "
                       "\"challenges/\" and \"harness/\"",
              .remedy = "run the assay of a checkout's build folder, or of the package"});
  }
  return found;
}

fs::path Installation::HostLibrary() const { return build / "harness/host/libassay_host.a"; }

fs::path Installation::CudaHostLibrary() const {
  return build / "harness/cudart/libassay_cuda_host.a";
}

fs::path Installation::CudaRuntimeLibrary() const { return build / "lib/libassay_cudart.so"; }

fs::path Installation::ChallengeDirectory(std::string_view challenge) const {
  return sources / "challenges" / challenge;
}

fs::path Installation::Suite(std::string_view challenge) const {
  return ReferenceDirectory(*this, challenge) / "suite";
}

fs::path Installation::Bench(std::string_view challenge) const {
  return ReferenceDirectory(*this, challenge) / "bench";
}

fs::path Installation::BaselineSources(std::string_view challenge) const {
  return sources / "reference" / challenge;
}

fs::path Installation::BaselineHost(std::string_view challenge) const {
  const fs::path folder = ReferenceDirectory(*this, challenge);
  std::error_code ignored;
  if (const fs::path wide = folder / "baseline_v4_host";
      instruction_set == InstructionSet::kX86_64_v4 && fs::exists(wide, ignored)) {
    return wide;
  }
  return folder / "baseline_host";
}

fs::path Installation::BaselineLibrary(std::string_view challenge) const {
  return ReferenceDirectory(*this, challenge) / "libbaseline_as_mutant.a";
}

Result<std::map<std::string, fs::path>> MutantLibraries(const Installation& installation,
                                                        std::string_view challenge) {
  return ListMutants(installation, challenge,
                     [](const std::string& name) { return Stripped(name, "lib", ".a"); });
}

Result<std::map<std::string, fs::path>> MutantHosts(const Installation& installation,
                                                    std::string_view challenge) {
  return ListMutants(installation, challenge,
                     [](const std::string& name) { return Stripped(name, "", "_host"); });
}

Status CheckBuilt(const Installation& installation, std::string_view challenge) {
  ASSAY_RETURN_IF_ERROR(RequireProcessor(installation));
  ASSAY_RETURN_IF_ERROR(RequireBuilt(
      installation,
      {installation.HostLibrary(), installation.Suite(challenge), installation.Bench(challenge),
       installation.BaselineHost(challenge), installation.BaselineLibrary(challenge)},
      fmt::format("grading {} needs it", challenge)));
  ASSAY_RETURN_IF_ERROR(MutantLibraries(installation, challenge));
  return {};
}

Status CheckCudaBuilt(const Installation& installation) {
  return RequireBuilt(installation,
                      {installation.CudaHostLibrary(), installation.CudaRuntimeLibrary()},
                      "submissions in CUDA need it");
}

}  // namespace assay
