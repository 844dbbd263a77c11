// SPDX-License-Identifier: Apache-2.0
#include "cudart/runtime/program_version.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "cudart/runtime/state.h"

namespace assay::gpu::runtime {
namespace {

constexpr const char* kVariable = "ASSAY_CUDA_VERSION";
constexpr ToolkitVersion kOldest{11, 8};
constexpr int kNewestMajor = 13;

std::optional<ToolkitVersion> FromEnvironment() {
  const char* const text = std::getenv(kVariable);
  return text == nullptr ? std::nullopt : ReadToolkitVersion(text);
}

void Widen(std::optional<ProgramToolkits>& toolkits, ToolkitVersion version) {
  if (!toolkits) {
    toolkits = {.oldest = version, .newest = version};
  }
  toolkits->oldest = std::min(toolkits->oldest, version);
  toolkits->newest = std::max(toolkits->newest, version);
}

cudaError_t Refuse(State& state, std::string_view function, std::string_view why) {
  Notice(
      state, function, cudaErrorNotSupported,
      fmt::format("has another meaning or layout in each of CUDA 11, 12 and 13, and {}; set {} to "
                  "the version that its callers were compiled for, 11.8, 12 or 13",
                  why, kVariable));
  return cudaErrorNotSupported;
}

}  // namespace

std::optional<ProgramToolkits> FindProgramToolkits(const State& state) {
  if (const auto given = FromEnvironment()) {
    return ProgramToolkits{.oldest = *given, .newest = *given};
  }
  std::optional<ProgramToolkits> registered;
  std::optional<ProgramToolkits> gone;  // All that a program which is ending still says.
  for (const auto& binary : state.registry.binaries) {
    if (binary->toolkit) {
      Widen(binary->registered ? registered : gone, *binary->toolkit);
    }
  }
  return registered ? registered : gone;
}

cudaError_t FindInterface(State& state, std::string_view function, Interface* found) {
  const auto toolkits = FindProgramToolkits(state);
  if (!toolkits) {
    return Refuse(
        state, function,
        "this program does not say which of them it was compiled for: none of its code was "
        "compiled by nvcc");
  }
  const auto& [oldest, newest] = *toolkits;
  if (oldest < kOldest || newest.major > kNewestMajor) {
    return Refuse(state, function,
                  fmt::format("this program was compiled by CUDA {}; 11.8, 12 and 13 are served",
                              ToString(oldest < kOldest ? oldest : newest)));
  }
  if (oldest.major != newest.major) {
    return Refuse(state, function,
                  fmt::format("parts of this program were compiled by CUDA {} and by {}",
                              ToString(oldest), ToString(newest)));
  }
  *found = newest.major == kOldest.major  ? Interface::kCuda11
           : newest.major == kNewestMajor ? Interface::kCuda13
                                          : Interface::kCuda12;
  return cudaSuccess;
}

}  // namespace assay::gpu::runtime
