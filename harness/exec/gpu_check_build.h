// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EXEC_GPU_CHECK_BUILD_H_
#define ASSAY_EXEC_GPU_CHECK_BUILD_H_

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "grade/installation.h"
#include "sandbox/level.h"

namespace assay {

enum class CheckedMutants { kAll, kNone };
/// Where the challenges cannot be built for lack of what that needs.
enum class WithoutChallenges { kAnError, kProgramsAlone };

struct GpuCheckBuild {
  Installation installation;               ///< A build tree: its checkout has the sources.
  std::filesystem::path folder;            ///< Made if it is not there.
  std::vector<std::string> programs = {};  ///< Empty: all, and the challenges.
  std::filesystem::path nvcc;
  CheckedMutants mutants = CheckedMutants::kAll;
  WithoutChallenges without_challenges = WithoutChallenges::kAnError;
  SandboxLevel level = SandboxLevel::kFull;  ///< Of hosts on the emulated GPU.
  std::string cmake = "cmake";
};

/// Hears a line of what is done.
using BuildListener = std::function<void(std::string_view line)>;

/// Builds the programs of harness/gpu/programs (kernels, and the bugs' clean twins) with NVIDIA's
/// runtime linked in, as many at once as there are processors, and the baselines and mutants of the
/// CUDA challenges; runs their suites on the emulated GPU; and leaves in `folder` all that
/// RunGpuCheck needs on a machine that has only a driver: `gpu_check`, `assay`, plan.json,
/// executables and libraries.
///
/// Errors of kind kConfiguration: an installation that is no build tree, a program that is not
/// there, one that does not compile, challenges that do not build, a full disk.
[[nodiscard]] Status BuildGpuCheck(const GpuCheckBuild& build, const BuildListener& say);

}  // namespace assay

#endif  // ASSAY_EXEC_GPU_CHECK_BUILD_H_
