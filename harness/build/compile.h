// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_BUILD_COMPILE_H_
#define ASSAY_BUILD_COMPILE_H_

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "build/cuda_toolkit.h"
#include "build/tool.h"
#include "build/toolchain.h"

namespace assay {

/// One source to one object, `<output_directory>/object.o`: a .cu by nvcc, any other by g++.
struct CompileStep {
  std::filesystem::path compiler;
  Mount root;                  ///< Folder that holds `source`; also an include path.
  std::string source;          ///< Relative to `root`.
  std::vector<Mount> headers;  ///< Folders of headers: include paths before `root`.
  std::vector<std::string> defines;
  std::vector<std::string> options;  ///< For g++, also behind nvcc; before our flags.
  /// Set when the submission has .cu sources: what compiles those, and whose headers all may use.
  std::optional<CudaToolkit> cuda;
  std::filesystem::path output_directory;
};
/// Warnings are on, and never errors; our flags stand last. The source is read as C++, or as CUDA
/// C++, whatever its content, so an object or archive in its place is a syntax error. A .cu needs
/// `cuda`.
[[nodiscard]] ToolStep ToCompileTool(const CompileStep& step, BuildFlavor flavor,
                                     SandboxLevel level);
[[nodiscard]] std::filesystem::path ObjectOf(const CompileStep& step);

/// Objects and libraries to one executable, `<output_directory>/program`.
struct LinkStep {
  std::filesystem::path compiler;
  std::vector<std::filesystem::path> objects;
  /// Linked whole, so that a symbol which an object also defines is an error and not a quiet
  /// replacement.
  std::vector<std::filesystem::path> whole_libraries;
  std::vector<std::filesystem::path> libraries;  ///< Shared ones are left out where not needed.
  std::vector<std::string> options;
  std::filesystem::path output_directory;
};
[[nodiscard]] ToolStep ToLinkTool(const LinkStep& step, BuildFlavor flavor, SandboxLevel level,
                                  std::string what);
[[nodiscard]] std::filesystem::path ProgramOf(const LinkStep& step);

}  // namespace assay

#endif  // ASSAY_BUILD_COMPILE_H_
