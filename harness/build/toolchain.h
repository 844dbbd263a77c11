// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_BUILD_TOOLCHAIN_H_
#define ASSAY_BUILD_TOOLCHAIN_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace assay {

/// The two ways in which every submission is built.
enum class BuildFlavor {
  kRelease,    ///< As it is tested and timed.
  kSanitized,  ///< With address and undefined-behaviour sanitizers.
};
/// `release`, `sanitized`.
[[nodiscard]] std::string_view ToString(BuildFlavor flavor);

/// What compiles submissions. The same file for everyone: PATH plays no part.
inline constexpr std::string_view kCompilerPath = "/usr/bin/g++";

/// Compiler and linker flags of a flavor, from harness/cmake/AssayOptions.cmake. Baselines and
/// mutants are compiled with the same.
[[nodiscard]] const std::vector<std::string>& CompilerFlags(BuildFlavor flavor);

/// `text` cut at its spaces.
[[nodiscard]] std::vector<std::string> Words(std::string_view text);

/// The first line of `<compiler> --version`, for evidence. A compiler that is missing or does not
/// run is an error of kind kConfiguration.
[[nodiscard]] Result<std::string> CompilerVersion(
    const std::filesystem::path& compiler = kCompilerPath);

/// An error of kind kConfiguration, with the remedy, unless `tool` is an executable file.
[[nodiscard]] Status RequireTool(const std::filesystem::path& tool);

}  // namespace assay

#endif  // ASSAY_BUILD_TOOLCHAIN_H_
