// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/temporary.h"
#include "cli/commands.h"
#include "cli/cuda_check_text.h"
#include "cli/exit_code.h"
#include "cli/json_output.h"
#include "gpu/tool/nvcc.h"
#include "report/plain_text.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

Status BuildFolder(const CudaCheckOptions& options, const CudaCheckServices& services,
                   const fs::path& folder, Console& console) {
  GpuCheckBuild build;
  ASSAY_ASSIGN_OR_RETURN(build.installation, ThisInstallation());
  ASSAY_ASSIGN_OR_RETURN(build.nvcc, services.find_nvcc());
  build.folder = folder;
  build.programs = options.programs;
  build.mutants = options.mutants;
  build.without_challenges = options.stage == CudaCheckStage::kBuildOnly
                                 ? WithoutChallenges::kAnError
                                 : WithoutChallenges::kProgramsAlone;
  build.level = services.detect_capabilities().level;
  return services.build(
      build, [&](std::string_view line) { fmt::print(console.err, "{}\n", PlainLine(line)); });
}

Result<GpuCheckReport> RunFolder(const CudaCheckOptions& options, const CudaCheckServices& services,
                                 const fs::path& folder, Console& console) {
  GpuCheckRun run;
  run.folder = folder;
  run.programs = options.programs;
  return services.run(run, [&](const GpuCheckEvent& event) {
    if (options.common.format == OutputFormat::kText) {
      console.out << CudaCheckEventText(event) << std::flush;
    }
  });
}

Result<GpuCheckReport> BuildAndRun(const CudaCheckOptions& options,
                                   const CudaCheckServices& services, Console& console) {
  ASSAY_RETURN_IF_ERROR(services.find_gpu());  // Before minutes of building.
  ASSAY_ASSIGN_OR_RETURN(const Installation installation, ThisInstallation());
  ASSAY_ASSIGN_OR_RETURN(
      const TemporaryDirectory folder,
      TemporaryDirectory::Create(TemporaryRoot(installation.sources), "gpu_check"));
  ASSAY_RETURN_IF_ERROR(BuildFolder(options, services, folder.path(), console));
  return RunFolder(options, services, folder.path(), console);
}

int Conclude(const CudaCheckOptions& options, const Result<GpuCheckReport>& report,
             Console& console) {
  const OutputFormat format = options.common.format;
  if (!report) {
    return ExitCodeAfterInterrupt(Fail(console, format, {}, {report.error()}));
  }
  if (format == OutputFormat::kJson) {
    console.out << Dump(CudaCheckToJson(*report));
  } else {
    console.out << CudaCheckSummary(*report);
  }
  return static_cast<int>(Agrees(*report) ? ExitCode::kDone : ExitCode::kGateFailed);
}

}  // namespace

CudaCheckServices RealCudaCheckServices() {
  return {.find_gpu = [] { return FindGpu(GpuCheckRun{}.nvidia_smi); },
          .find_nvcc = [] { return gpu::FindNvcc(); },
          .detect_capabilities = &DetectCapabilities,
          .build = &BuildGpuCheck,
          .run = &RunGpuCheck};
}

int RunCudaCheck(const CudaCheckOptions& options, const CudaCheckServices& services,
                 Console& console) {
  switch (options.stage) {
    case CudaCheckStage::kBuildOnly: {
      const Status built = BuildFolder(options, services, options.folder, console);
      return built ? static_cast<int>(ExitCode::kDone)
                   : ExitCodeAfterInterrupt(
                         Fail(console, options.common.format, {}, {built.error()}));
    }
    case CudaCheckStage::kRunOnly:
      return Conclude(options, RunFolder(options, services, options.folder, console), console);
    case CudaCheckStage::kHere:
      break;
  }
  return Conclude(options, BuildAndRun(options, services, console), console);
}

}  // namespace assay
