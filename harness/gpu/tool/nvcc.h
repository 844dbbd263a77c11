// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GPU_TOOL_NVCC_H_
#define ASSAY_GPU_TOOL_NVCC_H_

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "emulator/model/gpu_model.h"

namespace assay::gpu {

/// Where nvcc is looked for, as harness/cmake/AssayCuda.cmake does: $CUDA_HOME/bin, $CUDA_PATH/bin,
/// the folders of PATH, /usr/local/cuda/bin, /opt/cuda/bin.
[[nodiscard]] std::vector<std::filesystem::path> NvccFolders();

/// The first nvcc in `folders`. None is an error (kind kConfiguration) that says how to install it.
[[nodiscard]] Result<std::filesystem::path> FindNvcc(
    const std::vector<std::filesystem::path>& folders = NvccFolders());

/// Whether `flag` is an option of nvcc (11.8 to 13) whose value is the next argument: `-I`, not
/// `-Iinclude` nor `-std=c++17`.
[[nodiscard]] bool NvccTakesNextArgument(std::string_view flag);

/// An error (kind kConfiguration) for flags that leave no program to run, or one that does not use
/// our runtime: -c, -ptx, -o, -cudart, -rdc=true …
[[nodiscard]] Status CheckNvccFlags(std::span<const std::string> flags);

/// What one program is built from.
struct NvccProgram {
  std::filesystem::path nvcc;
  GpuModel model;  ///< Whose architecture is built for, unless a flag names one.
  std::vector<std::string> flags;
  std::vector<std::string> files;
  std::filesystem::path library_folder;  ///< Of libassay_cudart.so, at run time too.
  std::filesystem::path output;
};

/// The command line that builds it: line numbers, machine code (for its count of registers) and
/// PTX of one architecture, our runtime in the place of NVIDIA's. Flags of the user that speak of
/// the same come instead of ours.
[[nodiscard]] std::vector<std::string> NvccCommand(const NvccProgram& program);

}  // namespace assay::gpu

#endif  // ASSAY_GPU_TOOL_NVCC_H_
