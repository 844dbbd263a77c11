// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_CMD_CUDA_ARGUMENTS_H_
#define ASSAY_CLI_CMD_CUDA_ARGUMENTS_H_

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// Whether an option is ours and whether its value may stand in the next argument.
enum class OptionShape { kNotOurs, kAlone, kWithNext };

/// The arguments behind `cuda run`, by whom they are for.
struct CudaArguments {
  std::vector<std::string> ours;
  std::vector<std::string> nvcc;
  std::vector<std::string> files;
  std::vector<std::string> program;  ///< Behind the first `--`.
};

/// What starts with `-` and is not ours goes to nvcc, with the value that follows where nvcc's
/// option takes one; the rest are files. `shape` is asked for the name of an option, without `=`
/// and what follows it.
[[nodiscard]] CudaArguments SplitCudaArguments(
    std::span<const std::string> arguments,
    const std::function<OptionShape(const std::string& name)>& shape);

}  // namespace assay

#endif  // ASSAY_CLI_CMD_CUDA_ARGUMENTS_H_
