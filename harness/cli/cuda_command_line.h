// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_CUDA_COMMAND_LINE_H_
#define ASSAY_CLI_CUDA_COMMAND_LINE_H_

#include <CLI/App.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/cmd_cuda_arguments.h"
#include "cli/command_line.h"

namespace assay {

/// What CLI11 writes to while it reads the command line of `assay cuda run`.
struct RawCudaRun {
  std::vector<std::string> files;
  std::optional<std::string> seed;
  std::string gpu = "h100";
  std::string schedule = "ascending";
  bool no_checks = false;
  bool perturb = false;
  bool lines = false;
  bool full_names = false;
  bool leak_check = false;
  unsigned workers = 0;
  std::optional<std::uint64_t> limit;
  std::optional<int> error_exit_code;
  std::optional<std::string> json_target;
};

/// The same of `assay cuda check`.
struct RawCudaCheck {
  std::vector<std::string> programs;
  std::string build_only;
  std::string run;
  bool no_mutants = false;
};

/// Gives `cuda` its command `check`. All must outlive parsing.
void AddCudaCheck(CLI::App& cuda, RawCudaCheck& raw);

[[nodiscard]] CudaCheckOptions ToCudaCheck(const RawCudaCheck& raw, CommonOptions common);

/// Gives `cuda` its command `run`, which is returned. All must outlive parsing.
[[nodiscard]] CLI::App& AddCudaRun(CLI::App& cuda, RawCudaRun& raw);

/// Takes out of `arguments`, if they are of `cuda run`, what is not for CLI11, and returns it:
/// flags of nvcc and arguments of the program may look like anything. Of our own options and the
/// files nothing is lost.
[[nodiscard]] CudaArguments TakeOutCudaArguments(std::vector<std::string>& arguments,
                                                 const CLI::App& app, const CLI::App& run_command);

[[nodiscard]] CudaRunOptions ToCudaRun(const RawCudaRun& raw, const CudaArguments& arguments,
                                       CommonOptions common);

}  // namespace assay

#endif  // ASSAY_CLI_CUDA_COMMAND_LINE_H_
