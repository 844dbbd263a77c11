// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GPU_TOOL_RUN_CUDA_H_
#define ASSAY_GPU_TOOL_RUN_CUDA_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "emulator/report/run_summary.h"
#include "gpu/tool/device_settings.h"
#include "gpu/tool/report_reader.h"

namespace assay::gpu {

struct CudaRunRequest {
  /// Sources and objects for nvcc; or one executable that is linked with our runtime already.
  std::vector<std::string> files;
  std::vector<std::string> nvcc_flags;
  std::vector<std::string> program_arguments;
  DeviceSettings settings;
  KeepLaunches keep = KeepLaunches::kNo;
  std::filesystem::path nvcc;            ///< Empty: FindNvcc.
  std::filesystem::path library_folder;  ///< Where libassay_cudart.so is.
};

inline constexpr int kExitAfterRefusal = 3;  ///< As of any lack of Assay's.

/// How a program went, and what it did on the device.
struct CudaRun {
  /// The program's, or 128 + the signal that ended it, as a shell has it; kExitAfterRefusal where
  /// that would be 0 though the emulated GPU refused what a GPU would have done.
  int exit_code = 0;
  int signal = 0;  ///< 0: it exited.
  RunSummary summary;
  std::vector<std::string> launches;  ///< Lines of JSON, where asked for.
  std::uint64_t launches_left_out = 0;
  std::vector<std::string> faults;  ///< Reports that could not be read.
};

/// Builds the program in a private folder and runs it, with our standard streams, our working
/// directory and our environment beside ASSAY_CUDA_OPTIONS. nvcc writes to our error stream.
///
/// The reports come through a pipe as the launches end, so that a program that crashes, or is
/// killed, leaves those that came before. When this process is asked to stop (process/interrupt.h)
/// the signal goes on to the program, which is killed if it does not heed it within two seconds;
/// the run up to there is the result.
///
/// Errors (kind kConfiguration): a file that is missing, a flag that cannot be, no nvcc, no
/// runtime library, sources that do not compile.
[[nodiscard]] Result<CudaRun> RunCuda(const CudaRunRequest& request);

}  // namespace assay::gpu

#endif  // ASSAY_GPU_TOOL_RUN_CUDA_H_
