// SPDX-License-Identifier: Apache-2.0
#include "grade/installation.h"

#include <fmt/format.h>

#include <functional>
#include <optional>
#include <system_error>
#include <vector>

#include "build/cuda_toolkit.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

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
                                 .remedy = "build the target assay_all"});
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

Status RequireBuilt(const std::vector<fs::path>& files, const std::string& why) {
  for (const fs::path& needed : files) {
    std::error_code ignored;
    if (!fs::exists(needed, ignored)) {
      return std::unexpected(
          Error{.kind = ErrorKind::kConfiguration,
                .where = needed.string(),
                .cause = "is not built, and " + why,
                .remedy = InstalledCuda().nvcc.empty()
                              ? "run scripts/grade, which builds it; for a challenge in CUDA run "
                                "scripts/setup --cuda first: this build is without nvcc"
                              : "run scripts/grade, which builds it, or build the target "
                                "assay_all"});
    }
  }
  return {};
}

}  // namespace

fs::path Installation::HostLibrary() const { return build / "harness/host/libassay_host.a"; }

fs::path Installation::CudaHostLibrary() const {
  return build / "harness/gpu/libassay_cuda_host.a";
}

fs::path Installation::CudaRuntimeLibrary() const { return build / "lib/libassay_cudart.so"; }

fs::path Installation::ChallengeDirectory(std::string_view challenge) const {
  return root / "challenges" / challenge;
}

fs::path Installation::Suite(std::string_view challenge) const {
  return ReferenceDirectory(*this, challenge) / "suite";
}

fs::path Installation::Bench(std::string_view challenge) const {
  return ReferenceDirectory(*this, challenge) / "bench";
}

fs::path Installation::BaselineSources(std::string_view challenge) const {
  return root / "reference" / challenge;
}

fs::path Installation::BaselineHost(std::string_view challenge) const {
  return ReferenceDirectory(*this, challenge) / "baseline_host";
}

fs::path Installation::BaselineLibrary(std::string_view challenge) const {
  return ReferenceDirectory(*this, challenge) / "libbaseline.a";
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
  ASSAY_RETURN_IF_ERROR(RequireBuilt(
      {installation.HostLibrary(), installation.Suite(challenge), installation.Bench(challenge),
       installation.BaselineHost(challenge), installation.BaselineLibrary(challenge)},
      fmt::format("grading {} needs it", challenge)));
  ASSAY_RETURN_IF_ERROR(MutantLibraries(installation, challenge));
  return {};
}

Status CheckCudaBuilt(const Installation& installation) {
  return RequireBuilt({installation.CudaHostLibrary(), installation.CudaRuntimeLibrary()},
                      "submissions in CUDA need it");
}

}  // namespace assay
