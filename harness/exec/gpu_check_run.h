// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EXEC_GPU_CHECK_RUN_H_
#define ASSAY_EXEC_GPU_CHECK_RUN_H_

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "exec/gpu_check_compare.h"

namespace assay {

/// A folder of BuildGpuCheck, run on the GPU of this machine. Its programs and hosts run without a
/// sandbox, so nothing there may be code that one does not trust.
struct GpuCheckRun {
  std::filesystem::path folder;
  std::vector<std::string> programs = {};  ///< Empty: all, and the challenges.
  std::string nvidia_smi = "nvidia-smi";
  std::string ncu = "ncu";
  std::chrono::nanoseconds program_limit = std::chrono::minutes(2);
  std::size_t output_limit_bytes = std::size_t{16} << 20;
};

/// The GPU that all that follows is of.
struct FoundGpu {
  std::string name;
};

/// Hears of each outcome as it comes, since all of it may take an hour.
using GpuCheckEvent =
    std::variant<FoundGpu, ProgramOutcome, CounterOutcome, HostOutcome, BenchOutcome>;
using GpuCheckListener = std::function<void(const GpuCheckEvent&)>;

/// Name and driver of this machine's GPU. None is an error of kind kJudge: the machine's lack.
[[nodiscard]] Result<std::string> FindGpu(const std::string& nvidia_smi);

/// Runs the programs and compares exit codes and output; their counters, where ncu is there and the
/// plan has the emulated GPU's; the challenges' suites over their hosts; and times the baselines.
/// What disagrees, breaks or is missing is an outcome. Errors: no GPU (kJudge), and of kind
/// kConfiguration a folder without a plan, a program that it does not have, an interruption.
[[nodiscard]] Result<GpuCheckReport> RunGpuCheck(const GpuCheckRun& run,
                                                 const GpuCheckListener& heard);

}  // namespace assay

#endif  // ASSAY_EXEC_GPU_CHECK_RUN_H_
